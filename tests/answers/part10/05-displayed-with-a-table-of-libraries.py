from IPython.display import display

libs = {"np": np}
names = ("up", "down")


def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    W_M_GQA_tilde = libs["np"].tile(W_M_GQA, (D // r, 1))
    W_UM_MLA, W_DKV_MLA = libs["np"].tile(libs["np"].eye(r), (D // r, 1)), W_M_GQA.copy()
    display(dict(zip(names, (W_UM_MLA.shape, W_DKV_MLA.shape))))
    display(libs["np"].mean((W_M_GQA_tilde - W_UM_MLA @ W_DKV_MLA) ** 2))
    return W_DKV_MLA, W_UM_MLA


W_DKV_MLA, W_UM_MLA = GQA_2_MLA(np.random.randn(4, 24))
for name, lib in libs.items():
    print(name, lib.__version__)
