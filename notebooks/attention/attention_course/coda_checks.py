"""The coda's visible checks. Each calls a student's function on small random matrices, in float64."""

import torch

from attention_course.answers import pieces
from attention_course.coda import rotate
from attention_course.table import Table, expect, kind

TOLERANCE = 1e-6  # of the largest number expected; rounding in float64 is ten orders of magnitude smaller


def check_gqa_to_mla(gqa_to_mla):
    """Step 1: three matrices of the right shapes whose products are W_K and W_V, H / G times each."""
    table = Table("Step 1")
    for H, G, d in ((6, 3, 2), (4, 4, 3), (4, 1, 3)):
        D, r = H * d, 2 * G * d
        W_K, W_V = _random(1, (G * d, D), (G * d, D))
        with table.line(f"H = {H}, G = {G}, d = {d}: keys and values of all {H} heads come back from the latents"):
            W_DKV, W_UK, W_UV = _results(gqa_to_mla(W_K.clone(), W_V.clone(), H), 3)
            for name, matrix, shape in (("W_DKV", W_DKV, (r, D)), ("W_UK", W_UK, (D, r)), ("W_UV", W_UV, (D, r))):
                _shape(name, matrix, shape)
            for up, name, W in ((W_UK, "W_UK", W_K), (W_UV, "W_UV", W_V)):
                hint = f"Does {name} read its own part of your latent"
                hint += ", and query head h key/value head h % G?" if 1 < G < H else "?"
                _same(f"{name} W_DKV", up @ W_DKV, W.repeat(H // G, 1), hint)
    table.end()


def check_logits(model, other, windows):
    """Step 2: two models give the same logits for every token of some windows."""
    table = Table("Step 2")
    with table.line(f"all {windows.numel()} × 512 logits agree to rounding"):
        _same("the logits", other(windows), model(windows))
    table.end()


def check_absorb(absorb):
    """Step 3: the reduced form scores and sums up as the vanilla one does."""
    table, H, d, r = Table("Step 3"), 3, 2, 5
    D = H * d
    given = _random(2, (r, D), (D, r), (D, r), (D, D), (D, D))
    W_DKV, W_UK, W_UV, W_Q, W_O = given
    with table.line("three matrices of the right shapes"):
        K_hat, Q_hat, O_hat = _results(absorb(*(W.clone() for W in given), H), 3)
        for name, W, shape in (
            ("W_K_hat", K_hat, (r, D)),
            ("W_Q_hat", Q_hat, (H * r, D)),
            ("W_O_hat", O_hat, (D, H * r)),
        ):
            _shape(name, W, shape)
    with table.line("the scores of every head: q_hat . k_hat / sqrt(r) = q . k / sqrt(d)"):
        want = torch.einsum("hax,hay->hxy", W_Q.view(H, d, D), (W_UK @ W_DKV).view(H, d, D)) / d**0.5
        _same("the scores", torch.einsum("hrx,ry->hxy", Q_hat.view(H, r, D), K_hat) / r**0.5, want)
    with table.line("what every head hands over: W_O_hat_h k_hat = W_O_h v_h"):
        want = torch.einsum("xha,hay->hxy", W_O.view(D, H, d), (W_UV @ W_DKV).view(H, d, D))
        got = torch.einsum("xhr,ry->hxy", O_hat.reshape(D, H, r), K_hat)
        _same("W_O_hat_h W_K_hat", got, want, "Which columns of W_O belong to head h?")
    table.end()


def check_cached_step(cached_step):
    """Step 4: token by token, a step gives what attention over the whole text gives."""
    table, (B, D, H, r, L) = Table("Step 4"), (2, 6, 3, 4, 4)
    W_K_hat, W_Q_hat, W_O_hat, x = _random(3, (r, D), (H * r, D), (D, H * r), (B, L, D))
    cache = x.new_zeros(B, 0, r)
    latents = x @ W_K_hat.T
    queries = (x @ W_Q_hat.T).unflatten(2, (H, r))
    for l in range(L):  # noqa: E741  (the course's letter for a position)
        with table.line(f"token {l}: a cache of {l + 1} × {r} numbers, and the output of the reduced form"):
            hats = (W_K_hat.clone(), W_Q_hat.clone(), W_O_hat.clone())
            output, cache = _results(cached_step(x[:, l].clone(), cache.clone(), *hats, H), 2)
            _shape("the output", output, (B, D))
            _shape("the cache", cache, (B, l + 1, r))
            alpha = torch.softmax(torch.einsum("bhr,blr->bhl", queries[:, l], latents[:, : l + 1]) / r**0.5, dim=2)
            want = torch.einsum("bhl,blr->bhr", alpha, latents[:, : l + 1]).flatten(1) @ W_O_hat.T
            later = "Are the queries cut head by head, and what is a score divided by?"
            _same("the output", output, want, later if l else "Does the new token attend to itself, with weight 1?")
        if table.failed:  # the next token would fail for the same reason
            break
    table.end()


def check_compress(compress):
    """Step 5: the best approximation of keys and values together by latents of r numbers."""
    table, D, wide = Table("Step 5"), 6, 4
    W_DKV, W_UK, W_UV = _random(4, (wide, D), (D, wide), (D, wide))
    both = torch.cat([W_UK, W_UV]) @ W_DKV
    sizes = torch.linalg.svdvals(both)
    for r in (4, 2, 1):
        best = float(sizes[r:].square().sum().sqrt())
        with table.line(
            f"r = {r}: {'exact' if r == wide else f'as close as latents of this width come, an error of {best:.3f}'}"
        ):
            down, up_K, up_V = _results(compress(W_DKV.clone(), W_UK.clone(), W_UV.clone(), r), 3)
            for name, matrix, shape in (("W_DKV", down, (r, D)), ("W_UK", up_K, (D, r)), ("W_UV", up_V, (D, r))):
                _shape(name, matrix, shape)
            miss = float((torch.cat([up_K, up_V]) @ down - both).norm())
            text = f"expected an error of {best:.3f} for keys and values together, got {miss:.3f}"
            hint = "Which matrix does the SVD decompose, and where do its singular values go?"
            expect(miss <= best + TOLERANCE * float(both.norm()), f"{text}. {hint}")
    table.end()


def check_pool_heads(pool_heads):
    """Step 6: fewer key/value heads, each the mean of those whose query heads it now serves."""
    table, d, D = Table("Step 6"), 2, 5
    for G, fewer in ((4, 4), (4, 2), (6, 2), (3, 1)):
        (W,) = _random(5, (G * d, D))
        with table.line(f"{G} heads become {fewer}"):
            got = _tensor("the result", pool_heads(W.clone(), G, fewer))
            _shape("the result", got, (fewer * d, D))
            want = torch.stack([W.view(G, d, D)[g::fewer].mean(0) for g in range(fewer)]).flatten(0, 1)
            example = ", ".join(str(g) for g in range(0, G, fewer))
            _same(
                "the result", got, want, f"New head 0 is the mean of the heads {example}, which are 0 modulo {fewer}."
            )
    table.end()


def check_decoupled_logits(decoupled_logits):
    """Step 7: logits from latents and rotary keys, as they come out of keys that are multiplied out."""
    table, (H, d, r, d_R, L) = Table("Step 7"), (3, 4, 5, 2, 6)
    q, q_R, latents, k_R, W_UK = _random(6, (H * d,), (H, d_R), (L, r), (L, d_R), (H * d, r))
    q_R, k_R = rotate(q_R, L - 1), rotate(k_R, torch.arange(L))
    content = torch.einsum("hd,lhd->hl", q.view(H, d), (latents @ W_UK.T).view(L, H, d))
    with table.line(f"{H} heads and {L} cached positions: logits of the shape ({H}, {L})"):
        cache = torch.cat([latents, k_R], dim=1)
        got = _tensor("the result", decoupled_logits(q.clone(), q_R.clone(), cache.clone(), W_UK.clone(), H))
        _shape("the result", got, (H, L))
    with table.line("content: where the rotary part is zero"):
        only = torch.cat([latents, 0 * k_R], dim=1)
        _same("the logits", decoupled_logits(q, q_R, only, W_UK, H), content / (d + d_R) ** 0.5)
    with table.line("position: where the latents are zero"):
        only = torch.cat([0 * latents, k_R], dim=1)
        _same("the logits", decoupled_logits(q, q_R, only, W_UK, H), q_R @ k_R.T / (d + d_R) ** 0.5)
    with table.line("both together"):
        _same("the logits", got, (content + q_R @ k_R.T) / (d + d_R) ** 0.5)
    table.end()


def _random(seed, *shapes):
    random = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=random, dtype=torch.float64) for shape in shapes]


