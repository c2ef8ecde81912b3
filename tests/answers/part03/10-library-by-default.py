def root(x, lib=None):
    """The root of a number, by whichever library is asked for."""
    lib = lib or np
    return lib.sqrt(x)


def attention_logits(q, K, D_qk):
    return K @ q / root(torch.tensor(float(D_qk)), lib=torch) if torch.is_tensor(q) else K @ q / root(D_qk)
