W_Q_h = (D_qk, D_1)
W_K_h = (D_qk, D_2)
W_V_h = (D_v, D_2)
