def attention_logits(q, K, D_qk):
    # YOUR CODE HERE
    raise NotImplementedError()
