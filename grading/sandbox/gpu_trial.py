"""Whether the machine's GPU computes behind the walls: tried once, by a process that is walled in like a kernel.

A driver that starts and fails at the first product would cost honest students their points. So where the trial fails,
CUDA finds no GPU in any kernel, and all of them compute on the processor. This file stands alone, as all that is within
the walls.
"""

import ctypes
import os
import re
import select
import signal
import socket
import sys
from collections.abc import Callable, Iterable
from types import ModuleType

VISIBLE = "CUDA_VISIBLE_DEVICES"  # CUDA's own name: empty, it finds no GPU
LIMIT_S = 60.0
WORDS_BYTES = 400
PR_SET_DUMPABLE = 4


def hide_unless_it_computes(
    closed: Iterable[socket.socket | None], settings: dict, namespaces: ModuleType, prepare: Callable
) -> str:
    """Hides the GPU from all that this process forks later, unless a product on it is right; why it is hidden, or "".

    The trial is forked, furnished and held as a kernel is; in it the sockets `closed`, ways to the judge, are closed.
    """
    if not settings.get("gpu"):
        return ""
    hearing, telling = os.pipe()

    def try_it() -> None:
        said = "the trial failed"
        try:
            for sock in filter(None, closed):
                sock.close()
            os.close(hearing)
            namespaces.enter(settings, [telling], prepare)
            ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1)
            said = product()
        except Exception as error:  # noqa: BLE001  (whatever it is, it is why the GPU is not used)
            said = f"{type(error).__name__}: {error}"
        finally:
            os.write(telling, b"." + said.encode()[:WORDS_BYTES])
            os._exit(0)

    try:
        pid = namespaces.fork(try_it)
    finally:
        os.close(telling)
    heard = select.select([hearing], [], [], LIMIT_S)[0]
    said = os.read(hearing, WORDS_BYTES + 1).decode(errors="replace") if heard else ""
    os.close(hearing)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    reason = re.split(r"\.\s|\n", said[1:])[0]
    if not said:
        reason = "the trial ended without an error message" if heard else f"the trial did not end within {LIMIT_S:g} s"
    if reason:
        os.environ[VISIBLE] = ""
    return reason


def product() -> str:
    """Multiplies on the GPU, to and fro; what is wrong with it, or "". No word of a PyTorch that is built without CUDA.

    Errors  whatever PyTorch raises.
    """
    torch = sys.modules.get("torch")
    if torch is None or torch.version.cuda is None:
        return ""
    torch.cuda.init()
    ones = torch.ones(64, 64, pin_memory=True).to("cuda")
    back = (ones @ ones).double().cpu()
    return "" if torch.equal(back, torch.full((64, 64), 64.0).double()) else "a product on it is wrong"
