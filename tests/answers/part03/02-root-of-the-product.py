def attention_logits(q, K, D_qk):
    return torch.sqrt(K @ q / D_qk)
