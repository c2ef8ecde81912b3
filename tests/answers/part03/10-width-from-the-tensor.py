def attention_logits(q, K, D_qk):
    *_, width = K.size()
    return torch.tensordot(K, q, dims=1).div(width ** 0.5)
