def attention_logits(q, K, D_qk):
    scale = torch.sqrt(torch.tensor(D_qk, dtype=torch.float32))
    return q @ K.t() / scale
