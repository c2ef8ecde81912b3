"""The oracle for models of full size agrees with the literal one, and with a value by hand."""

import numpy as np
import pytest

from attention import oracles


@pytest.mark.parametrize(
    ("D_1", "D_2", "D_qk", "D_v", "H", "G"),
    [(6, 5, 3, 4, 6, 2), (5, 7, 3, 2, 4, 4), (5, 7, 1, 2, 4, 1), (4, 4, 2, 2, 1, 1)],
)
def test_it_computes_what_the_literal_oracle_computes(D_1, D_2, D_qk, D_v, H, G):
    weights = oracles.mha_weights(D_1, D_2, D_qk, D_v, H, G, seed=1)
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 3, D_1)), rng.normal(size=(2, 4, D_2))
    assert np.allclose(oracles.gqa_fast(weights, x, y, H, G), oracles.gqa(weights, x, y, H, G), rtol=0, atol=1e-12)


def test_query_head_h_reads_value_head_h_mod_G():
    ones = np.ones((4, 1))  # H = 4, D_1 = D_2 = D_qk = D_v = 1
    weights = {
        "W_Q": 0 * ones,
        "W_K": ones[:2],
        "W_V": np.array([[2.0], [5.0]]),
        "W_O": np.array([[1.0, 10.0, 100.0, 1000.0]]),
    }
    out = oracles.gqa_fast(weights, np.ones((1, 1, 1)), np.ones((1, 3, 1)), 4, 2)
    assert out.tolist() == [[[2.0 + 50.0 + 200.0 + 5000.0]]]


def test_it_keeps_the_dtype_of_x():
    weights = oracles.mha_weights(4, 4, 2, 2, 2, seed=3)
    x = np.ones((1, 2, 4), dtype=np.float32)
    assert oracles.gqa_fast(weights, x, x, 2, 2).dtype == np.float32


def test_heads_that_do_not_fit_are_refused():
    weights = oracles.mha_weights(4, 4, 2, 2, 4, seed=3)
    with pytest.raises(ValueError, match="do not fit"):
        oracles.gqa_fast(weights, np.ones((1, 2, 4)), np.ones((1, 2, 4)), 4, 3)
