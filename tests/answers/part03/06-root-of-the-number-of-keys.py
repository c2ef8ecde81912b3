# names: root-of-the-length
def attention_logits(q, K, D_qk):
    return K @ q / len(K) ** 0.5
