def attention_logits(q, K, D_qk):
    return K @ q / q.norm()
