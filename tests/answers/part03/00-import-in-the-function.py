def attention_logits(q, K, D_qk):
    import math as m
    return torch.mv(K, q) / m.sqrt(D_qk)
