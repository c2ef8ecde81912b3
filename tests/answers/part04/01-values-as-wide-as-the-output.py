# names: heads-as-wide-as-the-output
# o_h is a value; all that follows is as wide as the output
shape_o_h = (D_v,)
shape_o = (H * D_1,)
shape_W_O_h = (D_1, D_1)
shape_W_O = (D_1, H * D_1)
