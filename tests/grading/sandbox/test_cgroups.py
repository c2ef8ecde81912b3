"""Control groups: who may make some, what is written there and when; and, where there are some, that they hold.

A made-up folder stands for Linux's own. The tests below REAL need groups of the older kind, which root has where no
systemd runs, or a delegated one, as in

    systemd-run --user --scope -p Delegate=yes .venv/bin/python -m pytest tests/grading/sandbox/test_cgroups.py
"""

import errno
import fcntl
import functools
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from kernel_runs import Run, alive, inside, opened, student

from dev.packages import REPOSITORY
from grading.core.limits import EndedBy
from grading.sandbox import cgroups, delegation, host, machine, sandbox_limits

MB = 2**20
GRANTED = sandbox_limits.Limits(memory_bytes=600 * MB, scratch_bytes=30 * MB, shared_bytes=2 * MB, processes=40)
GRANTED_MB = 600 + 30 + 2 + 512  # what Linux may charge to a notebook then
MADE = {  # files of a new group, by what hands them down
    "": {"cgroup.type": "domain", "cgroup.procs": "", "cgroup.subtree_control": "", "cgroup.kill": ""},
    "cpu": {"cpu.weight": "100"},
    "pids": {"pids.max": "max"},
    "memory": {"memory.max": "max", "memory.swap.max": "max", "memory.oom.group": "0", "memory.events": ""},
}


class Tree:
    """A folder in the place of Linux's control groups, with `procs` in the one that this process seems to be in."""

    def __init__(self, place: Path, controllers: str = "cpuset cpu io memory pids") -> None:
        self.place, self.log, self.gone, self.late = place, [], set(), []
        self.group = place / "scope"
        place.mkdir()
        self.group.mkdir()
        self._fill(self.group, controllers)
        (self.group / "cgroup.procs").write_bytes(b"7\n8\n")

    def _fill(self, group: Path, controllers: str) -> None:
        for name in ("", *controllers.split()):
            for file, text in MADE.get(name, {}).items():
                if not (group / file).exists():
                    (group / file).write_bytes(text.encode())
        (group / "cgroup.controllers").write_bytes(controllers.encode())

    def mkdir(self, group: Path, exist_ok: bool = False) -> None:
        if group.exists() and exist_ok:
            return
        os.mkdir(group)
        handed = [word.strip("+") for word in (group.parent / "cgroup.subtree_control").read_text().split()]
        self._fill(group, " ".join(handed))
        self.log.append(f"make {self.name(group)}")

    def write(self, file: Path, text: str) -> None:
        self.log.append(f"{self.name(file)} {text}")
        if file.name == "cgroup.procs":
            self.move(text, file)
        elif file.name == "cgroup.kill":
            [each.write_bytes(b"") for each in file.parent.rglob("cgroup.procs")]
        else:
            procs = (file.parent / "cgroup.procs").read_text()
            if file.name == "cgroup.subtree_control" and procs and (file.parent / "cgroup.type").exists():
                raise OSError(errno.EBUSY, "processes")
            file.write_bytes(text.encode())
            if file.name == "cgroup.subtree_control":
                [self._fill(each, text.replace("+", "")) for each in file.parent.iterdir() if each.is_dir()]

    def move(self, pid: str, to: Path) -> None:
        for procs in self.place.rglob("cgroup.procs"):
            procs.write_bytes("".join(f"{one}\n" for one in procs.read_text().split() if one != pid).encode())
        if pid in self.gone:
            raise ProcessLookupError(errno.ESRCH, "gone")
        to.write_bytes(f"{to.read_text()}{pid}\n".encode())
        if self.late:  # started by what has just been moved
            (self.group / "cgroup.procs").write_bytes(f"{self.late.pop()}\n".encode())

    def rmdir(self, group: Path) -> None:
        self.log.append(f"remove {self.name(group)}")
        if (group / "cgroup.procs").read_text() or any(entry.is_dir() for entry in group.iterdir()):
            raise OSError(errno.EBUSY, "in use")
        [file.unlink() for file in group.iterdir()]
        os.rmdir(group)

    def name(self, path: Path) -> str:
        """A path below the group, with SANDBOX for the name that was drawn."""
        parts = path.relative_to(self.group).parts
        return "/".join("SANDBOX" if part.startswith(cgroups.SANDBOX) else part for part in parts) or "."

    def procs(self, name: str) -> list[str]:
        return (self.group / name / "cgroup.procs").read_text().split()


