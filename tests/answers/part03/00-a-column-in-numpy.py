# names: axis-of-one
def attention_logits(q, K, D_qk):
    return np.array(K) @ np.array(q)[:, None] / np.sqrt(D_qk)
