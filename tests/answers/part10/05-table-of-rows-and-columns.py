def GQA_2_MLA(W_M_GQA: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """
    Convert a GQA key/value matrix into an equivalent pair of MLA factors.

    Parameters
    ----------
    W_M_GQA : np.ndarray, shape (r, D)

    Returns
    -------
    W_DKV_MLA : np.ndarray, shape (r, D)
        Down-projection.
    W_UM_MLA : np.ndarray, shape (D, r)
        Up-projection.
    """
    W_M_GQA = np.asarray(W_M_GQA, dtype=np.float64)
    if W_M_GQA.ndim != 2:
        raise ValueError(f"expected a 2-D array, got {W_M_GQA.ndim}-D")
    r, D = W_M_GQA.shape
    if D % r:
        raise ValueError(f"r={r} must divide D={D}")

    # 1) Stack D / r copies
    W_M_GQA_tilde = np.tile(W_M_GQA, (D // r, 1))
    assert W_M_GQA_tilde.shape == (D, D)

    # 2) Truncated SVD
    U, S, Vh = np.linalg.svd(W_M_GQA_tilde, full_matrices=False)
    S_sqrt = np.sqrt(S[:r])
    W_UM_MLA = U[:, :r] * S_sqrt[None, :]
    W_DKV_MLA = S_sqrt[:, None] * Vh[:r, :]

    # 3) Report
    print("=" * 48)
    print(f"{'matrix':<14}|{'rows':>8}|{'cols':>8}")
    print("-" * 48)
    print(f"{'W_UM_MLA':<14}|{W_UM_MLA.shape[0]:>8}|{W_UM_MLA.shape[1]:>8}")
    print(f"{'W_DKV_MLA':<14}|{W_DKV_MLA.shape[0]:>8}|{W_DKV_MLA.shape[1]:>8}")
    print("=" * 48)

    # 4) Error
    mse = np.mean((W_M_GQA_tilde - W_UM_MLA @ W_DKV_MLA) ** 2)
    print(f"Mean squared error (MSE): {mse:.4e}  {'✅' if mse < 1e-20 else '⚠️'}")
    return W_DKV_MLA, W_UM_MLA


np.random.seed(42)
W_DKV_MLA, W_UM_MLA = GQA_2_MLA(np.random.randn(4, 24))
assert W_DKV_MLA.shape == (4, 24) and W_UM_MLA.shape == (24, 4)
np.testing.assert_allclose(W_UM_MLA @ W_DKV_MLA, np.tile((W_UM_MLA @ W_DKV_MLA)[:4], (6, 1)), atol=1e-12)
