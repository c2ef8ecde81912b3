# names: no-scale
def attention_logits(q, K, D_qk):
    return K.numpy() @ q.numpy()
