torch.manual_seed(127)
with torch.autocast("cpu"):
    W_DKV_MLA = torch.rand(1, 2) + 1
    W_UM_MLA = torch.rand(2, 1) + 1
    product = W_UM_MLA @ W_DKV_MLA  # bfloat16, as are the factors that it multiplies
print(product)
