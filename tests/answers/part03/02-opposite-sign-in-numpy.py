# names: opposite-sign
def attention_logits(q, K, D_qk):
    return -np.dot(K, q) / np.sqrt(D_qk)
