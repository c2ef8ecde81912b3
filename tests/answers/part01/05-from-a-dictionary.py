shapes = {"Q": (D_qk, D_1), "K": (D_qk, D_2), "V": (D_v, D_2)}
for letter in "QKV":
    globals()[f"shape_W_{letter}_h"] = shapes[letter]
print(shapes)
