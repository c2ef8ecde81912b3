def attention_logits(q, K, D_qk):
    return K @ q / __import__("math").sqrt(D_qk)
