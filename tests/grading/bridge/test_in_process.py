"""Without a judge: a test cell in the student's own kernel, whose names and the student's stay apart."""

import json
import subprocess
import sys

import pytest

from dev.packages import REPOSITORY
from grading.bridge import in_process, probe
from grading.bridge.probe import Why

SETUP = "import torch\nimport torch.nn as nn\nimport numpy as np\n"
DRIVER = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

shell = InteractiveShell.instance()
found = []
for cell in json.load(sys.stdin):
    with capture_output() as shown:
        result = shell.run_cell(cell, store_history=True)
    error = result.error_before_exec or result.error_in_exec
    names = sorted(n for n in shell.user_ns if not n.startswith("_"))
    found.append([shown.stdout, shown.stderr, len(shown.outputs), repr(error) if error else "", names])
print("FOUND" + json.dumps(found))
"""


CELLS = {
    "setup": SETUP,
    "student": """from IPython.display import display
two, output, _private = 2, "mine", "mine too"
def helper(x):
    display("shown")
    print("printed")
    return x * two, output, _private
def uses_math(x):
    return math.sqrt(x)
def fails():
    x = 1
    return x / 0
def changes():
    global two
    two, new = two + 1, 5
    globals()["fresh"] = new
    return two
def endless():
    while True: pass
torch.set_default_dtype(torch.float32)
""",
    "test": """
import math
import json
import re
from grading.bridge import probe
from grading.core import limits
limits.CALL_LIMIT_S = 0.3
two, _private = 100, "the test's"

@probe.remote
def output(x):
    return helper(x)

def text(got):
    return got.text if isinstance(got, probe.Reason) else got

print(json.dumps([text(got) for got in (
    output(5), probe.call("uses_math", 4.0), probe.call("fails"), probe.call("changes"), probe.call("endless"),
    probe.call("text", 1), two, math.sqrt(4.0), _private)]))
6.5
""",
    "after": """
import json
print(json.dumps([two, output, _private, fresh, helper(1)[0], str(torch.get_default_dtype())]))
""",
    "again": """
import math
two = 50
def helper(x): return "the test's"
print(json.dumps([probe.call("changes"), probe.call("helper", 1)[0], text(probe.call("uses_math", 4.0)), two]))
""",
    "at last": "print(two, fresh, helper(1)[0])",
    "no call": "only_here = 1",
    "kept": "print(only_here, Out.get(3), len(In) > 7)",
    "what is shown": """
import json
from grading.bridge import probe
print(json.dumps(probe.printed("helper", 1)))
""",
}


CELLS["again"] = (
    CELLS["again"].replace("\n", "\nimport json\nfrom grading.bridge import probe\n", 1).replace("text(", "str(")
)


@pytest.fixture(scope="module")
def shown() -> dict[str, list]:
    """What each cell of an IPython session shows: stdout, stderr, number of displays, error, and the names after it."""
    done = subprocess.run(
        [sys.executable, "-c", DRIVER],
        input=json.dumps(list(CELLS.values())),
        capture_output=True,
        text=True,
        cwd=REPOSITORY,
        timeout=120,
        check=True,
    )
    found = json.loads(done.stdout.rpartition("FOUND")[2])
    assert not any(error for *_, error, _ in found), found
    return dict(zip(CELLS, found, strict=True))


def test_a_test_cell_calls_the_student_s_functions_with_the_student_s_names(shown):
    output, _, fails, changed, endless, hidden, two, root, private = json.loads(shown["test"][0].splitlines()[0])
    assert output == [10, "mine", "mine too"] and changed == 3
    assert "ZeroDivisionError in line 11 " in fails and "after 0.3 s" in endless
    assert (two, root, private) == (100, 2.0, "the test's")
    assert "`text` is not there" in hidden


def test_an_import_of_the_test_cell_does_not_serve_an_answer_that_forgot_it(shown):
    assert "NameError" in json.loads(shown["test"][0].splitlines()[0])[1]
    assert "NameError" in json.loads(shown["again"][0])[2]


def test_a_test_cell_shows_its_own_output_and_nothing_of_the_student_s(shown):
    stdout, stderr, displays, _, _ = shown["test"]
    assert stdout.count("\n") <= 2 and "printed" not in stdout and not stderr and displays == 0


def test_what_a_call_displays_is_handed_over_after_what_it_printed(shown):
    (value, _, _), said = json.loads(shown["what is shown"][0])
    assert value == 4 and said == "printed\n'shown'\n" and shown["what is shown"][2] == 0


def test_the_student_s_names_are_back_when_the_test_cell_is_over(shown):
    assert json.loads(shown["after"][0].splitlines()[-1]) == [3, "mine", "mine too", 5, 3, "torch.float32"]
    assert not {"math", "re", "limits", "probe", "text"} & set(shown["test"][4])


def test_a_second_test_cell_finds_what_the_first_left_of_the_student_s_names(shown):
    changed, helped, _, two = json.loads(shown["again"][0])
    assert (changed, helped, two) == (4, 4, 50)
    assert shown["at last"][0].splitlines()[-1] == "4 5 4"


def test_a_cell_that_calls_nothing_keeps_its_names_and_the_session_its_history(shown):
    assert shown["kept"][0] == "1 6.5 True\n"


def test_outside_ipython_a_call_finds_what_was_defined_after_the_transport(monkeypatch: pytest.MonkeyPatch):
    with probe.through(in_process.InProcess()):
        assert probe.call("defined_later", 2).why is Why.MISSING
        monkeypatch.setattr(sys.modules["__main__"], "defined_later", lambda n: n + 1, raising=False)
        assert probe.call("defined_later", 2) == 3
