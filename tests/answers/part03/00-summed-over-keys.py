# names: summed-over-the-keys
def attention_logits(q, K, D_qk):
    return (q * K).sum(0) / D_qk ** 0.5
