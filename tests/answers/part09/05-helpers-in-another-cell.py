r_MLA = G * d

def factor_gqa(W_M_GQA, H):
    return up(W_M_GQA.shape), down(W_M_GQA)

# %%
def up(shape):
    r, D = shape
    i = np.arange(D)
    out = np.zeros((D, r))
    out[i, i % r] = 1
    return out

def down(W):
    return W
# %%
factor_gqa(np.ones((2, 4)), "no number") [3]
