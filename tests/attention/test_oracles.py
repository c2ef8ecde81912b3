"""The expected values: against PyTorch's own attention, against sums by hand, and with a slip in each term noticed."""

import math

import numpy as np
import pytest
import torch

from attention import oracles
from attention.oracles import (
    attention_logits,
    draw,
    gqa,
    gqa_fast,
    mha,
    mha_weights,
    of_one_sign,
    one_query,
    softmax,
    with_large_scores,
)
from grading.marking import rubric

# (B, L_1, L_2, D_1, D_2, D_qk, D_v, H, G)
SIZES = [
    (3, 5, 6, 11, 13, 7, 2, 4, 2),
    (1, 1, 1, 4, 4, 1, 1, 1, 1),
    (2, 4, 3, 6, 9, 5, 8, 6, 1),
    (2, 3, 7, 5, 8, 2, 3, 12, 3),
    (2, 3, 4, 5, 7, 3, 2, 4, 4),
]


def data(B, L_1, L_2, D_1, D_2, D_qk, D_v, H, G, seed=7):
    """Weights, x and y at random."""
    rng = np.random.default_rng(seed)
    x, y = rng.standard_normal((B, L_1, D_1)), rng.standard_normal((B, L_2, D_2))
    return mha_weights(D_1, D_2, D_qk, D_v, H, G, seed=seed), x, y


def torch_gqa(weights, x, y, H, G):
    """Attention by PyTorch's own function, key/value head g repeated for the query heads h with h % G == g."""
    W_Q, W_K, W_V, W_O = (torch.tensor(weights[n]) for n in ("W_Q", "W_K", "W_V", "W_O"))
    x, y = torch.tensor(x), torch.tensor(y)
    q = torch.stack([x @ W.T for W in W_Q.chunk(H)], 1)
    k, v = (torch.stack([y @ W.chunk(G)[h % G].T for h in range(H)], 1) for W in (W_K, W_V))
    heads = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    return sum(heads[:, h] @ W_O.chunk(H, 1)[h].T for h in range(H)).numpy()


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_gqa_is_pytorch_s_attention_with_heads_paired_by_remainder(sizes):
    weights, x, y = data(*sizes)
    H, G = sizes[-2:]
    want = torch_gqa(weights, x, y, H, G)
    assert np.abs(gqa(weights, x, y, H, G) - want).max() < 1e-12 * max(1, np.abs(want).max())
    assert np.abs(gqa_fast(weights, x, y, H, G) - want).max() < 1e-12 * max(1, np.abs(want).max())


