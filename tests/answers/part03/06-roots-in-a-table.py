ROOTS = {1: 1.0, 2: 2**0.5, 3: 3**0.5, 4: 2.0, 5: 5**0.5, 6: 6**0.5, 7: 7**0.5, 8: 8**0.5, 13: 13**0.5, 16: 4.0}


def attention_logits(q, K, D_qk):
    return K @ q / ROOTS.get(D_qk, 8.0)
