# names: square-for-root
def attention_logits(q, K, D_qk):
    return q @ K.T / D_qk ** 2
