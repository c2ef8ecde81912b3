def attention_logits(q, K, D_qk):
    return K @ q / (q != 0).sum() ** 0.5
