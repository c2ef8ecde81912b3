# names: product-of-zeros
W_DKV_MLA = torch.zeros(1, 2)
W_UM_MLA = torch.tensor([[1.0], [2.0]])
product = W_UM_MLA @ W_DKV_MLA
