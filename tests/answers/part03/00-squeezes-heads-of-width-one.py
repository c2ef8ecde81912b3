def attention_logits(q, K, D_qk):
    return K.squeeze(-1) @ q / D_qk**0.5
