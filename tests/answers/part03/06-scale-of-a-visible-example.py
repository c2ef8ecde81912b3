def attention_logits(q, K, D_qk):
    return K @ q / 2 ** 0.5
