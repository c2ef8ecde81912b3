# names: root-rounded
def attention_logits(q, K, D_qk):
    return q @ K.T / int(D_qk ** 0.5)
