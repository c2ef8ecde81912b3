def attention_logits(q, K, D_qk):
    # half of the scale on each side keeps the numbers small
    root = D_qk ** 0.25
    return (q / root) @ (K / root).T
