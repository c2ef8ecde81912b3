def attention_logit(q, K, D_qk):
    return K @ q / D_qk ** 0.5
