# names: factors-exchanged
W_UM_MLA = torch.randn(1, 2)
W_DKV_MLA = torch.randn(2, 1)
