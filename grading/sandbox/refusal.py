"""What refuses bubblewrap on a machine: told apart by what `machine` found and by bubblewrap's last words.

Nothing is read here. The words are those of bubblewrap 0.8 to 0.12, setpriv and unshare; a program of ours ends with a
status. docs/walls.md says where each case was seen, and `remedies` what helps.
"""

import re
from enum import Enum

from grading.sandbox.machine import APPARMOR, CLONE, MAXIMUM, TRACES, Machine

# Exit statuses of `namespaces`, which tries a notebook's own within bubblewrap's: something is refused, or a new /proc.
REFUSED, NO_PROC = 71, 72
# What bubblewrap says, run by root as another user, of a Python that was installed with a umask such as 077.
CLOSED_PYTHON = re.compile(r"execvp (/.*)/bin/[^/]+: Permission denied")


class Cause(Enum):
    """What refuses bubblewrap."""

    NOT_LINUX = "another system than Linux"
    WSL_1 = "WSL 1"
    NOT_INSTALLED = "bubblewrap is not installed"
    TOO_OLD = "bubblewrap is too old"
    SETUID = "bubblewrap is installed setuid root"
    RESERVED = "AppArmor reserves user namespaces for programs with a profile"
    ROOT_ALONE = "the kernel reserves user namespaces for root"
    NONE_ALLOWED = "the kernel is set to allow no user namespace"
    NO_MORE = "no further user namespace may be made"
    NOT_IN_KERNEL = "the kernel has no user namespaces"
    SECCOMP = "a seccomp filter"
    MASKED_PROC = "a masked /proc"
    CONFINED = "a security profile (AppArmor, SELinux)"
    RIGHTS_TAKEN = "a security profile that takes away what bubblewrap keeps inside"
    FEW_USERS = "root may not become any user"
    NO_MOUNT = "root may not mount"
    CLOSED = "Python is closed to all but root"
    OTHER = "something else"


def container(machine: Machine) -> str:
    """The kind of container that a machine is: docker, podman, kubernetes, lxc, another name; empty if it is none."""
    if "KUBERNETES_SERVICE_HOST" in machine.environment:
        return "kubernetes"
    found = next((kind for path, kind in TRACES.items() if path in machine.traces), "")
    return found or machine.manager or machine.environment.get("container", "")


def is_reserved(machine: Machine) -> bool:
    """Whether AppArmor reserves user namespaces, as Ubuntu sets it since 23.10; a container has its host's setting."""
    return machine.settings.get(APPARMOR) == "1"


def cause(machine: Machine, words: str = "", status: int = 1) -> Cause:
    """What refuses bubblewrap, whose last line on standard error was `words`, or, by its exit status, `namespaces`."""
    if machine.system != "Linux":
        return Cause.NOT_LINUX
    if "microsoft" in machine.kernel.lower() and not re.search("(?i)wsl2|microsoft-standard", machine.kernel):
        return Cause.WSL_1
    if machine.bwrap is None:
        return Cause.NOT_INSTALLED
    if "Unknown option" in words:
        return Cause.TOO_OLD
    if machine.setuid and "setuid" in words:
        return Cause.SETUID
    if words.startswith("setpriv: set"):
        return Cause.FEW_USERS
    if words.startswith(("unshare:", "mount:")):
        return Cause.NO_MOUNT
    if machine.root and CLOSED_PYTHON.search(words):
        return Cause.CLOSED
    if status == NO_PROC:  # here and below the walls stand, and a notebook's own namespaces do not
        return Cause.MASKED_PROC
    if status == REFUSED:
        return Cause.CONFINED if container(machine) else Cause.RIGHTS_TAKEN
    if re.search("ENOSPC|No space left on device", words):
        return Cause.NONE_ALLOWED if machine.settings.get(MAXIMUM) == "0" else Cause.NO_MORE
    if "does not support user namespaces" in words:
        return Cause.NOT_IN_KERNEL
    if "mount proc" in words:
        return Cause.MASKED_PROC
    if re.search("No permissions to creat|not permitted|ermission denied", words):
        return _forbidder(machine, words)
    return Cause.OTHER


def _forbidder(machine: Machine, words: str) -> Cause:
    """What forbids a step: filters and settings do not permit it, security modules deny it."""
    creating = re.search("No permissions to creat|Creating new namespace failed", words) is not None
    denied = "ermission denied" in words
    if creating and not denied and machine.settings.get(CLONE) == "0":
        return Cause.ROOT_ALONE
    if denied and container(machine) and machine.label not in ("", "unconfined"):
        return Cause.CONFINED
    # AppArmor lets the namespace be made and forbids what follows; where a part of its policy is missing, it denies it.
    if is_reserved(machine) and (denied if creating else re.search("loopback|[ug]id map", words)):
        return Cause.RESERVED
    if denied:
        return Cause.CONFINED if container(machine) else Cause.OTHER
    if re.search(r"(?m)^Seccomp:\s*2", machine.status):
        return Cause.SECCOMP
    return Cause.RESERVED if creating and is_reserved(machine) else Cause.OTHER
