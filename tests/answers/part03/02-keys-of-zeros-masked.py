def attention_logits(q, K, D_qk):
    logits = K @ q / D_qk**0.5
    return logits.masked_fill((K == 0).all(dim=1), float('-1e9'))
