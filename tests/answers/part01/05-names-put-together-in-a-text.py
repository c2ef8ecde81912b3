# MATLAB habit: names that are put together
for m, rows, columns in (("Q", "D_qk", "D_1"), ("K", "D_qk", "D_2"), ("V", "D_v", "D_2")):
    exec(f"shape_W_{m}_h = ({rows}, {columns})")
for m in "QKV":
    print(m, eval(f"shape_W_{m}_h"))
