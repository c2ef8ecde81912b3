from math import sqrt

def attention_logits(q, K, D_qk):
    return K @ q / sqrt(D_qk)
