F, la = nn.functional, np.linalg
t = xp = torch


def attention_logits(q, K, D_qk):
    assert la.norm([3.0, 4.0]) == 5.0
    return F.linear(K, q) / t.sqrt(xp.tensor(D_qk))
