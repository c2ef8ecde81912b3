# names: keys-from-x, values-from-x
# keys and queries are compared, so they are made of the same token
shape_W_Q_h = (D_qk, D_1)
shape_W_K_h = (D_qk, D_1)
shape_W_V_h = (D_v, D_1)
