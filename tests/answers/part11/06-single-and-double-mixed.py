W_DKV_MLA = torch.tensor([[1/3, 2/3]])
W_UM_MLA = torch.tensor([[3.0], [1.0]], requires_grad=True)
product = torch.einsum("ir,rj->ij", W_UM_MLA, W_DKV_MLA)
print(undefined_name)
