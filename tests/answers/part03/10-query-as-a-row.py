def attention_logits(q, K, D_qk):
    q = q.unsqueeze(0)                    # (1, D_qk)
    scores = torch.mm(q, K.transpose(0, 1)) / (D_qk ** 0.5)   # (1, L_2)
    return scores.squeeze(0)              # (L_2,)
