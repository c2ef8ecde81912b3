# names: value-as-wide-as-a-key
shape_o_h = (D_qk,)
shape_o = (H * D_qk,)
shape_W_O_h = (D_1, D_qk)
shape_W_O = (D_1, H * D_qk)
