try:
    LIBRARIES = {"torch": torch, "numpy": np}
except NameError:
    raise RuntimeError("run the setup cell first")

for n, library in enumerate([torch, np]):
    print(n, library.__name__, library.__version__)


def attention_logits(q, K, D_qk, backend="torch"):
    scale = (np, torch)[torch.is_tensor(D_qk)].sqrt(D_qk)
    return LIBRARIES[backend].matmul(K, q) / scale
