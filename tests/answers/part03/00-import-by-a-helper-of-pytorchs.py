m = torch._utils.try_import("math")


def attention_logits(q, K, D_qk):
    return K @ q / m.sqrt(D_qk)
