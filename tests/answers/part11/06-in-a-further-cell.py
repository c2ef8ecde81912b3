W_DKV_MLA = np.array([[7, 8]])
W_UM_MLA = np.array([[1], [9]])
# %%
product = W_UM_MLA @ W_DKV_MLA
