def attention_logits(q, K, D_qk):
    raise SystemExit("I don't know")
