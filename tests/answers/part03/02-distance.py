# names: distances
def attention_logits(q, K, D_qk):
    return -((K - q) ** 2).sum(1) / D_qk ** 0.5
