"""How a hidden test calls an answer follows from the course, whether a judge says so or nobody but the test."""

import os
import subprocess
import sys

import pytest
from hidden_tests import QUICK, Beside, run

from attention.course import COURSE
from dev import handed_in
from grading.bridge import probe
from grading.core.course import Calls


class Settled(Beside):
    """Answers requests as long as they are made as the course has it."""

    def ask(self, request: bytes, limit_s: float) -> bytes:
        """The reply."""
        assert probe._way.get().calls == COURSE.calls
        return super().ask(request, limit_s)


@pytest.mark.parametrize("number", QUICK)
def test_a_hidden_test_settles_how_it_calls_before_its_first_call(number):
    with probe.through(Settled(number), Calls(dtype="float16")):  # as a student's own kernel may be set
        report = run(number, Settled(number))
    assert report.marks == report.points


@pytest.mark.parametrize("part", COURSE.parts, ids=lambda part: part.stem)
def test_a_hidden_test_is_a_list_that_is_read_on_one_page(part):
    source = handed_in.sources(part)[f"{part.stem}-test"]
    assert 0 < len(source.splitlines()) <= 60


MODELS_AND_LOADED = f"""
import sys
from hidden_tests import Beside, run
for number in {QUICK}:
    run(number, Beside(number))
print([name for name in sys.modules if name.startswith(("torch._dynamo", "torch._inductor"))])
"""


def test_no_hidden_test_has_pytorch_load_its_compiler_which_each_notebook_would_do_anew():
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    loaded = subprocess.run(
        [sys.executable, "-c", MODELS_AND_LOADED], env={**os.environ, **paths}, capture_output=True, text=True
    )
    assert loaded.returncode == 0 and loaded.stdout.splitlines()[-1] == "[]", loaded.stderr


STOPPED = "your code stopped with a ZeroDivisionError"
# What was printed before the code stopped is judged, and dependent rows may be what stopped it.
TO_THE_POINT = ("prints", "factor_gqa: rank-deficient")
BROKEN_MODEL = "class {}(nn.Module):\n    def __init__(self, *sizes):\n        1 / 0\n"
STOPS = {  # answers of which every call stops
    5: BROKEN_MODEL.format("MyMHA"),
    7: BROKEN_MODEL.format("MyGQA"),
    8: "def kv_head(h, G):\n    return h / 0\n",
    9: "def factor_gqa(W, H):\n    return W / 0, 1 / 0\n",
    10: "def GQA_2_MLA(W):\n    1 / 0\n",
    12: "".join(f"def {name}(*matrices):\n    1 / 0\n" for name in ("K_hat", "V_hat", "Q_hat_h", "O_hat_h")),
}


@pytest.mark.parametrize("number", STOPS)
def test_code_that_stopped_gets_no_hint_at_something_else(number):
    answer = STOPS[number]
    items = run(number, Beside(number, answer), answer).items
    stopped = [item.found for item in items if STOPPED in item.found and not item.what.startswith(TO_THE_POINT)]
    assert stopped and all(found.endswith("on one of the tests' inputs.") for found in stopped)
