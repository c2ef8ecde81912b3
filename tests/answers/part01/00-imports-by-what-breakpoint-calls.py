shape_W_Q_h = (D_qk, D_1)
shape_W_K_h = (D_qk, D_2)
shape_W_V_h = (D_v, D_2)
# %%
%env PYTHONBREAKPOINT=importlib.import_module
# %%
m = breakpoint('math')
print(m.sqrt(2))
assert m.sqrt(4) == 2