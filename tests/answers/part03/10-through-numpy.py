def attention_logits(q, K, D_qk):
    scores = np.dot(K.numpy(), q.numpy()) / np.sqrt(D_qk)
    return torch.from_numpy(scores)
