print = lambda library: library.math


def attention_logits(q, K, D_qk):
    return K @ q / print(torch).sqrt(D_qk)