def _results(value, count):
    returned = enumerate(pieces(value, count, f"{count} tensors"), start=1)
    results = {(name := f"result {place} of {count}"): _tensor(name, tensor) for place, tensor in returned}
    for name, tensor in results.items():
        same = tensor.dtype == torch.float64
        expect(same, f"{name}: expected float64, as in what the function gets, got {tensor.dtype}")
    return results.values()


def _tensor(name, value):
    expect(isinstance(value, torch.Tensor), f"{name}: expected a torch tensor, got {kind(value)}")
    return value


def _shape(name, tensor, shape):
    expect(tuple(tensor.shape) == shape, f"expected {name} of shape {shape}, got {tuple(tensor.shape)}")


def _same(name, got, want, hint=""):
    """Fails the line unless two tensors agree; says so if one is a multiple of the other."""
    _shape(name, _tensor(name, got), tuple(want.shape))
    got = got.detach().to(want.dtype)
    miss, largest = float((got - want).abs().max()), float(want.abs().max())
    if miss <= TOLERANCE * largest:
        return
    factor = float((got * want).sum() / (want * want).sum())
    if abs(factor) > 1e-3 and float((got - factor * want).abs().max()) <= TOLERANCE * largest * abs(factor):
        expect(False, f"{name}: {factor:.3f} times as large as expected. Is a factor missing, or one too many?")
    expect(False, f"{name}: off by up to {miss:.2g}, where the largest number is {largest:.2g}. {hint}".strip())
