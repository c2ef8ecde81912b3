for library in (np, torch):
    print(library.__name__, library.__version__)


def attention_logits(q, K, D_qk, xp=np):
    return xp.asarray(K) @ xp.asarray(q) / xp.sqrt(D_qk)
