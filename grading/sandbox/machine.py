"""What of a machine decides whether bubblewrap can work on it: read here, judged in `refusal`."""

import os
import platform
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

APPARMOR = "kernel.apparmor_restrict_unprivileged_userns"  # 1: only programs with a profile of their own may
CLONE = "kernel.unprivileged_userns_clone"  # 0: only root may (Debian until 10, hardened kernels)
MAXIMUM = "user.max_user_namespaces"  # 0: nobody may
SETTINGS = (APPARMOR, CLONE, MAXIMUM)
# Files that tell which kind of container this is, in the order in which they are believed.
TRACES = {
    "/var/run/secrets/kubernetes.io": "kubernetes",
    "/run/.containerenv": "podman",
    "/.dockerenv": "docker",
    "/dev/lxd/sock": "lxc",
}
MANAGER = "/run/systemd/container"  # where systemd notes what it runs in
LABELS = ("/proc/self/attr/apparmor/current", "/proc/self/attr/current")
NAMES = ("KUBERNETES_SERVICE_HOST", "WSL_DISTRO_NAME", "container")


@dataclass(frozen=True)
class Machine:
    """What was found, as text, unjudged; the defaults are those of a Linux on which nothing is special.

    kernel      its release, as `uname -r` prints it
    release     /etc/os-release
    settings    the kernel's, as `sysctl` names them; one that this kernel lacks is not there
    label       AppArmor's or SELinux's name for this process; empty where neither is at work
    status      /proc/self/status
    traces      those of TRACES that exist
    manager     what systemd says it runs in
    bwrap       the program's path; None if it is not installed
    setuid      whether that program runs as root, whoever starts it
    """

    system: str = "Linux"
    kernel: str = ""
    release: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    label: str = ""
    status: str = ""
    traces: frozenset[str] = frozenset()
    manager: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    bwrap: str | None = "/usr/bin/bwrap"
    setuid: bool = False
    root: bool = False


def look(search: str) -> Machine:
    """This machine; `search` is the path on which bubblewrap is looked for."""
    bwrap = shutil.which("bwrap", path=search)
    settings = {name: text("/proc/sys/" + name.replace(".", "/")).strip() for name in SETTINGS}
    return Machine(
        system=platform.system(),
        kernel=platform.release(),
        release=text("/etc/os-release"),
        settings={name: value for name, value in settings.items() if value},
        label=next(filter(None, (text(path).strip("\0\n ") for path in LABELS)), ""),
        status=text("/proc/self/status"),
        traces=frozenset(path for path in TRACES if os.path.exists(path)),
        manager=text(MANAGER).strip(),
        environment={name: os.environ[name] for name in NAMES if name in os.environ},
        bwrap=bwrap,
        setuid=bwrap is not None and bool(os.stat(bwrap).st_mode & stat.S_ISUID),
        root=hasattr(os, "geteuid") and os.geteuid() == 0,
    )


def text(path: str | Path) -> str:
    """A file's text; empty if there is no such file, or none that this process may read."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
