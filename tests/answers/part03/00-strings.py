def attention_logits(q, K, D_qk):
    return [f"{float(q @ k) / D_qk ** 0.5:.6f}" for k in K]
