def reduced_matrices(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    raise NotImplementedError()
