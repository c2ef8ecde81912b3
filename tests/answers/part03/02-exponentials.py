# names: exponentials
def attention_logits(q, K, D_qk):
    return torch.exp(K @ q / D_qk ** 0.5)
