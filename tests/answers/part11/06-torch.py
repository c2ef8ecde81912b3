W_DKV_MLA = torch.tensor([[1., 1.]])
W_UM_MLA = torch.tensor([[1.], [2.]])
product = W_UM_MLA @ W_DKV_MLA
product
