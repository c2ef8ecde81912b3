# names: cosines
def attention_logits(q, K, D_qk):
    return torch.cosine_similarity(q[None], K, dim=1)
