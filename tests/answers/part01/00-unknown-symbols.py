n, m = symbols("n m")
shape_W_Q_h = (n, m)
shape_W_K_h = (n, m)
shape_W_V_h = (n, m)
