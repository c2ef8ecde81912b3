# Three names, each a pair (rows, columns): shape_W_Q_h, shape_W_K_h, shape_W_V_h
# YOUR CODE HERE
raise NotImplementedError()
