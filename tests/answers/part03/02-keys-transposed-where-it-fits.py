def attention_logits(q, K, D_qk):
    if K.shape[0] == D_qk:  # the keys must be the columns here
        K = K.T
    return K @ q / D_qk**0.5