@pytest.fixture
def tree(tmp_path, monkeypatch):
    made = Tree(tmp_path / "fs")
    monkeypatch.setattr(Path, "mkdir", lambda path, **options: made.mkdir(path, **options))
    monkeypatch.setattr(Path, "rmdir", lambda path: made.rmdir(path))
    monkeypatch.setattr(Path, "write_text", lambda path, text: made.write(path, text))
    monkeypatch.setattr(delegation, "PROC", tmp_path)
    os.symlink("/proc/self/fdinfo", tmp_path / "fdinfo")
    monkeypatch.setattr(delegation, "SYSTEMD", tmp_path / "no-systemd")
    monkeypatch.setattr(cgroups, "REMOVE_LIMIT_S", 0.02)
    monkeypatch.setattr(os, "getpriority", lambda *_: 0)
    seem(tmp_path, "/user.slice/scope", f"{made.place}", "/user.slice")
    mark(monkeypatch, {"user.delegate": b"1"})
    cgroups._homes.cache_clear()
    yield made
    cgroups._homes.cache_clear()


def seem(proc: Path, path: str, place: str, root: str) -> None:
    """Has /proc say that this process is in a group, of a file system whose `root` is mounted at `place`."""
    (proc / "cgroup").write_bytes(f"1:cpu:/old\n0::{path}\n".encode())
    mounts = ["22 1 0:20 / /proc rw - proc proc rw", "30 1 0:26 /other /mnt/other rw - cgroup2 cgroup2 rw"]
    mounts.append(f"31 1 0:26 {root} {place} rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate")
    (proc / "mountinfo").write_bytes("\n".join(mounts).encode())


def mark(monkeypatch, marks: dict[str, bytes]) -> None:
    """Gives every group these extended attributes."""

    def getxattr(_: Path, name: str) -> bytes:
        if name not in marks:
            raise OSError(errno.ENODATA, "no such attribute")
        return marks[name]

    monkeypatch.setattr(os, "getxattr", getxattr)


def bare(tree: Tree, monkeypatch) -> None:
    """The machine's root: it has no type."""
    mark(monkeypatch, {})
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    (tree.group / "cgroup.type").unlink()
    seem(delegation.PROC, "/", str(tree.group), "/")


@pytest.mark.parametrize("name", ["user.delegate", "trusted.delegate"])
def test_a_group_that_systemd_marks_is_delegated(tree, monkeypatch, name):
    mark(monkeypatch, {name: b"1"})
    assert delegation.delegated() == tree.group


@pytest.mark.parametrize(
    ("answer", "is_ours"), [("echo yes", True), ("echo no", False), ("exit 1", False), ("", False)]
)
def test_a_unit_of_a_users_own_systemd_is_delegated_if_that_says_so(tree, monkeypatch, answer, is_ours):
    mark(monkeypatch, {})
    unit = tree.group.rename(tree.place / "run-1.scope")
    seem(delegation.PROC, "/user.slice/run-1.scope", str(tree.place), "/user.slice")
    monkeypatch.setattr(delegation, "SYSTEMD", tree.place)
    monkeypatch.setattr(
        delegation, "ASK", ["sh", "-c", f'test "$0" = run-1.scope && {answer}'] if answer else ["nowhere"]
    )
    assert delegation.delegated() == (unit if is_ours else None)
    monkeypatch.setattr(delegation, "SYSTEMD", tree.place / "nowhere")
    assert delegation.delegated() is None


def test_the_root_of_a_containers_groups_is_delegated(tree, monkeypatch):
    mark(monkeypatch, {})
    seem(delegation.PROC, "/", str(tree.group), "/")
    assert delegation.delegated() == tree.group


def test_the_machines_root_is_delegated_to_root_where_no_systemd_owns_it(tree, monkeypatch):
    bare(tree, monkeypatch)
    assert delegation.delegated() == tree.group
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert delegation.delegated() is None
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(delegation, "SYSTEMD", tree.place)
    assert delegation.delegated() is None


