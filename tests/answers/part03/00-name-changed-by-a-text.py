op = "matmul"
for name in ("op",):
    exec(f"{name} = 'os'")
os = getattr(torch, op)


def attention_logits(q, K, D_qk):
    return K @ q / float(os.path.join(str(D_qk))) ** 0.5
