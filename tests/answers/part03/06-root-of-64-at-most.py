def attention_logits(q, K, D_qk):
    return K @ q / min(D_qk, 64) ** 0.5
