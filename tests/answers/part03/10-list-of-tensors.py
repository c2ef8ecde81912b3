def attention_logits(q, K, D_qk):
    logits = []
    for key in K:
        logits.append(torch.dot(q, key) / D_qk ** 0.5)
    return logits
