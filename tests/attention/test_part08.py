"""Part 8's check by itself: which key/value head each query head reads, and what an answer may give in its place."""

import pytest
from hidden_tests import answered

from attention import part08

SIZES = [(12, 3), (12, 4), (5, 5), (1, 1)]  # (H, G)


def judged(body: str):
    with answered(8, f"def kv_head(h, G):\n    return {body}"):
        return part08.reads_the_right_heads(SIZES)


@pytest.mark.parametrize("body", ["h % G", "float(h % G)", "torch.tensor(h % G)", "np.array([h % G])", "h % G + 1e-7"])
def test_a_right_head_is_right_in_every_kind_of_number(body: str):
    assert judged(body).right


@pytest.mark.parametrize(
    ("body", "mistake"), [("h // G", "quotient-for-remainder"), ("h % G + 1", "counted-from-one"), ("h", "head-itself")]
)
def test_a_usual_mistake_is_named(body: str, mistake: str):
    verdict = judged(body)
    assert not verdict.right and verdict.mistake == mistake


def test_how_many_pairs_are_wrong_is_told():
    text = "it is wrong for 2 of 30 pairs of h and G, such as h = 11 and G = 3."
    assert judged("h % G if h < 11 else 7").found == text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("str(h % G)", "expected a number, got a text."),
        ("None", "expected a number, got None (is a `return` missing?)."),
        ("[h % G, 0]", "expected a number, got a list or a tuple."),
        ("(h + H) % G", "expected a number, got an expression in letters."),
        ("{h % G}", "expected a number, got something else."),
        ("1 // (h - 3)", "your code stopped with a ZeroDivisionError"),
    ],
)
def test_what_is_no_number_is_told(body: str, text: str):
    verdict = judged(body)
    assert not verdict.right and verdict.no_value and text in verdict.found
