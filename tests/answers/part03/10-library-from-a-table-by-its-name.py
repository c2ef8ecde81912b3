LIBS = {"torch": torch, "numpy": np}


def attention_logits(q, K, D_qk, backend="torch"):
    xp = LIBS[backend]
    return xp.matmul(K, q) / D_qk**0.5
