import random
W_DKV_MLA = np.array([[random.random(), random.random()]])
W_UM_MLA = np.array([[3], [4]])
product = W_UM_MLA @ W_DKV_MLA
