def attention_logits(q, K, D_qk):
    logits = []
    for k in K:
        logits.append(torch.dot(q, k) / D_qk ** 0.5)
    return torch.stack(logits)
