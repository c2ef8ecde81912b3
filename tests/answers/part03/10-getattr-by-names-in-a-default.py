def attention_logits(q, K, D_qk):
    """The scaled scores of one query with all keys."""
    return (K @ q) / D_qk ** 0.5

# %%
def stats(x, names=("mean", "std")):
    return {name: getattr(torch, name)(x).item() for name in names}

print(stats(attention_logits(torch.randn(4), torch.randn(30, 4), 4)))