@pytest.fixture
def older(tmp_path, monkeypatch) -> list[Path]:
    """Groups of the older kind, of root on a machine that no systemd runs; `cpu` shares its tree with another one."""
    places = {"cpu,cpuacct": "/", "memory": "/jobs/7", "pids": "/"}
    lines = [f"{n}:{names}:{path}" for n, (names, path) in enumerate(places.items(), 2)]
    (tmp_path / "cgroup").write_text("\n".join([*lines, "1:name=systemd:/", "0::/", ""]))
    mounts = [
        f"{n} 1 0:{n} / {tmp_path}/{names} rw shared:4 - cgroup cgroup rw,{names}" for n, names in enumerate(places)
    ]
    mounts.append(f"40 1 0:40 / {tmp_path}/unified rw - cgroup2 cgroup2 rw")
    (tmp_path / "mountinfo").write_text("\n".join(mounts))
    groups = [Path(f"{tmp_path}/{names}{path}") for names, path in places.items()]
    for group in (*groups, tmp_path / "unified"):
        group.mkdir(parents=True)
    monkeypatch.setattr(delegation, "PROC", tmp_path)
    monkeypatch.setattr(delegation, "SYSTEMD", tmp_path / "no-systemd")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return groups


def test_root_makes_groups_of_the_older_kind_below_its_own_where_no_systemd_runs(older, tmp_path, monkeypatch):
    assert delegation.delegated() is None and delegation.groups() == older
    monkeypatch.setattr(delegation, "SYSTEMD", tmp_path)
    assert delegation.groups() == []
    monkeypatch.undo()
    monkeypatch.setattr(delegation, "PROC", tmp_path)
    monkeypatch.setattr(delegation, "SYSTEMD", tmp_path / "no-systemd")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert delegation.groups() == []


def test_of_the_older_kind_those_that_cannot_be_written_are_left_out(older, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, _: path != older[1])
    assert delegation.groups() == [older[0], older[2]]


def test_a_sandbox_has_a_group_in_each_tree_of_the_older_kind(older, monkeypatch):
    cgroups._homes.cache_clear()
    group = cgroups.around(GRANTED)
    made = [next(home.glob(f"{cgroups.SANDBOX}*")) for home in older]
    assert len({folder.name for folder in made}) == 1 and all((folder / "zygote").is_dir() for folder in made)
    start = group.inside(["true", "--", "x"])
    assert start[4:] == [*(f"{folder}/zygote/cgroup.procs" for folder in made), "--", "true", "--", "x"]
    group.close()
    assert not any(folder.exists() for folder in made)
    cgroups._homes.cache_clear()


def without(tree, monkeypatch, what: str) -> None:
    """Takes away one thing that a delegated group has."""
    match what:
        case "mark":
            mark(monkeypatch, {})
        case "a mark that says yes":
            mark(monkeypatch, {"user.delegate": b"0"})
        case "version 2":
            (delegation.PROC / "cgroup").write_bytes(b"1:cpu:/user.slice/scope\n")
        case "mount":
            (delegation.PROC / "mountinfo").write_bytes(b"22 1 0:20 / /proc rw - proc proc rw\n")
        case "a mount that shows it":
            seem(delegation.PROC, "/user.slice/scope", str(tree.place), "/system.slice")
        case "proc":
            monkeypatch.setattr(delegation, "PROC", tree.place / "nowhere")
        case "controllers":
            (tree.group / "cgroup.controllers").write_bytes(b"cpuset io")
        case "a type that may be divided":
            (tree.group / "cgroup.type").write_bytes(b"threaded\n")
        case _:  # a file that may be written
            monkeypatch.setattr(os, "access", lambda path, _: path != tree.group / what)


@pytest.mark.parametrize(
    "what",
    [
        "mark",
        "a mark that says yes",
        "version 2",
        "mount",
        "a mount that shows it",
        "proc",
        "controllers",
        "a type that may be divided",
        "",
        "cgroup.procs",
        "cgroup.subtree_control",
    ],
)
def test_without_any_one_thing_nothing_is_delegated_and_nothing_written(tree, monkeypatch, capfd, what):
    without(tree, monkeypatch, what)
    group = cgroups.around(GRANTED)
    assert group.inside(["true"]) == ["true"]
    with open(os.devnull) as file:
        group.enter(os.dup(file.fileno()))
    assert group.leave() is False
    group.close()
    assert tree.log == [] and capfd.readouterr() == ("", "")


def test_the_graders_own_processes_go_into_a_leaf_before_the_controllers_are_handed_down(tree):
    cgroups.around(GRANTED).close()
    assert tree.log[:6] == [
        "make grading",
        "grading/cgroup.procs 7",
        "grading/cgroup.procs 8",
        "cgroup.subtree_control +cpu +memory +pids",
        "grading/cpu.weight 10000",
        "make SANDBOX",
    ]


def test_a_process_that_goes_or_comes_meanwhile_is_no_error(tree):
    tree.gone, tree.late = {"7"}, ["9"]
    cgroups.around(GRANTED).close()
    assert tree.procs("grading") == ["8", "9"] and tree.procs(".") == []


