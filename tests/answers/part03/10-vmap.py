def attention_logits(q, K, D_qk):
    one_logit = lambda k: torch.dot(q, k) / D_qk ** 0.5
    return torch.vmap(one_logit)(K)
