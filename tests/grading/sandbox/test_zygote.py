"""Kernels forked from a preloaded process: they compute as any kernel does, and none can reach beyond its notebook."""

import contextlib
import dataclasses
import errno
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import busy
import psutil
import pytest
from kernel_runs import IN_A_CELL, IN_MEMORY, Run, alive, inside, once_in_a_cell, opened, rewritten, student

from grading.core import limits
from grading.core.course import Libraries
from grading.sandbox import bubblewrap, host, kernel_handle, namespaces, sandbox_limits
from grading.sandbox.allowance import Allowance

LEAVE_A_DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(1000)
    os._exit(0)
os.wait()
"""


@pytest.fixture(scope="module")
def walled():
    with opened() as pool:
        yield pool


@pytest.fixture(scope="module")
def bare():
    """For those that end their sandbox: the next one is there at once, without the course's libraries."""
    with opened(bare=True) as pool:
        yield pool


@pytest.fixture(scope="module")
def plain():
    with opened(walled=False) as pool:
        yield pool


@pytest.fixture(scope="module", params=["walled", "plain"])
def pool(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def ahead():
    with opened(ahead=True) as pool:
        yield pool


@pytest.fixture(scope="module")
def between(tmp_path_factory):
    """Kernels that a process forks in place of a thread, as from Python 3.13 on, whichever Python runs these tests."""
    deaf, folder = "THREADS_FORK_DEAF = (3, {})", tmp_path_factory.mktemp("program")
    with pytest.MonkeyPatch.context() as patch:
        rewritten(patch, folder, "namespaces.py", deaf.format(13), deaf.format(0))
        with opened(bare=True) as pool:
            yield pool


@pytest.fixture(params=["walled", "plain", "ahead"])
def any_pool(request):
    return request.getfixturevalue(request.param)


def test_the_libraries_of_the_course_are_there_before_a_notebook_begins(walled):
    names = "torch numpy sympy matplotlib.pyplot IPython ipykernel".split()
    assert Run(walled, f"import sys\nprint({{*{names}}} - {{*sys.modules}})").printed == "set()"


def test_the_zygote_has_one_thread_and_no_gpu_and_stays_the_same_from_notebook_to_notebook(walled):
    box, before = student(walled)
    zygote = max(before)
    run = Run(walled, "import torch\nprint(torch.cuda.is_initialized())\ntorch.ones(300, 300) @ torch.ones(300, 300)")
    assert run.printed == "False" and student(walled) == (box, before)
    assert settled(lambda: len(os.listdir(f"/proc/{zygote}/task"))) == 1  # the one that forked may just be ending
    if os.geteuid() == 0:  # to all others a process that may not be looked into shows no descriptors
        opened_files = [os.readlink(entry.path) for entry in os.scandir(f"/proc/{zygote}/fd")]
        assert opened_files and not [path for path in opened_files if "nvidia" in path]


def descriptors(pid: int) -> int | None:
    """How many a process has; None if this user may not see them."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except PermissionError:
        return None


def settled(read: Callable[[], object], times: int = 20) -> object:
    """What is read so many times in a row, a tenth of a second apart."""
    last, same = read(), 1
    while same < times:
        time.sleep(0.1)
        now = read()
        last, same = now, same + 1 if now == last else 1
    return last


def test_a_kernel_starts_with_copies_of_few_of_the_pages_that_all_share(walled):
    run = Run(walled, "import resource\nprint(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)")
    assert int(run.printed) < 6_000  # 4,400; by all that ipykernel does 8,500


def test_notebook_after_notebook_nothing_more_is_open(any_pool):
    def state() -> tuple[host.Sandbox, dict[object, int]]:
        box, found = student(any_pool)  # whose next kernel may just be opening its files
        return box, settled(lambda: {pid: descriptors(pid) for pid in (os.getpid(), *found)})

    def runs(times: int) -> None:
        for _ in range(times):
            Run(any_pool, "1", files={"a.txt": "a"})

    runs(3)
    for _ in range(4):  # a busy machine may be too late for a sandbox, and another one takes its place
        first, before = state()
        if first._last is None:  # it has just taken another one's place, and has forked none ahead
            runs(3)
            continue
        runs(6)
        end = time.monotonic() + busy.patience(10)
        while True:  # the kernel that is forked ahead opens its files when it gets a processor; what is leaked stays
            last, after = state()
            lasting = before.keys() & after.keys()
            was, now = ({name: found[name] for name in lasting} for found in (before, after))
            if was == now or time.monotonic() > end:
                break
        if last is first:
            break
    assert last is first and len(lasting) >= 2 and now == was


def test_a_kernels_messages_go_over_sockets_without_a_name(walled):
    tried = """
import os, socket
for name in os.listdir('/proc/self/fd'):
    try:
        one = socket.socket(fileno=os.dup(int(name)))
    except OSError:
        continue
    print(one.family.name, repr(one.getsockname()), repr(one.getpeername()))
print([line.split()[3] for line in open('/proc/self/net/tcp').readlines()[1:]])
"""
    *channels, tcp = sorted(set(Run(walled, tried).printed.splitlines()))
    assert channels == ["AF_UNIX '' ''"] and tcp == "[]"


def test_torch_on_several_threads_blas_and_figures_work_in_a_fork(pool):
    run = Run(
        pool,
        "import numpy as np, torch, matplotlib.pyplot as plt\ntorch.set_num_threads(4)\nx = torch.ones(600, 600)",
        "w = x.clone().requires_grad_(True)\n((x @ w) ** 2).sum().backward()",
        "print(torch.get_num_threads(), w.grad[0, 0])",
        "print(np.linalg.norm(np.ones((300, 300)) @ np.ones((300, 300))))",
        "plt.plot([1, 2])\nplt.show()",
    )
    assert run.errors == []
    assert run.printed.splitlines() == ["4 tensor(720000.)", "90000.0"]
    assert any(output.get("data", {}).get("image/png", "").startswith("iVBOR") for output in run.outputs)


def test_magics_rich_output_shell_commands_and_helper_modules_work(pool):
    run = Run(
        pool,
        "import helper\nfrom IPython.display import HTML\ndisplay(HTML('<b>bold</b>'))\nprint(helper.value)",
        "!echo from a shell && touch a && cp -p a b",
        "%timeit -n 1 -r 1 sum(range(10))",
        "import subprocess, sys\nprint(subprocess.check_output([sys.executable, '-c', 'print(6)'], text=True))",
        "await __import__('asyncio').sleep(0)",
        files={"helper.py": "value = 41"},
    )
    assert run.errors == []
    assert (
        "cp:" not in run.printed
        and "41" in run.printed
        and "from a shell" in run.printed
        and "loop" in run.printed
        and "6" in run.printed
    )
    assert any("<b>bold</b>" in output.get("data", {}).get("text/html", "") for output in run.outputs)


def test_a_notebook_finds_what_it_has_entered_and_seen_as_in_any_kernel(pool):
    run = Run(pool, "6 * 7", "_ + 1", "print(_i1, In[2], _1, Out[2])", "%history 1-2", "%recall 1", "%rerun 1")
    assert run.errors == []
    assert run.printed.splitlines()[:3] == ["6 * 7 _ + 1 42 43", "6 * 7", "_ + 1"]


def test_what_is_imported_from_the_folder_is_not_compiled_for_later(pool):
    run = Run(pool, "import os, helper\nprint(sorted(os.listdir()))", files={"helper.py": "value = 41"})
    assert run.printed == "['helper.py']"


def test_every_fork_draws_its_own_random_numbers(any_pool):
    draw = "import random, torch, numpy\nprint(random.random(), numpy.random.rand(), torch.rand(()).item())"
    first, second = (Run(any_pool, draw).printed.split() for _ in range(2))
    assert len({*first, *second}) == 6


def test_nothing_of_a_notebook_reaches_the_next_one(any_pool):
    files = {"part05.ipynb": "the student's"}
    Run(
        any_pool,
        "import os, pathlib, tempfile, torch\ntorch.softmax = None\nmine = 1",
        "pathlib.Path('part05.ipynb').write_text('changed')\npathlib.Path('new').mkdir()",
        "pathlib.Path(tempfile.gettempdir(), 'left').touch()\nos.environ['LEFT'] = '1'",
        files=files,
    )
    run = Run(
        any_pool,
        "import os, pathlib, tempfile, torch\nprint(torch.softmax is None, 'mine' in globals(), 'LEFT' in os.environ)",
        "print(os.listdir('.'), pathlib.Path('part05.ipynb').read_text())",
        "print(pathlib.Path(tempfile.gettempdir(), 'left').exists())",
        files=files,
    )
    assert run.printed.splitlines() == ["False False False", "['part05.ipynb'] the student's", "False"]


def test_nothing_that_was_submitted_is_in_the_memory_of_the_next_kernel(any_pool):
    look = f"{IN_MEMORY}print(in_memory(b'a_nam[e]_of_mine|a sentenc[e] of mine'))"
    files = {"a_name_of_mine.py": "text = 'a sentence of mine'"}
    assert int(Run(any_pool, "import a_name_of_mine", look, files=files).printed) > 0
    assert Run(any_pool, look).printed == "0"


def test_no_limit_that_a_notebook_sets_is_in_the_memory_of_the_next_kernel(any_pool):
    look = f"{IN_MEMORY}print(in_memory(b'71234003[2][1-9]'))"
    note = "resource.setrlimit(resource.RLIMIT_{}, (7123400320 + 1, 7123400320 + 9))"
    notes = [note.format(name) for name in ("RSS", "DATA", "STACK")]
    Run(any_pool, "import resource, time", *notes, "time.sleep(1.2)")  # at least two looks of the watch
    assert Run(any_pool, look).printed == "0"


# Processes whose memory, as the watch counts it, is a note: some of these numbers, most of them close to one another.
NOTES = """
import mmap, os, time

def counted_kb():
    names = ("RssAnon:", "RssShmem:", "VmSwap:", "VmPTE:", "HugetlbPages:")
    with open("/proc/self/status") as lines:
        return sum(int(line.split()[1]) for line in lines if line.startswith(names))

least_kb = (counted_kb() // 4096 + 6) * 4096 + 2048
for kb in range(least_kb, least_kb + 4 * 41 * 40, 4 * 41):
    if os.fork() == 0:
        memory, page = mmap.mmap(-1, 2**26, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS), 0
        memory.madvise(mmap.MADV_NOHUGEPAGE)
        while (left := (kb - counted_kb()) // 4) > 0:
            for page in range(page + 1, page + 1 + max(1, left - 20)):
                memory[4096 * page] = 1
        time.sleep(1000)
time.sleep(4)
print(least_kb)
"""
# The numbers among them that this process's memory holds as Python's, freed ones too, but for the first two.
READ_NOTES = """
import struct

found = [int.from_bytes(content[place.end() : place.end() + 4], "little")
         for content in contents() for place in re.finditer(re.escape(struct.pack("<QQ", id(int), 1)), content)]
offsets = {each - LEAST for each in found}
print(sum(1 for offset in offsets if 4 * 41 < offset < 4 * 41 * 40 and offset % (4 * 41) == 0))
"""


def test_no_number_that_a_notebook_chooses_is_in_the_memory_of_the_next_kernel(walled):
    for _ in range(3):  # a number stays wherever nothing has taken its place yet
        least_kb = Run(walled, NOTES).printed
        read = READ_NOTES.replace("LEAST", least_kb)
        assert int(Run(walled, f"{IN_MEMORY}{read}").printed) <= 1


def test_a_kernel_forked_ahead_finds_what_its_own_notebook_was_submitted_with(ahead):
    for value in ("1", "2"):
        run = Run(ahead, "import helper\nprint(helper.value)", files={"helper.py": f"value = {value}"})
        assert run.printed == value


def test_one_kernel_at_a_time_the_next_is_forked_when_nothing_of_the_last_is_left(ahead):
    Run(ahead, "1")
    box, before = student(ahead)
    kernel = waiting(box)
    run = Run(ahead, LEAVE_A_DAEMON, "import os\nprint(len([n for n in os.listdir('/proc') if n.isdigit()]))")
    assert run.printed == "2"  # this kernel, and the daemon
    assert not alive({kernel}) and waiting(box) not in before
    assert len(inside(box)) == len(before)


def test_the_clock_of_a_kernel_forked_ahead_stands_still_until_its_notebook_begins(ahead):
    Run(ahead, "1")
    box, _ = student(ahead)
    box.limits = dataclasses.replace(box.limits, notebook_s=2.0)
    time.sleep(2.5)
    assert Run(ahead, "print('begun')").printed == "begun"
    box.limits = sandbox_limits.Limits()


def test_what_linux_counts_by_user_is_limited_when_the_gate_opens(ahead):
    """Until then processes of the last notebook may be ending, which would count against this kernel's own threads."""
    Run(ahead, "1")
    box, _ = student(ahead)
    most, kernel = str(box.limits.processes), waiting(box)
    busy.wait_for(lambda: str(box.limits.open_files) in _limit(kernel, "Max open files"))  # set once it has begun
    assert most not in _limit(kernel, "Max processes")
    assert Run(ahead, "import resource\nprint(resource.getrlimit(resource.RLIMIT_NPROC)[0])").printed == most


def _limit(pid: int, name: str) -> list[str]:
    (line,) = (line for line in Path(f"/proc/{pid}/limits").read_text().splitlines() if line.startswith(name))
    return line.split()


def test_a_kernel_that_dies_while_it_waits_costs_nothing(ahead):
    Run(ahead, "1")
    box, _ = student(ahead)
    kernel = waiting(box)
    os.kill(kernel, 9)
    assert not alive({kernel})
    assert Run(ahead, "print('another')").printed == "another"


def test_a_kernel_forked_ahead_with_other_settings_is_replaced(ahead, monkeypatch):
    Run(ahead, "1")
    monkeypatch.setenv("NBGRADER_VALIDATING", "1")
    assert Run(ahead, "import os\nprint(os.environ['NBGRADER_VALIDATING'])").printed == "1"


def waiting(box: host.Sandbox) -> int:
    """The one kernel in a sandbox that nothing else runs in: the zygote's other child, next to the keeper."""
    assert box.answers(), f"closed: {box._closed}, answers: {box._pongs} of {box._pings}"  # so that it has been forked
    found = inside(box)
    parents = {pid: parent_of(pid) for pid in found}
    names = {pid: Path(f"/proc/{pid}/comm").read_text() for pid in found}
    forked = {pid for pid, parent in parents.items() if names.get(parent, "").startswith("python")}
    (kernel,) = forked - {keeper(found)}
    return kernel


@pytest.mark.parametrize("ending", ["", "os._exit(3)", "ctypes.string_at(0)"])
def test_a_daemon_ends_with_its_notebook_however_that_ends(pool, ending):
    box, before = student(pool)
    run = Run(pool, LEAVE_A_DAEMON, "import ctypes, os\nprint('here')", ending)
    assert run.printed == "here" and run.died == bool(ending)
    assert student(pool) == (box, before)


def test_a_kernel_that_is_let_end_takes_no_more_of_its_student_s_time_and_ends_before_the_next_one(pool):
    box, before = student(pool)
    allowance = Allowance()
    kernel = box.start(None, [], {}, allowance=allowance)
    kernel.let_end()
    spent_s = allowance.spent_s
    assert kernel.poll() == -signal.SIGKILL
    time.sleep(0.5)
    assert student(pool) == (box, before) and kernel.returncode == -signal.SIGKILL and allowance.spent_s == spent_s


PF_EXITING = 4  # among Linux's flags of a process

# 100 busy processes on the one processor on which the first one gives back 1 GB, page by page: as long as that takes,
# they compute for ten seconds, however busy the machine is.
HEARING_S = 3  # of computing that all of them need to hear that they end
GO_ON = """
import mmap, os, time
processor = {min(os.sched_getaffinity(0))}
for thread in os.listdir("/proc/self/task"):
    os.sched_setaffinity(int(thread), processor)
listening, telling = os.pipe()
for _ in range(100):
    if os.fork() == 0:
        os.close(telling)
        os.read(listening, 1)
        while True:
            pass
taken = mmap.mmap(-1, 2**30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
taken.madvise(mmap.MADV_NOHUGEPAGE)
for place in range(0, len(taken), 4096):
    taken[place] = 1
os.close(telling)
"""


def test_no_process_of_a_notebook_goes_on_once_that_has_ended_however_long_its_first_one_takes(walled):
    box, before = student(walled)
    assert Run(walled, GO_ON).errors == []

    late = {pid: computed_s(pid) for pid in inside(box) - before}
    early = {**late}
    parents = []
    for pid in late:
        with contextlib.suppress(psutil.NoSuchProcess):
            parents.append(psutil.Process(pid).ppid())
    first = statistics.mode(parents) if parents else 0  # on a busy machine all may have gone before anybody looks

    def ended() -> bool:
        left = inside(box)
        late.update({pid: max(late.get(pid, 0.0), computed_s(pid)) for pid in left - before})
        if not is_ending(first):  # where no session has a share of its own, the judge waits long for a processor
            early.update(late)
        return left == before

    busy.wait_for(ended)
    assert sum(late.values()) - sum(early.values()) < HEARING_S
    assert student(walled) == (box, before)


def is_ending(pid: int) -> bool:
    """Whether a process has been killed, even if it hasn't noticed yet."""
    try:
        told = dict(line.split(":\t") for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        flags = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[6])
    except (FileNotFoundError, ProcessLookupError):
        return True
    waiting = int(told["SigPnd"], 16) | int(told["ShdPnd"], 16)
    return bool(waiting & 1 << signal.SIGKILL - 1 or flags & PF_EXITING)


def computed_s(pid: int) -> float:
    """What a process has computed; 0 for one that has gone."""
    try:
        told = psutil.Process(pid).cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return told.user + told.system


def test_a_stopped_kernel_is_killed_all_the_same(pool):
    box, before = student(pool)
    run = Run(pool, LEAVE_A_DAEMON, "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", timeout_s=1)
    assert run.seconds < busy.patience(20)
    assert student(pool) == (box, before)


def test_a_kernel_that_a_process_has_forked_is_like_any_other_and_nothing_is_left(between):
    box, before = student(between)
    look = "import os\nprint(os.getpid(), os.getppid(), [name for name in os.listdir('/proc') if name.isdigit()])"
    run = Run(between, look, "while True: pass", "print('next')", timeout_s=1)
    assert run.printed.splitlines() == ["1 0 ['1']", "next"]
    assert student(between) == (box, before)


def test_what_is_refused_to_the_process_that_forks_is_named(monkeypatch: pytest.MonkeyPatch):
    def refuse(name: str, *_: object) -> None:
        raise OSError(errno.EPERM, f"{name}: {os.strerror(errno.EPERM)}")

    monkeypatch.setattr(namespaces, "_called", refuse)
    monkeypatch.setattr(namespaces, "THREADS_FORK_DEAF", (3, 0))
    with pytest.raises(OSError, match="^no new namespaces: unshare: Operation not permitted$"):
        namespaces.fork(lambda: None)


def test_an_endless_cell_is_interrupted_and_the_next_one_runs(pool):
    run = Run(pool, "while True: pass", "print('next')", timeout_s=1)
    assert run.printed == "next"


def test_a_kernel_is_process_1_of_its_own_and_sees_no_other_process(walled):
    run = Run(
        walled, "import os\nprint([name for name in os.listdir('/proc') if name.isdigit()], os.getpid(), os.getppid())"
    )
    assert run.printed == "['1'] 1 0"


def test_a_kernel_has_no_right_at_all_and_nothing_it_starts_gets_one(walled):
    look = "print({line.split()[1] for line in open('/proc/self/status') if line.startswith('Cap')})"
    status = "print([line.split()[1] for line in open('/proc/self/status') if line.startswith(('NoNew', 'Seccomp:'))])"
    run = Run(
        walled,
        f"import subprocess, sys\n{look}\n{status}",
        f"print(subprocess.run([sys.executable, '-c', {look!r}], capture_output=True, text=True).stdout.strip())",
    )
    assert run.printed.splitlines() == ["{'0000000000000000'}", "['1', '2']", "{'0000000000000000'}"]


def test_a_kernel_cannot_mount_unmount_or_enter_anything(walled):
    run = Run(
        walled,
        """
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
for call in (
    lambda: libc.mount(b'none', b'/tmp', b'tmpfs', 0, None),
    lambda: libc.umount2(b'/proc/sys', 0),
    lambda: libc.unshare(0x10000000),
    lambda: libc.setns(os.open('/proc/self/ns/net', os.O_RDONLY), 0),
    lambda: libc.setsid(),
    lambda: libc.ptrace(16, 1, 0, 0),
):
    print(call(), errno.errorcode[ctypes.get_errno()])
""",
    )
    assert run.printed.splitlines() == ["-1 EPERM"] * 6


SIGNALS = ("SIGKILL", "SIGSTOP", "SIGTERM", "SIGINT", "SIGSEGV", "SIGXCPU", "SIGUSR1", "SIGCHLD", "SIGPIPE", "SIGTSTP")
ALL = "sorted(map(int, filter(str.isdigit, os.listdir('/proc'))))"


def test_no_signal_from_inside_reaches_the_zygote(walled):
    box, processes = student(walled)
    run = Run(
        walled,
        f"import os, signal, time\nif not (child := os.fork()):\n    for name in {SIGNALS!r}:\n"
        "        for target in (-1, 0, 1):\n            try:\n"
        "                os.kill(target, getattr(signal, name))\n            except OSError:\n                pass",
        "time.sleep(1)\nprint('here')",
    )
    assert run.printed.startswith("here") and not run.died
    assert student(walled)[0] is box and inside(box) == processes


def test_whoever_kills_all_processes_kills_only_what_it_started(walled):
    box, processes = student(walled)
    run = Run(walled, "import os, signal\nos.fork() or signal.pause()\nos.kill(-1, 9)\nos.wait()", f"print({ALL})")
    assert run.printed == "[1]"
    assert student(walled) == (box, processes)
    assert Run(walled, "print('next')").printed == "next"


# What isn't empty of what lies in /proc next to the folders of processes, and whether anything can be made in a folder.
WHAT_PROC_TELLS = """
import os
told = []
for name in os.listdir('/proc'):
    path = '/proc/' + name
    if name.isdigit() or os.path.islink(path):
        continue
    if not os.path.isdir(path):
        try:
            told += [name] * bool(open(path).read())
        except PermissionError:
            pass
    elif os.listdir(path):
        told.append(name)
    else:
        try:
            os.mkdir(path + '/note')
            told.append('a note in ' + name)
        except OSError:
            pass
print(*sorted(told))
"""


def test_of_the_whole_machine_proc_tells_only_what_libraries_ask_for(walled):
    run = Run(
        walled,
        WHAT_PROC_TELLS,
        "import psutil\nprint(psutil.virtual_memory().total > 0, psutil.cpu_count() > 0, len(psutil.cpu_times()) > 3)",
    )
    told, libraries = run.printed.splitlines()
    assert run.errors == [] and libraries == "True True True"
    assert {*told.split()} <= {*namespaces.TOLD} and {"cpuinfo", "meminfo", "stat", "sys"} <= {*told.split()}
    tells = ["cmdline", "interrupts", "softirqs", "vmstat"]
    assert [name for name in tells if Path("/proc", name).read_text()] == tells and "irq" in namespaces.untold()


def test_what_nobody_thought_of_in_proc_is_hidden(monkeypatch, tmp_path):
    """As a file of a newer Linux, or of one that is built otherwise."""
    rewritten(monkeypatch, tmp_path, "namespaces.py", "tty uptime\nversion", "")
    with opened(bare=True) as pool:
        run = Run(pool, WHAT_PROC_TELLS)
    assert "meminfo" in run.printed.split() and not {"tty", "uptime", "version"} & {*run.printed.split()}


def test_what_the_namespaces_allow_cannot_be_changed(walled):
    run = Run(
        walled,
        "import os, pathlib",
        """
for place, _, names in os.walk('/proc/sys'):
    for name in names:
        try:
            with open(os.path.join(place, name), 'r+') as file:
                file.write(file.read())
            print('written', place, name)
        except OSError:
            pass
""",
    )
    assert run.printed == ""


def preloaded(processes: set[int]) -> int:
    """Of a sandbox's processes the one that forks kernels: of Python's the one whose parent is none of them."""
    pythons = {pid for pid in processes if Path(f"/proc/{pid}/comm").read_text().startswith("python")}
    (found,) = (pid for pid in pythons if parent_of(pid) not in pythons)
    return found


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def keeper(processes: set[int]) -> int:
    """The one that keeps them: the first child of the preloaded one, in the order in which they began."""
    parent = preloaded(processes)
    return int(Path(f"/proc/{parent}/task/{parent}/children").read_text().split()[0])


@pytest.mark.parametrize("which", [keeper, preloaded])
def test_a_keeper_or_a_preloaded_process_that_ends_takes_the_kernel_and_the_sandbox_along(which, bare):
    box, processes = student(bare)
    pid = which(processes)
    ending = once_in_a_cell(box, lambda: os.kill(pid, signal.SIGKILL))
    run = Run(bare, f"{IN_A_CELL}time.sleep(60)", "print('after')")
    ending.join()
    assert run.died and run.struck is limits.EndedBy.KILLED and run.printed == ""
    assert not alive(processes)
    assert Run(bare, "print('fresh')").printed == "fresh"


def test_a_silent_keeper_is_found_out_and_the_sandbox_replaced(bare, monkeypatch):
    box, processes = student(bare)
    monkeypatch.setattr(kernel_handle, "STOP_LIMIT_S", 1.0)
    pid = keeper(processes)

    def stop() -> None:
        os.kill(pid, signal.SIGSTOP)
        monkeypatch.setattr(limits, "SILENCE_LIMIT_S", 1.0)

    stopping = once_in_a_cell(box, stop)
    run = Run(bare, f"{IN_A_CELL}time.sleep(60)", "print('after')")
    stopping.join()
    assert run.died and run.struck is limits.EndedBy.SILENCE and run.printed == "" and run.seconds < busy.patience(30)
    assert not alive(processes)
    monkeypatch.setattr(limits, "SILENCE_LIMIT_S", 20.0)
    assert Run(bare, "print('fresh')").printed == "fresh"


def test_a_kernel_may_take_as_long_to_end_as_a_busy_machine_keeps_it_waiting(walled, monkeypatch):
    box, processes = student(walled)
    kernel = box.start(None, [], {})
    watching = keeper(processes)
    monkeypatch.setattr(kernel_handle, "STOP_LIMIT_S", 1.5)
    monkeypatch.setattr(box.clock, "now", lambda: 0.0)  # as if all had waited for a processor all the time
    os.kill(watching, signal.SIGSTOP)
    going_on = threading.Timer(3.0, os.kill, (watching, signal.SIGCONT))
    going_on.start()
    assert kernel.stop() == -signal.SIGKILL and kernel.struck is None
    going_on.join()
    assert box.answers()


CHANGES = (
    "os.sched_setaffinity(1, {min(os.sched_getaffinity(1))})",
    "resource.prlimit(1, resource.RLIMIT_NOFILE, (100, 100))",
    "os.chmod('/dev/shm', 0)",
    "os.chmod('/tmp', 0)",
    "os.setxattr('/tmp', 'user.note', b'a note')",
    "[os.wait() for _ in range(100) if os.fork() or os._exit(0)]",
    "open('/dev/shm/left', 'w').write('a note')",
)
SEEN = """
import os, resource
niceness = os.getpriority(os.PRIO_PROCESS, 0)
print(niceness, os.sched_getaffinity(1), os.sched_getscheduler(1), open('/proc/1/oom_score_adj').read())
print([resource.prlimit(1, getattr(resource, name)) for name in dir(resource) if name.startswith('RLIMIT_')][1:])
for path in ('/tmp', '/dev/shm', '/dev/pts'):
    state = os.stat(path)
    print(state.st_mode, state.st_uid, len(os.listdir(path)), state.st_mtime > 2)
print(open('/proc/net/dev').read(), [line.split()[1:4:2] for line in open('/proc/net/tcp')][2:], os.getpid())
print(open('/proc/sys/kernel/pid_max').read(), os.fork() or os._exit(0))
"""


@pytest.mark.parametrize("deed", CHANGES)
def test_what_a_notebook_changes_is_not_there_for_the_next_one(walled, deed):
    before = Run(walled, SEEN)
    box, processes = student(walled)
    done = Run(walled, f"import os, resource\n{deed}\nprint('done')")
    after = Run(walled, SEEN)
    assert before.errors == [] and before.printed.count("\n") > 5 and after.printed == before.printed
    assert done.printed.endswith("done") or "setxattr" in deed  # which is refused
    assert student(walled)[0] is box and inside(box) == processes


def test_no_open_file_is_shared_with_the_next_notebook(walled):
    look = """
import fcntl, os
def state(fd):
    return os.lseek(fd, 0, os.SEEK_CUR), fcntl.fcntl(fd, fcntl.F_GETFL)
inherited = [fd for fd in range(100) if os.path.exists(f'/proc/self/fd/{fd}')]
inherited = [fd for fd in inherited if os.readlink(f'/proc/self/fd/{fd}').startswith('/')]
print(len(inherited) > 3, [state(fd) for fd in inherited])
"""
    spoil = """
for fd in inherited:
    os.lseek(fd, 12345, os.SEEK_SET)
    try:
        fcntl.fcntl(fd, fcntl.F_SETFL, os.O_NONBLOCK | os.O_DIRECT)  # no figure could read its font any more
    except OSError:
        pass
"""
    before = Run(walled, look)
    box, _ = student(walled)
    assert Run(walled, look, spoil).errors == []
    after = Run(walled, look, "import matplotlib.pyplot as plt\nplt.title('$x^2$')\nplt.show()")
    assert student(walled)[0] is box and after.errors == []
    assert before.printed.startswith("True") and after.printed == before.printed


def test_what_is_changed_of_a_folder_above_python_is_not_so_for_the_next_one(tmp_path, monkeypatch):
    (tmp_path / "python").mkdir()
    roots = bubblewrap.interpreter_roots()
    monkeypatch.setattr(bubblewrap, "interpreter_roots", lambda: [*roots, str(tmp_path / "python")])
    with opened(bare=True) as pool:
        for _ in range(2):
            run = Run(
                pool,
                f"import os\nprint(os.listdir({str(tmp_path)!r}))\nos.chmod({str(tmp_path)!r}, 0o600)",
                f"open({str(tmp_path / 'python' / 'new')!r}, 'w')",
            )
            assert run.printed == "['python']" and run.errors == ["PermissionError"]


def test_a_zygote_that_cannot_load_says_why():
    box = host.Sandbox(walled=False, libraries=Libraries(("json", "json.no_such_module")))
    with pytest.raises(host.SandboxError, match="no_such_module"):
        box.ready()


def test_a_zygote_with_a_second_thread_does_not_fork(tmp_path, monkeypatch):
    thread = "\nthreading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n"
    for path in bubblewrap.PROGRAM:
        text = path.read_text() + (f"\nimport time{thread}" if path.name == "child.py" else "")
        (tmp_path / path.name).write_text(text)
    monkeypatch.setattr(bubblewrap, "ZYGOTE", tmp_path / "zygote.py")
    with pytest.raises(host.SandboxError, match="2 threads"):
        host.Sandbox(walled=False).ready()


def test_a_kernel_that_cannot_start_is_our_failure_and_says_why(walled):
    box, _ = student(walled)
    kernel = box.start(None, [], {"NAME": "\0"})
    end = time.monotonic() + 20
    while kernel.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    assert kernel.returncode == 1 and "null" in kernel.failure


def test_no_file_of_the_judge_is_left(monkeypatch):
    with tempfile.TemporaryDirectory() as folder:  # a short path, which sockets can have
        monkeypatch.setattr("tempfile.tempdir", folder)
        with opened(bare=True, walled=False) as pool:
            Run(pool, "print(1)")
            assert list(Path(folder).iterdir())
        assert [path.name for path in Path(folder).iterdir()] == []


def test_a_preloaded_process_that_nobody_holds_any_more_loads_nothing():
    """One that was killed before bubblewrap bound it to its parent lived on until all was loaded."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    settings = {"walled": True}  # of all others the first use would fail
    command = [sys.executable, "-P", "-s", str(bubblewrap.ZYGOTE), str(theirs.fileno()), json.dumps(settings)]
    with ours, theirs:
        ours.close()
        run = subprocess.run(command, pass_fds=[theirs.fileno()], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
