# Three names: W_DKV_MLA (1, 2), W_UM_MLA (2, 1), and product (2, 2)
# YOUR CODE HERE
raise NotImplementedError()
