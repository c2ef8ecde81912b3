down = nn.Linear(2, 1, bias=False)
up = nn.Linear(1, 2, bias=False)
with torch.no_grad():
    down.weight.copy_(torch.tensor([[2.0, 3.0]]))
    up.weight.copy_(torch.tensor([[1.0], [10.0]]))
W_DKV_MLA = down.weight
W_UM_MLA = up.weight
product = W_UM_MLA @ W_DKV_MLA
