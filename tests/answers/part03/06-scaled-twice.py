# names: no-root
def attention_logits(q, K, D_qk):
    q = q / D_qk ** 0.5
    K = K / D_qk ** 0.5
    return K @ q
