"""What a kernel gets of its notebook's folder: its regular files, all of them, or somebody hears that it doesn't."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dev.packages import REPOSITORY
from grading.sandbox import notebook_folder, sandbox_limits

# Where the judge finds room for so many more files, a kernel is asked for; one more may wait already, forked ahead.
FULL = """
import os, resource, sys
from pathlib import Path
from grading.sandbox import host
folder, free, ahead = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "ahead"
box = host.Sandbox(walled=False)
try:
    if ahead:
        first = box.start(None, [], {})
        box.fork_ahead()
        first.stop()
        assert box.answers()
    box.ready()
    top = max(map(int, os.listdir("/proc/self/fd")))
    resource.setrlimit(resource.RLIMIT_NOFILE, (top + 1, top + 1))
    held = []
    try:
        while True:
            held.append(os.dup(0))
    except OSError:
        for fd in held[len(held) - free :]:
            os.close(fd)
    box.start(folder, [], {})
    print("started")
except host.SandboxError as error:
    print(error)
finally:
    box.close()
"""


def test_only_regular_files_of_the_folder_are_copied(tmp_path: Path):
    (tmp_path / "data" / "deep").mkdir(parents=True)
    (tmp_path / "data" / "deep" / "x.csv").write_text("1,2")
    (tmp_path / "link").symlink_to("/etc/hostname")
    os.mkfifo(tmp_path / "pipe")
    found = notebook_folder.opened(tmp_path, sandbox_limits.Limits())
    assert {path: os.read(fd, 9) for path, fd in found} == {"data/deep/x.csv": b"1,2"}


@pytest.mark.parametrize("place", ["", "data"])
def test_a_folder_is_read_whole_or_not_at_all(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "x.csv").write_text("1,2")

    def full(path: str, *_: object) -> None:
        raise OSError(24, "Too many open files", path)

    monkeypatch.setattr(os, "open" if place else "scandir", full)
    with pytest.raises(OSError, match="Too many open files"):
        list(notebook_folder.opened(tmp_path, sandbox_limits.Limits()))


@pytest.mark.parametrize(
    ("free", "ahead", "found"),
    [
        (0, "", "The sandbox does not answer: [Errno 24] Too many open files"),
        (5, "", "The sandbox does not answer: [Errno 24] Too many open files"),
        (0, "ahead", "The sandbox does not answer: [Errno 24] this process may open no more files"),
        (1, "ahead", "started"),
    ],
)
def test_a_judge_that_may_open_no_more_files_has_no_sandbox_and_blames_no_student(
    free: int, ahead: str, found: str, tmp_path: Path
):
    (tmp_path / "x.csv").write_text("1,2")
    command = [sys.executable, "-c", FULL, tmp_path, str(free), ahead]
    run = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert run.stdout.startswith(found) and not run.stderr, run.stdout + run.stderr
