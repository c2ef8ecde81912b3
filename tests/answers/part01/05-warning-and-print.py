torch.tensor(torch.ones(2))          # torch warns here
print("query:", (D_qk, D_1), "key:", (D_qk, D_2), "value:", (D_v, D_2))
shape_W_Q_h, shape_W_K_h = [(D_qk, D) for D in (D_1, D_2)]
shape_W_V_h = (D_v, D_2)
