def factor_gqa(W_M_GQA, H):
    r, D = W_M_GQA.shape
    copies = D // r
    return np.tile(np.eye(r), (copies, 1)), W_M_GQA

copies = H // G            # G is a factor of H
r_MLA = D // copies        # rows of all copies / number of copies