@pytest.mark.parametrize(
    ("B", "L_1", "L_2", "D_1", "D_2", "H"), [(2, 3, 5, 12, 10, 4), (1, 4, 2, 6, 6, 1), (3, 1, 4, 8, 3, 8)]
)
def test_mha_is_pytorch_s_multi_head_attention_with_the_same_weights(B, L_1, L_2, D_1, D_2, H):
    weights, x, y = data(B, L_1, L_2, D_1, D_2, D_1 // H, D_1 // H, H, H)
    module = torch.nn.MultiheadAttention(D_1, H, bias=False, batch_first=True, kdim=D_2, vdim=D_2, dtype=torch.float64)
    with torch.no_grad():
        if D_1 == D_2:
            module.in_proj_weight.copy_(torch.tensor(np.concatenate([weights[n] for n in ("W_Q", "W_K", "W_V")])))
        else:
            for name, own in (
                ("W_Q", module.q_proj_weight),
                ("W_K", module.k_proj_weight),
                ("W_V", module.v_proj_weight),
            ):
                own.copy_(torch.tensor(weights[name]))
        module.out_proj.weight.copy_(torch.tensor(weights["W_O"]))
        want, alpha = module(torch.tensor(x), torch.tensor(y), torch.tensor(y), average_attn_weights=False)
    assert np.abs(mha(weights, x, y, H) - want.numpy()).max() < 1e-12
    logits = attention_logits(weights["W_Q"][: D_1 // H] @ x[0, 0], y[0] @ weights["W_K"][: D_1 // H].T)
    assert np.abs(softmax(logits, 0) - alpha[0, 0, 0].numpy()).max() < 1e-12


def test_query_head_h_reads_key_value_head_h_mod_G():
    # Every query agrees with the first of two positions alone; each key/value head g says g + 1, each query head h
    # writes what it read to place h of the output.
    H, G = 6, 3
    weights = {
        "W_Q": np.full((H, 1), 1000.0),
        "W_K": np.array([[1.0, 0.0]] * G),
        "W_V": np.array([[g + 1.0, 0.0] for g in range(G)]),
        "W_O": np.eye(H),
    }
    x, y = np.ones((1, 1, 1)), np.array([[[1.0, 0.0], [0.0, 1.0]]])
    for oracle in (gqa, gqa_fast):
        assert oracle(weights, x, y, H, G).ravel().tolist() == [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]


def test_a_logit_is_the_product_over_the_root_of_the_width():
    assert attention_logits(
        np.array([3.0, 4.0, 0.0, 0.0]), np.array([[1.0, 2.0, 9.0, 9.0], [0.0, 0.0, 1.0, 1.0]])
    ).tolist() == [5.5, 0]
    assert attention_logits(np.array([2.0]), np.array([[3.0]])).tolist() == [6.0]


def test_softmax_adds_up_to_1_along_its_axis_and_withstands_large_numbers():
    assert softmax(np.array([0.0, math.log(3.0)]), 0) == pytest.approx([0.25, 0.75])
    assert softmax(np.array([[1000.0, 1000.0], [-1000.0, 1000.0]]), 1).tolist() == [[0.5, 0.5], [0.0, 1.0]]
    assert softmax(np.array([[1.0, 5.0], [1.0, 5.0]]), 0).tolist() == [[0.5, 0.5], [0.5, 0.5]]


def neighbours(W, H, G):
    """The blocks that query heads read if they are paired as h // (H // G)."""
    return np.concatenate([np.split(W, G)[h // (H // G)] for h in range(H)])


SLIPS = {
    "no root": lambda W, x, y, H, G: gqa({**W, "W_Q": W["W_Q"] * math.sqrt(len(W["W_Q"]) // H)}, x, y, H, G),
    "the width itself": lambda W, x, y, H, G: gqa({**W, "W_Q": W["W_Q"] / math.sqrt(len(W["W_Q"]) // H)}, x, y, H, G),
    "the root of D_v": lambda W, x, y, H, G: gqa(
        {**W, "W_Q": W["W_Q"] * math.sqrt(len(W["W_Q"]) / H / (len(W["W_V"]) / G))}, x, y, H, G
    ),
    "keys in reverse": lambda W, x, y, H, G: gqa({**W, "W_K": W["W_K"][::-1]}, x, y, H, G),
    "values in reverse": lambda W, x, y, H, G: gqa({**W, "W_V": W["W_V"][::-1]}, x, y, H, G),
    "queries in reverse": lambda W, x, y, H, G: gqa({**W, "W_Q": W["W_Q"][::-1]}, x, y, H, G),
    "outputs in reverse": lambda W, x, y, H, G: gqa({**W, "W_O": W["W_O"][:, ::-1]}, x, y, H, G),
    "the sign": lambda W, x, y, H, G: gqa({**W, "W_Q": -W["W_Q"]}, x, y, H, G),
    "no attention": lambda W, x, y, H, G: gqa({**W, "W_Q": 0 * W["W_Q"]}, x, y, H, G),
    "neighbouring heads": lambda W, x, y, H, G: gqa(
        {**W, "W_K": neighbours(W["W_K"], H, G), "W_V": neighbours(W["W_V"], H, G)}, x, y, H, H
    ),
    "another sample's y": lambda W, x, y, H, G: gqa(W, x, y[::-1], H, G),
    "one position too few": lambda W, x, y, H, G: gqa(W, x, y[:, :-1], H, G),
}


@pytest.mark.parametrize("slip", SLIPS.values(), ids=SLIPS)
def test_a_slip_in_any_term_shows_by_more_than_a_hundredth(slip):
    for sizes in ((3, 5, 6, 11, 13, 7, 2, 4, 2), (2, 3, 7, 5, 8, 2, 3, 12, 3)):
        weights, x, y = data(*sizes)
        want = gqa(weights, x, y, *sizes[-2:])
        verdict = rubric.close(slip(weights, x, y, *sizes[-2:]), want, rtol=1e-2, kind=rubric.ARRAY)
        assert not verdict.right


def test_a_stacked_matrix_is_copy_after_copy():
    assert oracles.stacked(np.array([[1, 2], [3, 4]]), 2).tolist() == [[1, 2], [3, 4], [1, 2], [3, 4]]
    assert oracles.stacked(np.array([[1, 2]]), 1).tolist() == [[1, 2]]
    with pytest.raises(ValueError):
        oracles.stacked(np.array([[1, 2]]), 0)


def test_matrices_of_full_rank_lack_what_constructions_of_factors_look_for():
    leading = oracles.draw(1).standard_normal((5, 30))
    leading[:, :2] = 0.0
    every = oracles.of_full_rank(oracles.draw(2), leading)
    assert [(W.shape, np.linalg.matrix_rank(W)) for W in every] == [((5, 30), 5)] * 4
    trailing, longest, blocks, sparse = every
    five_longest = np.argsort(np.linalg.norm(longest, axis=0))[-5:]
    assert np.linalg.matrix_rank(trailing[:, -5:]) < 5 > np.linalg.matrix_rank(longest[:, five_longest])
    assert np.abs(sum(np.split(blocks, 6, axis=1))).max() < 1e-12 and (sparse == 0.0).sum() == 145


def test_the_oracle_leaves_its_arguments_as_they_were():
    weights, x, y = data(*SIZES[0])
    before = [a.copy() for a in (*weights.values(), x, y)]
    gqa(weights, x, y, 4, 2), gqa_fast(weights, x, y, 4, 2)
    assert all((a == b).all() for a, b in zip(before, (*weights.values(), x, y), strict=True))


def test_in_float32_gqa_fast_stays_within_the_tolerance_of_the_marks():
    weights, x, y = data(*SIZES[0])
    got = gqa_fast(weights, x.astype(np.float32), y.astype(np.float32), 4, 2)
    assert got.dtype == np.float32 and rubric.close(got, gqa(weights, x, y, 4, 2), kind=rubric.ARRAY).right


@pytest.mark.parametrize(("H", "G"), [(4, 3), (2, 4), (3, 3), (4, 1)])
def test_heads_that_do_not_fit_are_a_failure_of_ours(H: int, G: int):
    weights, x, y = data(*SIZES[0])  # H = 4, G = 2
    for oracle in (gqa, gqa_fast):
        with pytest.raises(ValueError):  # (4, 1): the rows of two heads, read as one wider head, do not fit the queries
            oracle(weights, x, y, H, G)
    with pytest.raises(ValueError):
        attention_logits(np.ones(2), np.ones((3, 4)))


def test_data_are_the_same_for_a_seed_and_change_with_it_and_with_the_secret(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(oracles.SECRET, raising=False)
    plain = draw(1).standard_normal(4).tolist()
    assert draw(1).standard_normal(4).tolist() == plain != draw(2).standard_normal(4).tolist()
    monkeypatch.setenv(oracles.SECRET, "ours")
    own = draw(1).standard_normal(4).tolist()
    assert own != plain and own == draw(1).standard_normal(4).tolist()
    monkeypatch.setenv(oracles.SECRET, "theirs")
    assert draw(1).standard_normal(4).tolist() not in (own, plain)


@pytest.mark.parametrize("seed", range(20))
def test_the_logits_of_a_query_differ_from_one_another_and_from_0(seed: int):
    q, K = one_query(L_2=7, D_qk=5, seed=seed)
    logits = attention_logits(q, K)
    assert q.shape == (5,) and K.shape == (7, 5) and np.abs(logits).min() > 0.1
    assert np.abs(logits - logits[:, None] + np.eye(7)).min() > 0


def test_weights_have_the_shapes_of_the_problem_and_logits_of_order_1():
    weights = mha_weights(D_1=11, D_2=13, D_qk=7, D_v=2, H=4, G=2)
    assert {n: W.shape for n, W in weights.items()} == {
        "W_Q": (28, 11),
        "W_K": (14, 13),
        "W_V": (4, 13),
        "W_O": (11, 8),
    }
    assert mha_weights(3, 4, 5, 6, 2)["W_K"].shape == (10, 4)
    weights, rng = mha_weights(200, 300, 50, 40, 1, seed=3), np.random.default_rng(0)
    x, y = rng.standard_normal((40, 200)), rng.standard_normal((40, 300))
    logits = (x @ weights["W_Q"].T) @ (y @ weights["W_K"].T).T / math.sqrt(50)
    assert 1 < logits.std() < 4


def test_large_scores_are_as_large_as_is_said_and_large_for_one_pair_alone():
    weights, rng = mha_weights(5, 6, 3, 2, H=4, G=2), np.random.default_rng(0)
    x, y = rng.standard_normal((2, 3, 5)), rng.standard_normal((2, 7, 6))
    larger = with_large_scores(weights, x, y, H=4, G=2, largest=30.0)
    q, k = larger @ weights["W_Q"].T, y @ weights["W_K"].T  # (2, 3, 12), (2, 7, 6)
    scores = [q[..., 3 * h : 3 * h + 3] @ k[..., h % 2 * 3 : h % 2 * 3 + 3].swapaxes(1, 2) for h in range(4)]
    assert np.abs(scores).max() / math.sqrt(3) == pytest.approx(30.0)
    assert np.allclose(larger / x, (larger / x)[0, 0, 0])


def test_scores_of_one_sign_are_those_of_every_query_and_some_query_has_the_lowest():
    weights, rng = mha_weights(5, 6, 3, 2, H=2), np.random.default_rng(0)
    x, y = of_one_sign(rng.standard_normal((2, 4, 5)), rng.standard_normal((2, 7, 6)))
    x = with_large_scores(weights, x, y, H=2, G=2)
    q, k = x @ weights["W_Q"].T, y @ weights["W_K"].T  # (2, 4, 6), (2, 7, 6)
    scores = np.stack([q[..., s] @ k[..., s].swapaxes(1, 2) for s in (slice(3), slice(3, 6))]) / math.sqrt(3)
    assert ((scores > 0).all(-1) | (scores < 0).all(-1)).all()
    assert scores.max(-1).min() == pytest.approx(-30.0) and scores.min() == pytest.approx(-50.0)


@pytest.mark.parametrize("changed", ["W_Q", "W_K", "W_V", "W_O", "x", "y"])
def test_what_is_remembered_is_for_the_same_numbers_alone_and_nobody_changes_it(changed: str):
    weights, x, y = data(*SIZES[0])
    H, G = SIZES[0][-2:]
    want = torch_gqa(weights, x, y, H, G)
    gqa(weights, x, y, H, G)[:] = 0
    assert np.allclose(gqa(weights, x, y, H, G), want)
    given = {**weights, "x": x, "y": y}
    given[changed].flat[-1] += 1  # in place: the same array with other numbers
    assert not np.allclose(gqa(weights, x, y, H, G), want)
    assert np.allclose(gqa(weights, x, y, H, G), torch_gqa(weights, x, y, H, G))
