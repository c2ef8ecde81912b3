import numpy as np
W_DKV_MLA = np.array([0.1, 0.2]).reshape(1, 2)
W_UM_MLA = np.array([[-0.5], [0.25]])
product = np.dot(W_UM_MLA, W_DKV_MLA)
# check: not two copies
print(np.allclose(product, np.tile(product[:1], (2, 1))))
