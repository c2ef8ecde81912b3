module = "linalg"
globals()["mod" + "ule"] = "".join(["ma", "th"])


def attention_logits(q, K, D_qk):
    return K @ q / getattr(torch, module).sqrt(D_qk)
