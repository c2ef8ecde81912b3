def attention_logits(q, K, D_qk):
    q = q.view(1, D_qk)
    return (q @ K.T / D_qk ** 0.5).squeeze()
