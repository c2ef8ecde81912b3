"""Which control group of Linux, if any, the system has delegated to this process: looking changes nothing.

Only in such a group may a program make others. Linux's rules are in its Documentation/admin-guide/cgroup-v2.rst,
systemd's in its CGROUP_DELEGATION.md.
"""

import contextlib
import os
import subprocess
from pathlib import Path, PurePosixPath

from grading.sandbox import machine

OWN = "grading"  # the name of the group, below the delegated one, that graders move themselves to
CONTROLLERS = ("cpu", "memory", "pids")
MARKS = ("user.delegate", "trusted.delegate")  # of the machine's systemd; an ordinary user sees only the first
ASK = "systemctl --user show --property=Delegate --value --".split()  # a user's own systemd sets no marks
ASK_LIMIT_S = 5.0
SYSTEMD = Path("/run/systemd/system")  # is there where systemd runs the machine, and so owns its groups
PROC = Path("/proc/self")


def delegated() -> Path | None:
    """The group that this process may divide, as a folder; None if there is none.

    systemd says so, or it is the root of a container's groups, or the machine's root and no systemd owns it.
    """
    found = _own()
    if found is None:
        return None
    path, group = found
    needed = (group, group / "cgroup.procs", group / "cgroup.subtree_control")
    if not all(os.access(each, os.W_OK) for each in needed) or not controllers(group):
        return None
    if is_machines_root(group):
        return group if os.geteuid() == 0 and not SYSTEMD.exists() else None
    if machine.text(group / "cgroup.type").strip() != "domain":
        return None
    return group if path == PurePosixPath("/") or _is_marked(group) or _is_units(group) else None


def is_machines_root(group: Path) -> bool:
    """Whether a group has none above it; then it may hold processes and hand its controllers down, too."""
    return not (group / "cgroup.type").exists()


def controllers(group: Path) -> list[str]:
    """Those of the controllers that sandboxes need which a group has."""
    return [name for name in machine.text(group / "cgroup.controllers").split() if name in CONTROLLERS]


def _own() -> tuple[PurePosixPath, Path] | None:
    """This process's group, by its path from the root that the process sees, and as a folder.

    If a grader has moved this process into the group OWN, its parent.
    """
    lines = machine.text(PROC / "cgroup").split("\n")
    path = next((PurePosixPath(line.removeprefix("0::")) for line in lines if line.startswith("0::")), None)
    if path is None:
        return None
    path = path.parent if path.name == OWN else path
    for line in machine.text(PROC / "mountinfo").split("\n"):
        before, _, after = line.partition(" - ")
        if after.split(" ")[0] == "cgroup2":
            root, place = before.split(" ")[3:5]
            if path.is_relative_to(root):
                return path, Path(place) / path.relative_to(root)
    return None


def _is_marked(group: Path) -> bool:
    for name in MARKS:
        with contextlib.suppress(OSError):  # it is not there, or not for this user
            if os.getxattr(group, name) == b"1":
                return True
    return False


def _is_units(group: Path) -> bool:
    """Whether the user's own systemd delegates this group to its unit."""
    if group.suffix not in (".scope", ".service") or not SYSTEMD.exists():
        return False
    try:
        said = subprocess.run([*ASK, group.name], capture_output=True, text=True, timeout=ASK_LIMIT_S).stdout
    except (OSError, subprocess.TimeoutExpired):
        return False
    return said.strip() == "yes"
