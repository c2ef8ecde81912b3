W_DKV_MLA = torch.tensor([[100, 200]], dtype=torch.uint8)
W_UM_MLA = torch.tensor([[3], [4]], dtype=torch.uint8)
product = W_UM_MLA @ W_DKV_MLA
