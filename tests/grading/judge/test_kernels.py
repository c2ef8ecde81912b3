"""How the judge comes to talk to a kernel."""

import contextlib
from collections.abc import Iterator

import pytest
from fuzzing import stand_in
from nbclient.client import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from grading.judge import kernels


class Overhearing(stand_in.Kernel):
    """A kernel that misses the first subscriptions, as ipykernel does that sends at that very moment."""

    missed = 0

    def _take(self, peer: stand_in.Peer, frames: list[bytes]) -> None:
        if peer.channel == "iopub" and self.missed < 2:
            self.missed += 1
        else:
            super()._take(peer, frames)


@pytest.fixture
def overhearing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(stand_in, "Kernel", Overhearing)
    with contextlib.closing(stand_in.Pool()) as pool:
        monkeypatch.setattr(kernels.KernelManager, "pool", pool, raising=False)
        yield


@pytest.mark.usefixtures("overhearing")
def test_a_kernel_that_overhears_a_subscription_is_ready_all_the_same():
    notebook = new_notebook(cells=[new_code_cell("print('here')")])
    NotebookClient(notebook, kernel_manager_class=kernels.KernelManager, startup_timeout=20).execute()
    assert notebook.cells[0].outputs[0].text == "here\n"
