# names: twice-the-width
def attention_logits(q, K, D_qk):
    return K @ q / D_qk ** 1/2
