"""Which control groups of Linux, if any, this process may make others in: looking changes nothing.

Of the newer kind that is one group, which the system has delegated. Linux's rules are in its
Documentation/admin-guide/cgroup-v2.rst, systemd's in its CGROUP_DELEGATION.md. Of the older kind, cgroup-v1/, it is one
for each controller, of root on a machine that no systemd runs: there a group may hold processes and other groups.
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


def groups() -> list[Path]:
    """The groups in which this process may make others, as folders: a delegated one, or root's own; [] for none."""
    group = delegated()
    return [group] if group is not None else _older()


def delegated() -> Path | None:
    """The group of the newer kind that this process may divide; None if there is none.

    systemd says so, or it is the root of a container's groups, or the machine's root and no systemd owns it.
    """
    found = _own("", "cgroup2")
    if found is None:
        return None
    path, group = found
    if path.name == OWN:  # a grader has moved this process there
        path, group = path.parent, group.parent
    needed = (group, group / "cgroup.procs", group / "cgroup.subtree_control")
    if not all(os.access(each, os.W_OK) for each in needed) or not controllers(group):
        return None
    if is_machines_root(group):
        return group if os.geteuid() == 0 and not SYSTEMD.exists() else None
    if machine.text(group / "cgroup.type").strip() != "domain":
        return None
    return group if path == PurePosixPath("/") or _is_marked(group) or _is_units(group) else None


def is_machines_root(group: Path) -> bool:
    """Whether a group has none above it; such a group may hold processes and still hand its controllers down."""
    return not (group / "cgroup.type").exists()


def controllers(group: Path) -> list[str]:
    """The controllers that sandboxes need and this group has."""
    return [name for name in machine.text(group / "cgroup.controllers").split() if name in CONTROLLERS]


def _older() -> list[Path]:
    """Root's own groups of the older kind, one for each controller that is there."""
    if os.geteuid() != 0 or SYSTEMD.exists():
        return []
    found = [own[1] for own in (_own(name, "cgroup") for name in CONTROLLERS) if own is not None]
    return [group for group in dict.fromkeys(found) if os.access(group, os.W_OK)]


def _own(controller: str, kind: str) -> tuple[PurePosixPath, Path] | None:
    """This process's group, by its path from the root that the process sees, and as a folder.

    `kind` is that of the file system, "cgroup2", or of the older kind "cgroup", which has a tree for each controller.
    """
    path = None
    for line in machine.text(PROC / "cgroup").split("\n"):
        _, _, rest = line.partition(":")
        names, _, name = rest.partition(":")
        if name and controller in names.split(","):
            path = PurePosixPath(name)
    for line in machine.text(PROC / "mountinfo").split("\n") if path else ():
        before, _, after = line.partition(" - ")
        words = after.split(" ")
        if words[0] == kind and (not controller or controller in words[-1].split(",")):
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
