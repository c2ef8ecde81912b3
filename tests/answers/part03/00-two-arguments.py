def attention_logits(q, K):
    return K @ q / q.shape[0] ** 0.5
