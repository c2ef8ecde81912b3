def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    r, D = W_DKV.shape
    d = D // H
    Q = globals()['m' + 'k'](W_UK, W_Q, H)
    O = torch.einsum("ohd,hdr->ohr", W_O.view(D, H, d), W_UV.view(H, d, r)).reshape(D, H * r)
    return W_DKV, W_DKV, Q, O
# %%
def mk(A, B, H):
    d = len(B) // H
    return torch.cat([(A.shape[1] / d) ** 0.5 * A[h * d:h * d + d].T @ B[h * d:h * d + d] for h in range(H)])
