def attention_logits(q, K, D_qk):
    return K @ q          # first try

def attention_logits(q, K, D_qk):
    s = K @ q
    return s / pow(D_qk, 1 / 2)
