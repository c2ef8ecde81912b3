def scaled(t, D):
    return t / D ** 0.5

def attention_logits(q, K, D_qk):
    return scaled(torch.inner(K, q), D_qk)

for n in range(1, 4):
    print(attention_logits(torch.ones(n), torch.ones(2, n), n))
# does it also work with different widths?
print(attention_logits(torch.ones(2), torch.ones(4, 3), 2))
