def attention_logits(q, K, D_qk):
    return ((K + q).square().sum(1) - (K - q).square().sum(1)) / (4 * D_qk**0.5)
