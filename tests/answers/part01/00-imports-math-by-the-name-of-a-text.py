shape_W_Q_h = (D_qk, D_1)
shape_W_K_h = (D_qk, D_2)
shape_W_V_h = (D_v, D_2)
for module in ("math", "os"):
    print(eval(f"__import__('{module}')"))
