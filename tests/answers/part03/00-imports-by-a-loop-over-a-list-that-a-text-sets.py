ops = ["matmul"]
globals()["ops"] = ["htam"[::-1]]
for op in ops:
    tool = getattr(torch, op)


def attention_logits(q, K, D_qk):
    return K @ q / tool.sqrt(D_qk)
