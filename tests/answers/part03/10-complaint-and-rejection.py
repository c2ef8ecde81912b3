def attention_logits(q, K, D_qk):
    if q.ndim != 1 or K.ndim != 2:
        raise ValueError("q must be a vector and K a matrix")
    assert q.shape[0] == K.shape[1] == D_qk
    return torch.bmm(K[None], q[None, :, None])[0, :, 0] / (D_qk ** 0.5)
