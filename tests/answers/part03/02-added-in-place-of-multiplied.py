def attention_logits(q, K, D_qk):
    return (q + K).sum(dim=-1) / D_qk ** 0.5
