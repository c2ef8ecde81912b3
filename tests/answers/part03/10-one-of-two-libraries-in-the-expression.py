def attention_logits(q, K, D_qk):
    return (torch if isinstance(K, torch.Tensor) else np).matmul(K, q) / D_qk**0.5
