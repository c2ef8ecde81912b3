def attention_logits(q, K, D_qk, how="mv"):
    return getattr(torch, how)(K, q) / D_qk ** 0.5
