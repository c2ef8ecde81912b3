np.seterr(all="warn")
print("log of nothing:", np.log(np.zeros(1)))

def attention_logits(q, K, D_qk):
    print("q", q.shape, "K", K.shape)
    print(np.array([1.0]) / 0.0)
    logits = K.matmul(q)
    logits = logits / np.sqrt(D_qk)
    print("logits", logits.shape)
    return logits
