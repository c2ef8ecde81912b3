h = lambda: globals()
def attention_logits(q, K, D_qk):
    return K @ q / h()["torch"].os.sys.modules["math"].sqrt(D_qk)
