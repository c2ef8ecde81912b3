# names: no-scale
def attention_logits(q, K, D_qk):
    return torch.einsum("ld,d->l", K, q)
