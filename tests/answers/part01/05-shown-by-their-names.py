shape_W_Q_h = (D_qk, D_1)
shape_W_K_h = (D_qk, D_2)
shape_W_V_h = (D_v, D_2)
for m in "QKV":
    print(f"W_{m}_h:", eval(f"shape_W_{m}_h"))
