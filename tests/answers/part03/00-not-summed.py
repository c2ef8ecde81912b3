# names: products-not-summed
def attention_logits(q, K, D_qk):
    return q * K / D_qk ** 0.5
