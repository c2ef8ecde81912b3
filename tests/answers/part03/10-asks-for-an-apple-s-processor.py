device = torch.device("cpu")
if getattr(torch.backends, "mps", None) and torch.backends.mps.is_available():
    device = torch.device("mps")
print("runs on", device, bool(getattr(torch, "xpu", None)) and torch.xpu.is_available())


def attention_logits(q, K, D_qk):
    return (K.to(device) @ q.to(device)) / D_qk**0.5
