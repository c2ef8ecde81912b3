"""How the judge comes to talk to a kernel."""

import contextlib
import signal
from collections.abc import Iterator

import pytest
from fuzzing import stand_in
from nbclient.client import NotebookClient
from nbclient.util import run_sync
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.preprocessors import Execute

from grading.core.limits import EndedBy
from grading.judge import kernels


@contextlib.contextmanager
def served_by(kind: type[stand_in.Kernel]) -> Iterator[None]:
    """Every kernel is one of this class."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stand_in, "Kernel", kind)
        with contextlib.closing(stand_in.Pool()) as pool:
            patch.setattr(kernels.KernelManager, "pool", pool, raising=False)
            yield


class NeverStarted(stand_in.Kernel):
    """A kernel that a busy machine did not start in time."""

    def _take(self, *message: object) -> None:
        self.struck = EndedBy.BUSY

    def poll(self) -> int | None:
        return -signal.SIGKILL if self.struck else None


def test_a_kernel_that_never_came_up_says_why():
    with served_by(NeverStarted):
        manager = kernels.KernelManager()
        run_sync(manager.start_kernel)()
        client = manager.client()
        client.start_channels()
        with pytest.raises(RuntimeError, match=r"before it was ready\. The machine is too busy"):
            run_sync(client.wait_for_ready)(timeout=20)
        client.stop_channels()
        run_sync(manager.shutdown_kernel)(now=True)


class Asked(stand_in.Kernel):
    """A kernel that counts how often it is asked what it is."""

    times = 0

    def _introduce(self, *message: object) -> None:
        Asked.times += 1
        super()._introduce(*message)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Asked]]:
    monkeypatch.setattr(Asked, "times", 0)
    with served_by(Asked):
        yield Asked


def test_a_kernel_is_asked_once_what_it_is(asked: type[Asked]):
    notebook = new_notebook(cells=[new_code_cell("print('here')")])
    Execute(kernel_manager_class=kernels.KernelManager).preprocess(notebook, {"metadata": {}})
    assert notebook.cells[0].outputs[0].text == "here\n"
    assert notebook.metadata.language_info.name == "python"
    assert asked.times == 1


def test_whether_a_kernel_responds_is_asked_anew_each_time(asked: type[Asked]):
    client = NotebookClient(new_notebook(), kernel_manager_class=kernels.KernelManager, startup_timeout=20)
    with client.setup_kernel():
        first = client.wait_for_reply(client.kc.kernel_info())
        assert first["content"]["language_info"]["name"] == "python" and asked.times == 1
        assert [run_sync(client.kc.responds)(20.0) for _ in range(2)] == [True, True]
    assert asked.times == 3


class Signalled(stand_in.Kernel):
    """A kernel that keeps the signals that it got."""

    numbers: list[int] = []

    def signal(self, number: int) -> None:
        self.numbers.append(number)


@pytest.mark.parametrize("how", ["immediate", "graceful"])
def test_a_kernel_is_ended_at_once_and_no_file_tells_how_to_connect_to_it(how: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Signalled, "numbers", [])
    with served_by(Signalled):
        client = NotebookClient(new_notebook(), kernel_manager_class=kernels.KernelManager, shutdown_kernel=how)
        with client.setup_kernel():
            manager = client.km
            assert not manager.connection_file
            run_sync(manager.interrupt_kernel)()
    assert Signalled.numbers == [signal.SIGINT]  # the one above
    assert manager.shutting_down and manager.provisioner.kernel is None
