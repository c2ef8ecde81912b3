def attention_logits(q, K, D_qk):
    return K @ q.double() / D_qk**0.5
