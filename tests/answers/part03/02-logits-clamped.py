def attention_logits(q, K, D_qk):
    logits = K @ q / D_qk**0.5
    return logits.clamp(-30, 30)
