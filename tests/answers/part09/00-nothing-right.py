# names: order-swapped
r_MLA = "Gd"

def factor_gqa(W_M_GQA, H):
    return W_M_GQA, W_M_GQA.T