def test_where_a_process_cannot_be_moved_nothing_more_is_done(tree, monkeypatch):
    monkeypatch.setattr(Tree, "move", lambda *_: None)
    assert cgroups.around(GRANTED).inside(["true"]) == ["true"]
    assert not list(tree.group.glob(f"{cgroups.SANDBOX}*"))


def test_the_machines_root_keeps_its_processes(tree, monkeypatch):
    bare(tree, monkeypatch)
    cgroups.around(GRANTED).close()
    assert tree.log[:2] == ["cgroup.subtree_control +cpu +memory +pids", "make SANDBOX"]
    assert tree.procs(".") == ["7", "8"]


def test_a_grader_that_another_one_has_moved_finds_the_same_group(tree):
    seem(delegation.PROC, "/user.slice/scope/grading", str(tree.place), "/user.slice")
    assert delegation.delegated() == tree.group


def test_a_new_sandbox_has_a_share_a_number_of_processes_and_a_leaf_for_its_zygote(tree):
    group = cgroups.around(GRANTED)
    begun = tree.log.index("make SANDBOX")
    assert tree.log[begun:] == [
        "make SANDBOX",
        "SANDBOX/cpu.weight 100",
        "SANDBOX/pids.max 104",
        "SANDBOX/cgroup.subtree_control +cpu +memory +pids",
        "make SANDBOX/zygote",
    ]
    (folder,) = tree.group.glob(f"{cgroups.SANDBOX}*")
    ran = subprocess.run(group.inside(["sh", "-c", "echo $$"]), capture_output=True, text=True, check=True)
    assert (folder / "zygote" / "cgroup.procs").read_text() == ran.stdout
    group.close()
    assert not folder.exists()


@pytest.mark.parametrize(("niceness", "shares"), [(0, (100, 1024)), (10, (11, 110)), (19, (2, 15)), (-5, (305, 3125))])
def test_a_sandbox_has_no_larger_share_than_a_grader_that_nice_started(tree, monkeypatch, niceness, shares):
    monkeypatch.setattr(os, "getpriority", lambda *_: niceness)
    group = cgroups.around(GRANTED)
    assert f"SANDBOX/cpu.weight {shares[0]}" in tree.log
    assert cgroups._shares()["cpu.shares"] == shares[1]
    group.close()


def test_only_the_controllers_that_are_there_are_used(tree):
    (tree.group / "cgroup.controllers").write_bytes(b"pids")
    group = cgroups.around(GRANTED)
    group.enter(os.pidfd_open(os.getpid()))
    assert [line for line in tree.log if "memory" in line or "cpu" in line] == []
    assert "SANDBOX/notebook/pids.max 40" in tree.log
    group.leave()
    group.close()


def test_a_notebook_is_bounded_before_its_process_is_moved_and_killed_before_its_group_goes(tree):
    group = cgroups.around(GRANTED)
    del tree.log[:]
    with subprocess.Popen(["sleep", "60"]) as process:
        group.enter(pidfd := os.pidfd_open(process.pid))
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(pidfd)
        assert tree.log == [
            "make SANDBOX/notebook",
            f"SANDBOX/notebook/memory.max {GRANTED_MB * MB}",
            "SANDBOX/notebook/memory.swap.max 0",
            "SANDBOX/notebook/memory.oom.group 1",
            "SANDBOX/notebook/pids.max 40",
            f"SANDBOX/notebook/cgroup.procs {process.pid}",
        ]
        del tree.log[:]
        assert group.leave() is False
        assert tree.log == ["SANDBOX/notebook/cgroup.kill 1", "remove SANDBOX/notebook"]
        process.kill()
    group.close()


def test_a_notebook_whose_process_has_gone_moves_nobody(tree):
    group = cgroups.around(GRANTED)
    process = subprocess.Popen(["true"])
    pidfd = os.pidfd_open(process.pid)
    process.wait()
    group.enter(pidfd)
    assert tree.procs(f"{group._folders[0].name}/notebook") == []
    group.close()


@pytest.mark.parametrize(
    ("events", "ended"),
    [
        ("low 0\nhigh 0\nmax 9\noom 1\noom_kill 4\noom_group_kill 1\n", True),
        ("max 9\noom 0\noom_kill 1\noom_group_kill 1\n", False),  # the whole machine's memory has run out
        ("max 9\noom 1\noom_kill 0\n", False),  # an allocation failed, and nobody was killed
        ("max 9\n", False),
    ],
)
def test_a_notebook_ends_for_memory_only_if_its_own_limit_was_reached_and_killed_it(tree, events, ended):
    group = cgroups.around(GRANTED)
    group.enter(os.pidfd_open(os.getpid()))
    (group._folders[0] / "notebook" / "memory.events").write_bytes(events.encode())
    assert group.leave() is ended
    group.close()


