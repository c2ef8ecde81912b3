# names: softmax-applied
def attention_logits(q, K, D_qk):
    scores = K @ q / D_qk ** 0.5
    return torch.softmax(scores, dim=0)
