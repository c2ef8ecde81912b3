"""What parts 9, 11 and 12 claim about GQA and MLA, computed in float64 and compared with the oracles."""

import numpy as np
import pytest

from attention import oracles

SIZES = [(1, 1, 3), (4, 1, 2), (4, 2, 3), (6, 3, 2), (6, 2, 1), (3, 3, 2)]  # (H, G, d): G = 1, G = H, d = 1 among them
sizes = pytest.mark.parametrize(("H", "G", "d"), SIZES)


def gqa_weights(H: int, G: int, d: int) -> dict[str, np.ndarray]:
    """Weights of a GQA at random, with D_1 = D_2 = D = H * d."""
    return oracles.mha_weights(H * d, H * d, d, d, H, G, seed=100 * H + 10 * G + d)


def tokens(D: int) -> tuple[np.ndarray, np.ndarray]:
    rng = oracles.draw(912)
    return rng.standard_normal((2, 3, D)), rng.standard_normal((2, 5, D))


def shared_latent(weights: dict[str, np.ndarray], H: int, G: int, d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Part 9's MLA of a GQA: W_DKV (2*G*d, D), W_UK and W_UV (D, 2*G*d)."""
    E = np.tile(np.eye(G * d), (H // G, 1))
    zero = np.zeros_like(E)
    return np.vstack([weights["W_K"], weights["W_V"]]), np.hstack([E, zero]), np.hstack([zero, E])


def absorbed(weights: dict[str, np.ndarray], W_DKV: np.ndarray, W_UK: np.ndarray, W_UV: np.ndarray, H: int) -> dict:
    """Part 12's reduced form of an MLA, head by head: the weights of a GQA with G = 1 and heads of width r."""
    (r, D), d = W_DKV.shape, W_UK.shape[0] // H
    blocks = [slice(h * d, (h + 1) * d) for h in range(H)]
    Q = np.vstack([np.sqrt(r / d) * W_UK[b].T @ weights["W_Q"][b] for b in blocks])
    O_hat = np.hstack([weights["W_O"][:, b] @ W_UV[b] for b in blocks])
    assert Q.shape == (H * r, D) and O_hat.shape == (D, H * r)
    return {"W_Q": Q, "W_K": W_DKV, "W_V": W_DKV, "W_O": O_hat}


# Part 9.
@sizes
def test_one_matrix_at_a_time_needs_a_width_of_G_d_and_no_more(H: int, G: int, d: int):
    for M in ("W_K", "W_V"):
        stack = oracles.stacked(gqa_weights(H, G, d)[M], H // G)
        assert stack.shape == (H * d, H * d) and np.linalg.matrix_rank(stack) == G * d


@sizes
def test_with_one_shared_latent_a_width_of_2_G_d_gives_the_GQA_exactly(H: int, G: int, d: int):
    weights, (x, y) = gqa_weights(H, G, d), tokens(H * d)
    W_DKV, W_UK, W_UV = shared_latent(weights, H, G, d)
    assert W_DKV.shape == (2 * G * d, H * d) and W_UK.shape == W_UV.shape == (H * d, 2 * G * d)
    mla = weights | {"W_K": W_UK @ W_DKV, "W_V": W_UV @ W_DKV}
    assert np.abs(oracles.mha(mla, x, y, H) - oracles.gqa(weights, x, y, H, G)).max() < 1e-14


@sizes
def test_keys_and_values_stacked_have_the_rank_2_G_d_or_D_if_that_is_less(H: int, G: int, d: int):
    weights = gqa_weights(H, G, d)
    both = np.vstack([oracles.stacked(weights[M], H // G) for M in ("W_K", "W_V")])
    assert np.linalg.matrix_rank(both) == min(2 * G * d, H * d)


@sizes
def test_the_converted_GQA_still_computes_the_same_from_its_latent_alone(H: int, G: int, d: int):
    weights, (x, y) = gqa_weights(H, G, d), tokens(H * d)
    reduced = absorbed(weights, *shared_latent(weights, H, G, d), H)
    want = oracles.gqa(weights, x, y, H, G)
    assert np.abs(oracles.gqa(reduced, x, y, H, 1) - want).max() < 1e-13 * max(1.0, np.abs(want).max())


# Part 11: D = 2, r = 1, d = 1, H = 2.
def test_the_example_of_part_11_is_no_stack_of_copies_and_still_a_GQA_with_G_1_once_absorbed():
    weights, (x, y) = gqa_weights(2, 2, 1), tokens(2)
    W_DKV, W_UK, W_UV = np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]), np.array([[5.0], [-6.0]])
    product = W_UK @ W_DKV
    assert product.tolist() == [[3.0, 6.0], [4.0, 8.0]] and not np.array_equal(product[0], product[1])
    vanilla = weights | {"W_K": product, "W_V": W_UV @ W_DKV}
    # The numbers 3 and 4 move into the two heads' queries, 5 and -6 into their columns of the output matrix.
    one_head = {"W_Q": W_UK * weights["W_Q"], "W_K": W_DKV, "W_V": W_DKV, "W_O": weights["W_O"] * W_UV.T}
    want = oracles.mha(vanilla, x, y, 2)
    assert np.abs(oracles.gqa(one_head, x, y, 2, 1) - want).max() < 4e-15 * np.abs(want).max()
    assert all(np.allclose(one_head[name], W) for name, W in absorbed(weights, W_DKV, W_UK, W_UV, 2).items())


# Part 11's second question and part 12's closing words: D = 4, d = 1, H = 4.
def forms(W_Q: np.ndarray, keys: np.ndarray) -> list[np.ndarray]:
    """The score forms of four heads of width 1: head h gives tokens x and y the logit x.T @ form @ y."""
    return [np.outer(W_Q[h], keys[h]) for h in range(4)]


def directions(forms: list[np.ndarray]) -> int:
    """Along how many directions of y the heads score: forms stacked in pairs have rank 1 where the two share one."""
    apart: list[np.ndarray] = []
    for form in forms:
        if all(np.linalg.matrix_rank(np.vstack([form, other])) == 2 for other in apart):
            apart.append(form)
    return len(apart)


def test_four_heads_with_two_latent_numbers_score_along_four_directions_and_a_GQA_with_G_2_along_two():
    rng = oracles.draw(1104)
    W_Q, W_DKV = rng.standard_normal((4, 4)), np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    W_UK = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, -1.0]])  # pairwise non-parallel rows
    mla = forms(W_Q, W_UK @ W_DKV)
    assert np.linalg.matrix_rank(W_DKV) == 2 == np.linalg.matrix_rank(np.vstack(mla))  # two latent numbers carry all
    assert directions(mla) == 4
    for _ in range(5):  # whatever the queries of the GQA are
        assert directions(forms(rng.standard_normal((4, 4)), oracles.stacked(rng.standard_normal((2, 4)), 2))) == 2


def test_moving_the_up_projection_into_the_query_leaves_the_directions_as_they_are():
    rng = oracles.draw(1105)
    W_Q, W_DKV, W_UK = rng.standard_normal((4, 4)), rng.standard_normal((2, 4)), rng.standard_normal((4, 2))
    weights = {"W_Q": W_Q, "W_O": np.eye(4)}
    reduced = absorbed(weights, W_DKV, W_UK, W_UK, 4)
    merged = [reduced["W_Q"][2 * h : 2 * h + 2].T @ reduced["W_K"] / np.sqrt(2) for h in range(4)]
    assert all(np.allclose(a, b, atol=1e-14) for a, b in zip(merged, forms(W_Q, W_UK @ W_DKV), strict=True))
    assert directions(merged) == 4


# Part 12.
@pytest.mark.parametrize(("D", "H", "r"), [(6, 1, 2), (15, 3, 1), (10, 5, 7), (12, 3, 5), (10, 2, 10)])
def test_the_reduced_form_computes_what_the_vanilla_form_computes(D: int, H: int, r: int):
    rng, weights, (x, y) = oracles.draw(1200), oracles.mha_weights(D, D, D // H, D // H, H, seed=D), tokens(D)
    W_DKV, W_UK, W_UV = (rng.standard_normal(shape) / np.sqrt(shape[1]) for shape in ((r, D), (D, r), (D, r)))
    vanilla = weights | {"W_K": W_UK @ W_DKV, "W_V": W_UV @ W_DKV}
    reduced = absorbed(weights, W_DKV, W_UK, W_UV, H)
    assert np.abs(oracles.gqa(reduced, x, y, H, 1) - oracles.mha(vanilla, x, y, H)).max() < 1e-13
