def attention_logits(q, K, D_qk):
    return torch.mv(K, q) / D_qk**0.5


# %%
ops = ["mv", "matmul", "inner"]
q, K = torch.randn(4), torch.randn(3, 4)
for op in ops:
    same = torch.allclose(getattr(torch, op)(K, q) / 2, attention_logits(q, K, 4))
    print(f"{op}: {same}")
for i, (op, limit) in enumerate({"mv": 1e-6, "matmul": 1e-6}.items()):
    print(i, (getattr(torch, op)(K, q) / 2 - attention_logits(q, K, 4)).abs().max() < limit)
