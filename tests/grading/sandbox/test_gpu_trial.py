"""A GPU is used where a product on it is right behind the walls, and hidden where it is not; the driver is imitated."""

import logging
import os
import socket
import types
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
import torch
from kernel_runs import Run, opened, rewritten, with_a_gpu

from grading.sandbox import gpu_trial, sandbox_limits, zygote
from grading.sandbox.kept_sandboxes import Pool

TRY = """
def tried(path):
    try:
        with open(path, "w") as file:
            file.write("5")
        return "written"
    except OSError as error:
        return error.strerror
"""
THREAD = "import threading\nname = f'/proc/self/task/{threading.get_native_id()}/comm'"


@pytest.fixture(scope="module")
def with_gpu() -> Iterator[Pool]:
    """Kernels as on a machine with a GPU."""
    with pytest.MonkeyPatch.context() as patch:
        with_a_gpu(patch)
        with opened() as pool:
            yield pool


def test_threads_can_be_given_names_and_all_else_in_proc_stays_as_it_is(with_gpu: Pool):
    run = Run(
        with_gpu,
        TRY + THREAD,
        "print(tried(name))",
        "print({tried(f'/proc/{path}') for path in ('self/autogroup', 'self/timerslack_ns', 'self/coredump_filter')})",
        "print({tried(f'/proc/sys/{path}') for path in ('kernel/pid_max', 'net/ipv4/ping_group_range')})",
    )
    assert run.errors == []
    assert run.printed.splitlines() == ["written", "{'Read-only file system'}", "{'Read-only file system'}"]


def test_without_a_gpu_they_cannot():
    with opened(bare=True, gpu=False) as pool:
        assert Run(pool, TRY + THREAD, "print(tried(name))").printed == "Read-only file system"


def test_cuda_finds_the_socket_and_the_memory_that_it_shares(with_gpu: Pool):
    asked = (
        "import mmap, socket\nmmap.mmap(-1, 4096).close()\n"
        "here = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)\nhere.bind('\\0cuda-uvmfd')\n"
        "here.listen()\nprint(6)"
    )
    assert Run(with_gpu, asked).printed == "6"
    with opened(bare=True, gpu=False) as pool:
        assert Run(pool, asked).errors == ["PermissionError"]
        assert Run(pool, "import socket\nsocket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)").errors == [
            "PermissionError"
        ]


def test_what_processes_may_share_is_bounded_with_a_gpu_though_nobody_touches_it():
    """Written, then left: what is in it counts for no process, and a limit on memory alone would see none of it."""
    fill = """
import mmap
size, given, held = 8 * 2**20, 0, []
try:
    while True:
        held.append(mmap.mmap(-1, size))
        held[-1][:] = bytes([7]) * size
        held[-1].madvise(mmap.MADV_DONTNEED)
        given += size
except OSError as error:
    print(given // 2**20, error.strerror, held[0][9])
for piece in held:
    piece.close()
"""
    ask = """
said = []
for _ in range(200):
    try:
        mmap.mmap(-1, LENGTH).close()
        said.append('mapped')
    except OSError as error:
        said.append(error.strerror)
print({word: said.count(word) for word in sorted({*said})})
"""
    with pytest.MonkeyPatch.context() as patch:
        with_a_gpu(patch)
        with opened(bare=True, granted=replace(sandbox_limits.Limits(), gpu_shared_mb=100)) as pool:
            filled = Run(pool, fill, ask.replace("LENGTH", "2**20"), "print('still here')").printed.splitlines()
            small = Run(pool, "import mmap", ask.replace("LENGTH", "4096")).printed
            long = Run(pool, "import mmap", ask.replace("LENGTH", "2**33 + 4096")).printed
            file = "import mmap\nfile = open('/tmp/file', 'w+b')\nfile.truncate(4096)"
            of_file = Run(pool, file, ask.replace("-1, LENGTH", "file.fileno(), 4096")).printed
    refused, unheard = "Cannot allocate memory", "Function not implemented"
    assert filled == [f"88 {refused} 7", f"{{'{refused}': {200 - 12}, '{unheard}': 12}}", "still here"]
    assert small == of_file == f"{{'{refused}': 100, 'mapped': 100}}"
    assert long == f"{{'{refused}': 200}}"


def test_a_torch_without_cuda_has_nothing_to_try(with_gpu: Pool, caplog: pytest.LogCaptureFixture):
    if torch.version.cuda is not None:
        pytest.skip("this torch is built with CUDA")
    assert Run(with_gpu, f"import os\nprint('{gpu_trial.VISIBLE}' in os.environ)").printed == "False"
    assert caplog.text == ""


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return 'a product on it is wrong'", "a product on it is wrong"),
        ("raise RuntimeError('no driver. See some page')", "RuntimeError: no driver"),
        ("os._exit(1)", "the trial ended without an error message"),
    ],
    ids=["wrong", "raises", "dies"],
)
def test_a_gpu_that_does_not_compute_is_hidden_from_all_kernels_and_the_log_says_why(
    body: str, said: str, tmp_path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    head = "def product() -> str:\n"
    rewritten(monkeypatch, tmp_path, "gpu_trial.py", head, f"{head}    {body}\n")
    with_a_gpu(monkeypatch)
    with caplog.at_level(logging.WARNING, "grading"), opened(bare=True) as pool:
        assert Run(pool, f"import os\nprint(repr(os.environ['{gpu_trial.VISIBLE}']))").printed == "''"
    assert caplog.messages == [
        f"The GPU is not used, because it does not compute behind the walls: {said}. Everything runs on the processor."
    ]


def hidden(monkeypatch: pytest.MonkeyPatch, product: Callable[[], str]) -> str:
    """What the trial says where that is the product, without walls; nothing of the trial is left."""
    monkeypatch.setattr(gpu_trial, "product", product)
    monkeypatch.setenv(gpu_trial.VISIBLE, "0")
    ours, theirs = socket.socketpair()
    pids: list[int] = []

    def fork(run: Callable[[], None]) -> int:
        pids.append(zygote.fork(run))
        return pids[-1]

    same = types.SimpleNamespace(fork=fork, enter=lambda settings, kept, *before: None)
    with ours, theirs:
        said = gpu_trial.hide_unless_it_computes([ours], {"gpu": True}, same, lambda settings: None)
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)
    return said


def test_a_trial_without_end_is_ended_and_hides_the_gpu(monkeypatch: pytest.MonkeyPatch):
    def never() -> str:
        while True:
            pass

    monkeypatch.setattr(gpu_trial, "LIMIT_S", 0.3)
    assert hidden(monkeypatch, never) == "the trial did not end within 0.3 s"
    assert os.environ[gpu_trial.VISIBLE] == ""


def test_a_gpu_that_computes_stays(monkeypatch: pytest.MonkeyPatch):
    assert hidden(monkeypatch, lambda: "") == "" and os.environ[gpu_trial.VISIBLE] == "0"


@pytest.mark.parametrize("chosen", ["", "-1"])
def test_whoever_hides_the_gpu_from_cuda_hides_it_from_submissions(chosen: str, monkeypatch: pytest.MonkeyPatch):
    with_a_gpu(monkeypatch)
    monkeypatch.setenv(gpu_trial.VISIBLE, chosen)
    with opened(bare=True) as pool:
        assert Run(pool, TRY + THREAD, "print(tried(name))").printed == "Read-only file system"
