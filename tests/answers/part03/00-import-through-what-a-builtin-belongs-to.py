f = len
sqrt = f.__self__.eval("__import__('math').sqrt")


def attention_logits(q, K, D_qk):
    return K @ q / sqrt(D_qk)
