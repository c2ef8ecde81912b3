def elementwise(name, number):
    return getattr(np, name)(number)


def attention_logits(q, K, D_qk):
    return (K @ q) / elementwise("sqrt", D_qk)


for name in ("sqrt", "cbrt", "log"):
    print(name, elementwise(name, 64))
