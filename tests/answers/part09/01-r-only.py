r_MLA = d * G


def factor_gqa(W_M_GQA, H):
    # YOUR CODE HERE
    raise NotImplementedError()