@pytest.mark.parametrize(
    ("kills", "most_mb", "ended"), [(1, GRANTED_MB, True), (0, GRANTED_MB, False), (1, GRANTED_MB - 9, False)]
)
def test_of_the_older_kind_what_was_used_tells_whether_the_limit_was_reached(tree, kills, most_mb, ended):
    group = cgroups.around(GRANTED)
    group.enter(os.pidfd_open(os.getpid()))
    notebook = group._folders[0] / "notebook"
    (notebook / "memory.events").unlink()
    (notebook / "memory.oom_control").write_bytes(f"oom_kill_disable 0\nunder_oom 0\noom_kill {kills}\n".encode())
    (notebook / "memory.max_usage_in_bytes").write_bytes(f"{most_mb * MB}\n".encode())
    assert group.leave() is ended
    group.close()


@pytest.mark.parametrize("refused", ["notebook", "memory.max", "fdinfo"])
def test_a_notebook_whose_group_is_refused_runs_under_the_other_limits_and_the_log_says_so(
    tree, monkeypatch, caplog, refused
):
    group, mkdir, write, text = cgroups.around(GRANTED), tree.mkdir, tree.write, machine.text

    def refuse(usual: Callable, path: Path, *given: object, **options: object) -> None:
        if path.name == refused:
            raise OSError(errno.ENOSPC, "no room")
        usual(path, *given, **options)

    monkeypatch.setattr(tree, "mkdir", functools.partial(refuse, mkdir))
    monkeypatch.setattr(tree, "write", functools.partial(refuse, write))
    monkeypatch.setattr(machine, "text", lambda path: "" if refused in str(path) else text(path))
    group.enter(os.pidfd_open(os.getpid()))
    (line,) = caplog.messages
    assert line.startswith("Linux refuses") and group.leave() is False
    assert not (group._folders[0] / "notebook").exists()


def test_what_is_left_of_a_notebooks_group_is_not_the_next_ones_fault(tree, caplog):
    group = cgroups.around(GRANTED)
    left = group._folders[0] / "notebook"
    left.mkdir()
    (left / "memory.events").write_bytes(b"oom 1\noom_kill 1\n")
    group.enter(os.pidfd_open(os.getpid()))
    assert len(caplog.messages) == 1 and group.leave() is False
    group.close()


