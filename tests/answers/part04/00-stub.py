# Two shapes of vectors: shape_o_h, shape_o. Two of matrices, (rows, columns): shape_W_O_h, shape_W_O
# YOUR CODE HERE
raise NotImplementedError()
