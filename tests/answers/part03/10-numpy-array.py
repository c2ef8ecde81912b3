def attention_logits(q, K, D_qk):
    return np.array([float(q @ k) / np.sqrt(D_qk) for k in K])
