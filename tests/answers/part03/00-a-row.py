def attention_logits(q, K, D_qk):
    return q.unsqueeze(0) @ K.T / D_qk ** 0.5
