W_DKV_MLA = np.array([[50, 20]], dtype=np.int8)
W_UM_MLA = np.array([[3], [7]], dtype=np.int8)
product = W_UM_MLA @ W_DKV_MLA
print(product)
