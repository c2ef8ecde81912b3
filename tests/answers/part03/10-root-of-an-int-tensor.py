def attention_logits(q, K, D_qk):
    return torch.matmul(q, K.T) / torch.sqrt(torch.tensor(D_qk))
