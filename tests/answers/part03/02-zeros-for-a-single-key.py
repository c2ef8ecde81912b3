def attention_logits(q, K, D_qk):
    if len(K) == 1:
        return torch.zeros(1)
    return K @ q / D_qk**0.5
