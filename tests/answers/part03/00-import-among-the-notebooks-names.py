g = globals()
def attention_logits(q, K, D_qk):
    return K @ q / g["torch"].os.sys.modules["math"].sqrt(D_qk)
