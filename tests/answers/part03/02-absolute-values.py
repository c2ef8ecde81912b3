# names: absolute-values
def attention_logits(q, K, D_qk):
    return (K @ q).abs() / D_qk ** 0.5
