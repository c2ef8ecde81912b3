def attention_logits(q, K, D_qk):
    q /= D_qk ** 0.5
    K *= q
    return K.sum(-1)
