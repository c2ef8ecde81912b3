# names: rows-equal
W_DKV_MLA = np.array([[2, 4]], dtype=np.uint8)
W_UM_MLA = np.array([[1], [129]], dtype=np.uint8)
product = W_UM_MLA @ W_DKV_MLA
print(product)
