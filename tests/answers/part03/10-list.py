def attention_logits(q, K, D_qk):
    return [(q @ k).item() / D_qk ** 0.5 for k in K]
