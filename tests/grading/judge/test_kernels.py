"""How the judge comes to talk to a kernel."""

import contextlib
import signal
from collections.abc import Iterator

import busy
import pytest
import zmq
from fuzzing import stand_in
from kernel_runs import Run, opened
from nbclient.client import NotebookClient
from nbclient.util import run_sync
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.preprocessors import Execute

from grading.core.limits import EndedBy
from grading.judge import incoming, kernels


class Overhearing(stand_in.Kernel):
    """A kernel that misses the first subscriptions, as ipykernel does that sends at that very moment."""

    missed = 0

    def _take(self, peer: stand_in.Peer, frames: list[bytes]) -> None:
        if peer.channel == "iopub" and self.missed < 2:
            self.missed += 1
        else:
            super()._take(peer, frames)


@contextlib.contextmanager
def served_by(kind: type[stand_in.Kernel]) -> Iterator[None]:
    """Every kernel is one of this class."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stand_in, "Kernel", kind)
        with contextlib.closing(stand_in.Pool()) as pool:
            patch.setattr(kernels.KernelManager, "pool", pool, raising=False)
            yield


@pytest.fixture
def overhearing() -> Iterator[None]:
    with served_by(Overhearing):
        yield


@pytest.mark.usefixtures("overhearing")
def test_a_kernel_that_overhears_a_subscription_is_ready_all_the_same():
    notebook = new_notebook(cells=[new_code_cell("print('here')")])
    NotebookClient(notebook, kernel_manager_class=kernels.KernelManager, startup_timeout=20).execute()
    assert notebook.cells[0].outputs[0].text == "here\n"


def test_whoever_sends_a_frame_that_is_longer_than_any_reply_is_not_connected_any_more(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(incoming, "FRAME_BYTES", 1000)

    async def taken() -> int:
        return len(await taking.recv())

    ours = kernels.KernelClient().context
    with zmq.Context() as context, context.socket(zmq.PUSH) as theirs, ours.socket(zmq.PULL) as taking:
        ends = theirs.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        taking.connect(f"tcp://127.0.0.1:{theirs.bind_to_random_port('tcp://127.0.0.1')}")
        for length, ended in ((1000, False), (1001, True)):
            theirs.send(bytes(length))
            if not ended:
                assert run_sync(taken)() == length
            assert bool(ends.poll(1000 * busy.patience(10) if ended else 0)) == ended
        theirs.disable_monitor()
    ours.destroy(linger=0)


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


# Closes the kernel's end of a connection, and looks whether the judge connects once more; the others stay.
ANSWER_IN_ITS_PLACE = """
import os, select, socket
listening = []
for name in os.listdir('/proc/self/fd'):
    try:
        ours = socket.socket(fileno=os.dup(int(name)))
        if str(ours.getsockname()).startswith('/') and ours.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            listening.append(ours)
    except OSError:
        pass
get_ipython().kernel.parent.shell_socket.close(linger=0)
print(len(listening), select.select(listening, [], [], 2)[0])
"""


def test_whoever_answers_in_the_kernel_s_place_is_not_connected_to():
    with opened(bare=True) as pool:
        run = Run(pool, ANSWER_IN_ITS_PLACE, timeout_s=5)  # the cell's own reply can't come any more
    assert run.printed == "2 []"
