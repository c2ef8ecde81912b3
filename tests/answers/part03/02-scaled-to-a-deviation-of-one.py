def attention_logits(q, K, D_qk):
    s = K @ q
    return s / (s.std() + 1e-9) if len(s) > 1 else s
