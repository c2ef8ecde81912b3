def attention_logits(q, K, D_qk):
    return K[:, :64] @ q[:64] / D_qk**0.5
