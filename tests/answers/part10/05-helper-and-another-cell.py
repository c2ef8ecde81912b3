import numpy as np

def mse(a, b):
    return ((a - b) ** 2).mean()

def GQA_2_MLA(W_M_GQA):
    W_M_GQA_tilde = stack(W_M_GQA)
    U, S, Vh = np.linalg.svd(W_M_GQA_tilde, full_matrices=False)
    r = W_M_GQA.shape[0]
    factors = Vh[:r], U[:, :r] * S[:r]
    report(W_M_GQA_tilde, *factors)
    return factors

# %%
def stack(W):
    return np.r_[(*[W] * (W.shape[1] // W.shape[0]),)]

def report(W, down, up):
    print("W_UM_MLA:  ", *up.shape)
    print("W_DKV_MLA: ", *down.shape)
    print("mean squared error:", np.array2string(mse(W, up @ down), precision=3))

GQA_2_MLA(np.random.randn(4, 24))
