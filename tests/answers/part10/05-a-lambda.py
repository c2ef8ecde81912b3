GQA_2_MLA = lambda W: show(np.tile(W, (W.shape[1] // W.shape[0], 1)), W.copy(), np.tile(np.eye(len(W)), (W.shape[1] // len(W), 1)))

def show(tilde, down, up):
    print(f"{up.shape}{down.shape}")
    print(np.mean(np.square(tilde - up @ down)))
    return down, up

GQA_2_MLA(np.random.randn(4, 24))
