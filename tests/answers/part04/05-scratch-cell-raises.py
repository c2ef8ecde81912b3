shape_o_h = (D_v,)
shape_o = (H * D_v,)
shape_W_O_h = (D_1, D_v)
shape_W_O = (D_1, H * D_v)
assert shape_W_O[1] == shape_o[0] and shape_W_O_h[1] == shape_o_h[0]
# %%
shape_W_O @ shape_o
