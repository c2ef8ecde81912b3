def GQA_2_MLA(W_M_GQA):
    """Factors the stacked matrix of GQA, and prints the factors' shapes and the mean squared error.

    W_M_GQA: numpy, (r, D), r a factor of D
    returns W_DKV_MLA, W_UM_MLA: numpy, (r, D) and (D, r)
    """
    # YOUR CODE HERE
    raise NotImplementedError()


# YOUR CODE HERE
raise NotImplementedError()
