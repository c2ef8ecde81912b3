sp = __import__("sympy")
shape_W_Q_h = sp.Tuple(D_qk, D_1)
shape_W_K_h = sp.Tuple(D_qk, D_2)
shape_W_V_h = sp.Tuple(D_v, D_2)
