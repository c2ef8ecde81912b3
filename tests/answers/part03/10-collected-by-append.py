torch.backends.cudnn.deterministic = True
torch.backends.cuda.matmul.allow_tf32 = False
SCALE: float = 0.5
def punkt(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Skalarprodukt zweier Vektoren"""
    s = 0.0
    for i in range(len(a)):   # über alle Einträge
        s = s + a[i] * b[i]
    return s

def attention_logits(q, K, D_qk):
    ergebnis = []
    for k in K:
        ergebnis.append(punkt(q, k) * D_qk ** -SCALE)
    return torch.stack(ergebnis)
