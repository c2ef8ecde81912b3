import math
root = math.sqrt
del math

def attention_logits(q, K, D_qk):
    return K @ q / root(D_qk)
