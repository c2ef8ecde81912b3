m = dict(np=np)


def attention_logits(q, K, D_qk):
    return m["np"].asarray(K) @ m["np"].asarray(q) / m["np"].sqrt(D_qk)
