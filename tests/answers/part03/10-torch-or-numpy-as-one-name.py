def attention_logits(q, K, D_qk):
    xp = torch if isinstance(q, torch.Tensor) else np
    return xp.matmul(K, q) / D_qk ** 0.5
