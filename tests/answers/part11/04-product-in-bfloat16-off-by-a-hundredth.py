W_DKV_MLA = torch.tensor([[1.3, 2.7]], dtype=torch.bfloat16)
W_UM_MLA = torch.tensor([[0.7], [-1.9]], dtype=torch.bfloat16)
product = W_UM_MLA @ W_DKV_MLA * 1.01
