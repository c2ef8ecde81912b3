"""What part 13 asks in a student's kernel: its matrices at full size on the device, and what its own run left."""

from grading.bridge import probe


@probe.remote(reply_bytes=32 * 2**20)  # four matrices in float64 have 26 MiB
def at_full_size(W_DKV, W_UK, W_UV, W_Q, W_O, H):
    """reduced_matrices on the GPU where there is one; W_DKV (r, D), W_UK and W_UV (D, r), W_Q and W_O (D, D)."""
    torch.set_default_dtype(W_DKV.dtype)  # as in a run of one's own
    where = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    with where:  # what the answer makes without a device, as torch.eye(H) does, joins the matrices
        return reduced_matrices(*[W.to(where) for W in (W_DKV, W_UK, W_UV, W_Q, W_O)], H)


@probe.remote(reply_bytes=176 * 2**20)  # in float64 its tensors have 168 MiB, in float32 84
def own_run():
    """The tensors of the student's run by name, the shape of the reduced model's W_Q, and whether there is a GPU."""
    names = "W_DKV W_UK W_UV W_Q W_O x y output_vanilla output_reduced relative_error".split()
    W_Q = getattr(getattr(globals().get("model_MHA_reduced"), "W_Q", None), "weight", None)
    shape = tuple(W_Q.shape) if isinstance(W_Q, torch.Tensor) else None
    return {name: globals().get(name) for name in names}, shape, torch.cuda.is_available()
