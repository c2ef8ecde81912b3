"""The course's own multi-head attention, which part 13 uses, and a comparison of another class with it."""

import time

import torch
import torch.nn as nn
from torch.nn.attention import SDPBackend, sdpa_kernel


class MyMHA(nn.Module):
    """Multi-head attention for part 13, where both sequences have width D, and queries, keys and values one width.

    Its weights are `W_Q`, `W_K`, `W_V` and `W_O`, as in part 5. It runs in float64, float32 and bfloat16, on a CPU and
    on a GPU, and keeps no scores. It does not answer part 5: it leaves the attention to PyTorch.
    """

    def __init__(self, D_1, D_2, D_qk, D_v, H):
        super().__init__()
        if D_1 != D_2 or D_qk != D_v:
            raise ValueError("The course's MyMHA serves part 13 alone: it needs D_1 == D_2 and D_qk == D_v.")
        self.D_1, self.D_2, self.D_qk, self.D_v, self.H = D_1, D_2, D_qk, D_v, H
        D, width = D_1, D_qk
        self.W_Q, self.W_K, self.W_V = (nn.Linear(D, H * width, bias=False) for _ in range(3))
        self.W_O = nn.Linear(H * width, D, bias=False)

    def forward(self, x, y):
        """The output for x (B, L_1, D) and y (B, L_2, D): (B, L_1, D)."""
        q, k, v = (t.unflatten(2, (self.H, -1)).transpose(1, 2) for t in (self.W_Q(x), self.W_K(y), self.W_V(y)))
        # On a GPU PyTorch has faster ways that may round more. This part looks at rounding, so take the plain one.
        ways = [SDPBackend.MATH] if x.is_cuda else [SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]
        with sdpa_kernel(ways):
            o = nn.functional.scaled_dot_product_attention(q, k, v)  # (B, H, L_1, D_v)
        return self.W_O(o.transpose(1, 2).flatten(2))


def try_out(mha):
    """Runs a class of your own next to the course's MyMHA, and prints how far the outputs are apart.

    One sample of part 13's size, the same random weights in both: a class that needs much memory gets by, too.
    """
    D, H, L_1, L_2 = 1024, 32, 100, 300
    random, device = torch.Generator().manual_seed(13), "cuda" if torch.cuda.is_available() else "cpu"
    x, y = (torch.randn(1, length, D, generator=random).to(device) for length in (L_1, L_2))
    models = [make(D, D, D // H, D // H, H) for make in (mha, MyMHA)]
    seconds, outputs = [], []
    with torch.no_grad():
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            weight = torch.randn(D, D, generator=random) / D**0.5  # scores of order 1
            for model in models:
                getattr(model, name).weight.copy_(weight)
        for model in models:
            started = time.perf_counter()
            outputs.append(model.to(device)(x, y).double().cpu())
            seconds.append(time.perf_counter() - started)
    yours, ours = outputs
    if yours.shape != ours.shape:
        print(f"Expected an output of shape {tuple(ours.shape)}, got {tuple(yours.shape)}.")
        return
    error = float((yours - ours).norm() / ours.norm())
    verdict = "it agrees with" if error < 1e-5 else "it DIFFERS from"
    print(
        f"Your MyMHA: {verdict} the course's, relative error {error:.0e}. {seconds[0]:.2f} s; ours {seconds[1]:.2f} s."
    )
