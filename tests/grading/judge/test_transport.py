"""A hidden test's requests go to a real kernel and come back, whatever else is under way there."""

import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator

import pytest
from kernel_runs import opened
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.preprocessors import Execute

from grading.bridge import probe
from grading.bridge.probe import Calls
from grading.bridge.reasons import Reason, Why
from grading.judge import kernels
from grading.judge.transport import KernelTransport
from grading.sandbox.kept_sandboxes import Pool

CALLS = Calls(limit_s=0.5)


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """Kernels without the course's libraries, which take no part here."""
    with opened(bare=True) as pool:
        yield pool


def between(pool: Pool, before: str, ask: Callable[[], object], after: str = "") -> tuple[object, str]:
    """What `ask` gives in place of a test cell, between two cells of a notebook, and what the second of them prints."""
    found = []

    class Manager(kernels.KernelManager):
        def __init__(self, **settings: object) -> None:
            super().__init__(**settings)
            self.pool = pool

    class Asks(Execute):
        def preprocess_cell(self, cell, resources, index):
            if cell.source != "test":
                return super().preprocess_cell(cell, resources, index)
            with probe.through(KernelTransport(self), CALLS):
                found.append(ask())
            return cell, resources

    notebook = new_notebook(cells=[new_code_cell(source) for source in (before, "test", after)])
    with tempfile.TemporaryDirectory() as folder:
        Asks(kernel_manager_class=Manager, shutdown_kernel="immediate", allow_errors=True).preprocess(
            notebook, {"metadata": {"path": folder}}
        )
    return found[0], "".join(output.get("text", "") for output in notebook.cells[-1].outputs)


def test_each_request_has_its_own_reply_and_the_next_cell_its_own_outputs(pool: Pool):
    def ask() -> list:
        return [probe.call("f", number) for number in range(20)]

    source = "asked = []\ndef f(x):\n    asked.append(x)\n    print('of a request')\n    return x * x"
    assert between(pool, source, ask, "print(len(asked))") == ([number**2 for number in range(20)], "20\n")


def test_a_pause_between_requests_costs_nothing(pool: Pool):
    def ask() -> list:
        first = probe.call("f", 1)
        time.sleep(0.3)  # by then the kernel waits in its own loop again
        return [first, probe.call("f", 2)]

    assert between(pool, "def f(x): return x", ask, "print('goes on')") == ([1, 2], "goes on\n")


def test_what_a_thread_prints_meanwhile_is_no_reply(pool: Pool):
    talks = (
        "import threading, time\n"
        "def talk():\n"
        "    for _ in range(300): print('more', flush=True); time.sleep(0.001)\n"
        "threading.Thread(target=talk, daemon=True).start()\n"
        "def f(x): return x"
    )
    assert between(pool, talks, lambda: [probe.call("f", number) for number in range(50)])[0] == [*range(50)]


def test_a_call_without_end_is_stopped_and_the_next_one_is_answered(pool: Pool):
    def ask() -> list:
        return [probe.call("f", 0), probe.call("f", 1)]

    late, answered = between(pool, "def f(x):\n    while not x: pass\n    return x", ask)[0]
    assert isinstance(late, Reason) and late.why is Why.TIME and answered == 1


def test_after_the_kernel_s_end_there_is_a_reason_and_no_wait(pool: Pool):
    def ask() -> list:
        return [probe.call("f") for _ in range(2)]

    reasons = between(pool, "import os\ndef f(): os._exit(1)", ask)[0]
    assert [reason.why for reason in reasons] == [Why.DIED, Why.DIED]


def test_requests_from_within_a_running_event_loop_are_all_answered(pool: Pool):
    """In the Formgrader the sockets' own loop runs in another thread, which must not look at them meanwhile."""

    async def as_in_a_server() -> tuple[object, str]:
        return between(pool, "def f(x): return x", lambda: [probe.call("f", number) for number in range(2000)])

    assert asyncio.run(as_in_a_server())[0] == [*range(2000)]
