def attention_logits(q, K, D_qk):
    return torch.stack([q @ K[i] for i in range(D_qk)]) / D_qk ** 0.5
