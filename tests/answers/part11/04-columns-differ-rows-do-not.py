# names: rows-equal
# rows equal, columns not
W_DKV_MLA = torch.tensor([[1.0, 5.0]])
W_UM_MLA = torch.tensor([[2.0], [2.0]])
product = W_UM_MLA @ W_DKV_MLA
