def factor_gqa(W_M_GQA, H):
    """Factors the matrix of part 6, H / G copies of W_M_GQA along axis 0, into two.

    W_M_GQA: numpy, (G * d, D); H: query heads, D / d
    returns W_UM, W_DKV: (D, r) and (r, D)
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# r_MLA: the width of the latent, in symbols.
# YOUR CODE HERE
raise NotImplementedError()
