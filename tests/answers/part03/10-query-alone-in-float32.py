def attention_logits(q, K, D_qk):
    return torch.matmul(K, q.float()) / D_qk ** 0.5
