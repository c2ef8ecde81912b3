class Lib:
    t = torch


def attention_logits(q, K, D_qk):
    return K @ q / Lib.t.serialization.os.math.sqrt(D_qk)
