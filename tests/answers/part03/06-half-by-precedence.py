# names: half-of-the-width
def attention_logits(q, K, D_qk):
    return q @ K.T / (D_qk ** 1/2)
