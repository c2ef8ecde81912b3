sizes = {D_1: 7, D_2: 5, D_qk: 3, D_v: 11, H: 2}
letter = {n: s for s, n in sizes.items()}
layers = {"Q": nn.Linear(sizes[D_1], sizes[D_qk], bias=False), "K": nn.Linear(sizes[D_2], sizes[D_qk], bias=False), "V": nn.Linear(sizes[D_2], sizes[D_v], bias=False)}
shape_W_Q_h, shape_W_K_h, shape_W_V_h = [tuple(letter[n] for n in layer.weight.shape) for layer in layers.values()]
