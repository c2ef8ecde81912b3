%load_ext autoreload
%autoreload 2
def attention_logits(q, K, D_qk):
    scores = torch.einsum("d,ld->l", q, K)
    return scores / D_qk ** 0.5
