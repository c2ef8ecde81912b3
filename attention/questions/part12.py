"""What part 12 asks in a student's kernel: the four functions of the reduced form, called head by head."""

from grading.bridge import probe


@probe.remote
def keys_and_queries(W_DKV, W_UK, W_Q, r, D, H):
    """K_hat, and Q_hat_h of each head; W_DKV (r, D), W_UK (H, d, r), W_Q (H, d, D)."""
    torch.set_default_dtype(W_DKV.dtype)
    return K_hat(W_DKV), [Q_hat_h(W_UK[h].clone(), W_Q[h].clone(), r, D, H) for h in range(H)]


@probe.remote
def values_and_outputs(W_DKV, W_O, W_UV, H):
    """V_hat, and O_hat_h of each head; W_DKV (r, D), W_O (H, D, d), W_UV (H, d, r)."""
    torch.set_default_dtype(W_DKV.dtype)
    return V_hat(W_DKV), [O_hat_h(W_O[h].clone(), W_UV[h].clone()) for h in range(H)]
