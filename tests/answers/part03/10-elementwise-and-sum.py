def attention_logits(q, K, D_qk):
    products = q[None, :] * K
    return products.sum(dim=1) / torch.tensor(float(D_qk)).sqrt()
