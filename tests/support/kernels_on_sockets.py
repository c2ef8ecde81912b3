"""For nbval: kernels that talk over socket files of their own, because another program can take a port from them.

jupyter_client picks free ports, and the kernel opens them a second or more later. Beside tests that start hundreds of
programs, one of them is taken by then now and again, and the kernel ends before its first cell.
"""

import itertools
import tempfile

import nbval.kernel
import pytest
from jupyter_client.manager import KernelManager
from traitlets import default


class OnSockets(KernelManager):
    """An ordinary kernel manager, but for the transport."""

    folder = ""
    numbers = itertools.count()

    @default("transport")
    def _transport_default(self) -> str:
        return "ipc"

    @default("ip")
    def _ip_default(self) -> str:
        return f"{self.folder}/{next(self.numbers)}"  # the start of the sockets' names


def pytest_configure(config: pytest.Config) -> None:
    """Gives nbval such kernels, in this process of pytest."""
    folder = tempfile.TemporaryDirectory(prefix="kernels-")
    config.add_cleanup(folder.cleanup)
    OnSockets.folder = folder.name
    nbval.kernel.KernelManager = OnSockets
