e = exit
e._ip.user_ns
def attention_logits(q, K, D_qk):
    return K @ q / D_qk ** 0.5