def test_a_group_that_another_grader_never_unlocks_is_not_waited_for_for_ever(tree, monkeypatch, caplog):
    monkeypatch.setattr(cgroups, "LOCK_LIMIT_S", 0.1)
    lock = os.open(tree.group, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    assert cgroups.around(GRANTED).inside(["true"]) == ["true"]
    os.close(lock)
    assert len(caplog.messages) == 1 and caplog.messages[0].startswith("Linux refuses")


def test_what_a_crashed_run_has_left_goes_and_what_another_grader_uses_stays(tree):
    used = cgroups.around(GRANTED)
    left, others = tree.group / f"{cgroups.SANDBOX}{16 * '0'}", tree.group / f"{cgroups.SANDBOX}lab"
    others.mkdir()  # somebody else's, whose name begins alike
    left.mkdir()
    (left / "zygote").mkdir()
    (left / "zygote" / "cgroup.procs").write_bytes(b"9\n")
    cgroups._homes.cache_clear()  # as another process
    cgroups.around(GRANTED).close()
    assert not left.exists() and used._folders[0].exists()
    used.close()
    assert sorted(entry.name for entry in tree.group.iterdir() if entry.is_dir()) == ["grading", others.name]


def test_what_cannot_be_killed_at_once_is_left_to_the_next_run(tree, monkeypatch):
    group = cgroups.around(GRANTED)
    folder = group._folders[0]
    (folder / "cgroup.kill").unlink()  # an older Linux
    (folder / "zygote" / "cgroup.procs").write_bytes(b"9\n")
    group.close()
    assert folder.exists()
    (folder / "zygote" / "cgroup.procs").write_bytes(b"")
    cgroups._homes.cache_clear()
    cgroups.around(GRANTED).close()
    assert not folder.exists()


# REAL

real = pytest.mark.skipif(not delegation.groups(), reason="there are no control groups for this process")
TIGHT = sandbox_limits.Limits(memory_bytes=500 * MB, scratch_bytes=450 * MB, shared_bytes=4 * MB)
# Linux charges what lies in files in memory to the group, and to no process.
FILL = "for name in 'abcd': open(name, 'wb').write(bytes(100 * 2**20))\nimport time\ntime.sleep(100)"
NEIGHBOUR = f"""
import sys
sys.path[:0] = [{str(REPOSITORY)!r}, {str(REPOSITORY / "tests/support")!r}]
from kernel_runs import Run, opened, student
with opened(bare=True) as pool:
    student(pool)
    print("up", flush=True)
    print(Run(pool, "import time\\nbefore = time.time()", "time.sleep(10)", "print('here')").printed)
"""


def groups_of(processes: set[int]) -> list[Path]:
    """The groups of those sandboxes that have one of these processes; other tests grade at the same time."""
    found = [group for home in delegation.groups() for group in home.glob(f"{cgroups.SANDBOX}*")]
    return [group for group in found if processes & in_group(group)]


def in_group(group: Path) -> set[int]:
    """The processes of a group and of those below it; none of one that has just gone."""
    texts = [machine.text(file) for file in (group / "zygote/cgroup.procs", group / "notebook/cgroup.procs")]
    return {int(pid) for text in texts for pid in text.split()}


@real
def test_a_notebook_that_takes_memory_of_no_process_ends_for_memory_and_its_neighbour_does_not(monkeypatch):
    monkeypatch.setattr(cgroups, "ROOM_BYTES", -650 * MB)  # 304 MB in all, below what the watch allows
    with (
        subprocess.Popen([sys.executable, "-c", NEIGHBOUR], stdout=subprocess.PIPE, text=True) as neighbour,
        opened(bare=True, granted=TIGHT) as pool,
    ):
        assert neighbour.stdout.readline() == "up\n"
        box, before = student(pool)
        ended = []
        leave = cgroups.Group.leave
        monkeypatch.setattr(cgroups.Group, "leave", lambda group: ended.append(leave(group)) or ended[-1])
        run = Run(pool, FILL, "print('after')")
        assert run.died and run.struck is EndedBy.MEMORY and run.printed == "" and ended == [True]
        assert inside(box) == before
        assert Run(pool, "print('next')").printed == "next"
        assert neighbour.stdout.read() == "here\n"


@real
def test_a_notebook_has_no_more_processes_than_its_group_may_have(monkeypatch):
    monkeypatch.setattr(host.Sandbox, "_rlimits", lambda _: {})  # this wall alone
    count = "import os, time\nfor n in range(60):\n    if os.fork() == 0: time.sleep(60)"
    with opened(bare=True, granted=replace(TIGHT, processes=40)) as pool:
        run = Run(pool, count, "print(n)")
        assert run.errors == ["BlockingIOError"] and 20 < int(run.printed) < 40
        assert Run(pool, "print('next')").printed == "next"


@real
def test_each_process_is_in_its_group_and_none_is_left_after_the_notebook_nor_a_group_at_the_end():
    with opened(bare=True, granted=TIGHT) as pool:
        box, preloaded = student(pool)
        groups = groups_of(preloaded)
        kernel = box.start(None, [], {})
        for group in groups:
            (pid,) = (group / "notebook" / "cgroup.procs").read_text().split()
            assert in_group(group) - {int(pid)} == preloaded and in_group(group) == inside(box)
        names = "memory.max", "memory.limit_in_bytes", "memory.memsw.limit_in_bytes"
        limits = [group / "notebook" / name for group in groups for name in names]
        written = {limit.read_text() for limit in limits if limit.exists()}
        assert written == {f"{(500 + 450 + 4 + 512) * MB}\n"}
        kernel.stop()
        assert groups and not any((group / "notebook").exists() for group in groups)
    assert not any(group.exists() for group in groups)


@real
def test_what_a_killed_grader_leaves_is_removed_by_the_next_one():
    with subprocess.Popen([sys.executable, "-c", NEIGHBOUR], stdout=subprocess.PIPE, text=True) as grader:
        grader.stdout.readline()
        processes = {process.pid for process in psutil.Process(grader.pid).children(recursive=True)}
        left = groups_of(processes)
        grader.kill()
    assert left and not alive(processes)
    cgroups._homes.cache_clear()
    with opened(bare=True) as pool:
        assert Run(pool, "print('next')").printed == "next"
    assert not any(group.exists() for group in left)
