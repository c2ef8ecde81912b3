def attention_logits(q, K, D_qk):
    L_2 = K.shape[0]
    out = torch.zeros(L_2, dtype=K.dtype)
    for l in range(L_2):
        s = 0
        for d in range(D_qk):
            s = s + q[d] * K[l, d]
        out[l] = s * D_qk ** -0.5
    return out
