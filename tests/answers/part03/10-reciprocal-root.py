def attention_logits(q, K, D_qk):
    return torch.mv(K, q) * torch.rsqrt(torch.tensor(float(D_qk)))
