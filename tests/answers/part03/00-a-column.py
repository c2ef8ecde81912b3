# names: axis-of-one
def attention_logits(q, K, D_qk):
    return K @ q.reshape(-1, 1) / D_qk ** 0.5
