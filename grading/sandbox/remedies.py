"""What a user reads where bubblewrap is refused: what is wrong, what to do, and the commands that do it.

docs/walls.md has the same cures with their reasons.
"""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from grading.sandbox.machine import APPARMOR, CLONE, MAXIMUM, Machine
from grading.sandbox.refusal import CLOSED_PYTHON, Cause, cause, container, is_reserved

PROFILE = Path(__file__).resolve().parents[2] / "docs" / "walls" / "grading-bwrap"
MORE = "docs/walls.md says more."
LAST_RESORT = 'To go on without walls, for submissions you trust: c.Judge.sandbox = "none" in nbgrader_config.py.'

BUILDING = (
    "git clone --branch v0.11.1 https://github.com/containers/bubblewrap",
    "cd bubblewrap && meson setup --prefix=/usr/local build && sudo meson install -C build",
)
INSTALLING = {  # by what /etc/os-release says of the distribution
    "debian": "apt-get install bubblewrap",
    "fedora": "dnf install bubblewrap",
    "rhel": "dnf install bubblewrap",
    "arch": "pacman -S bubblewrap",
    "suse": "zypper install bubblewrap",
    "alpine": "apk add bubblewrap",
}
STARTING = {  # by the kind of container: all at once, because one obstacle hides the next
    "docker": "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
    "--security-opt systempaths=unconfined …",
    "podman": "podman run --security-opt seccomp=unconfined --security-opt unmask=ALL --security-opt label=disable …",
    "kubernetes": "hostUsers: false, and securityContext: {runAsUser: 1000, procMount: Unmasked, "
    "seccompProfile: {type: Unconfined}, appArmorProfile: {type: Unconfined}}",
    "lxc": "lxc config set NAME security.nesting true",
}
# What is wrong and what to do, where that is the same on every machine.
ALWAYS = {
    Cause.TOO_OLD: (
        "The walls need bubblewrap 0.8 or newer, and this one is older. Build a newer one:",
        *BUILDING,
    ),
    Cause.NO_MORE: (
        "No more user namespaces may be made here, as is usual within another sandbox. "
        f"Start grading outside of it, or raise {MAXIMUM}.",
    ),
    Cause.NOT_IN_KERNEL: (
        "This kernel has no user namespaces, and a setuid bubblewrap doesn't help. "
        "Grade with another kernel (CONFIG_USER_NS=y), or in a virtual machine.",
    ),
    Cause.NO_MOUNT: (
        "Python lies where only root may enter, and root may not mount it elsewhere here. "
        "Move it to where all may enter, such as /srv, or grade as an ordinary user.",
    ),
}
OUTSIDE = (  # of any container
    "What started this process forbids user namespaces by a seccomp filter. Start grading from a plain "
    "terminal: not in a snap, a Flatpak, or a systemd service with RestrictNamespaces=."
)
RESTRICTED = (  # Ubuntu's own profile: it gives bubblewrap user namespaces, but what runs in them no capability
    "sudo ln -sf /etc/apparmor.d/bwrap-userns-restrict /etc/apparmor.d/disable/",
    "sudo apparmor_parser --remove /etc/apparmor.d/bwrap-userns-restrict",
)
ORDINARY = {  # and how its processes are an ordinary user's
    "docker": "docker run --user 1000:1000 …",
    "podman": "podman run --userns keep-id …",
    "kubernetes": "securityContext: {runAsUser: 1000, runAsGroup: 1000}",
}


@dataclass(frozen=True)
class Refusal:
    """Why there can be no walls: the cause, what is wrong and what to do in a sentence or two, and the commands."""

    cause: Cause
    said: str
    commands: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """All of it in one line, where there is room for one only."""
        return f"{self.said[:-1]}, as docs/walls.md says." if self.commands else self.said

    def __str__(self) -> str:
        last = MORE if self.cause is Cause.NOT_LINUX else f"{MORE} {LAST_RESORT}"
        return "\n".join([self.said, *(f"    {command}" for command in self.commands), last])


def explain(machine: Machine, words: str = "", status: int = 1) -> Refusal:
    """Why bubblewrap, which wrote `words` on standard error and ended so, is refused on a machine, and what to do."""
    last = next((line.strip() for line in reversed(words.splitlines()) if line.strip()), "")
    found = cause(machine, last, status)
    said, *commands = _cure(found, machine, last)
    return Refusal(found, said, tuple(commands))


def _cure(found: Cause, machine: Machine, words: str) -> list[str]:
    """What is wrong and what to do, and the commands."""
    inside = container(machine)
    allow = "On the container's host, allow" if inside else "Allow"
    match found:
        case Cause.NOT_LINUX:
            return _elsewhere(machine.system)
        case Cause.WSL_1:
            said = "WSL 1 has no namespaces, so nothing can wall student code in. Change to WSL 2, in PowerShell:"
            name = machine.environment.get("WSL_DISTRO_NAME", "NAME")
            return [said, "wsl --list --verbose", f"wsl --set-version {name} 2"]
        case Cause.NOT_INSTALLED:
            return ["bubblewrap, which walls student code in, is not installed. Install it:", _installing(machine)]
        case Cause.TOO_OLD | Cause.NO_MORE | Cause.NOT_IN_KERNEL | Cause.NO_MOUNT:
            return [*ALWAYS[found]]
        case Cause.SETUID:
            said = "This bubblewrap is setuid root, and then refuses options that the walls need. Take the bit away:"
            return [said, f"sudo chmod u-s {machine.bwrap}"]
        case Cause.RESERVED:
            said = f"AppArmor reserves user namespaces ({APPARMOR} = 1, as on Ubuntu since 23.10)."
            return [f"{said} {allow} them to bubblewrap alone:", *_loading(inside)]
        case Cause.ROOT_ALONE:
            return [f"Only root may make user namespaces ({CLONE} = 0). {allow} them:", *_setting(f"{CLONE}=1")]
        case Cause.NONE_ALLOWED:
            return [f"Nobody may make user namespaces ({MAXIMUM} = 0). {allow} them:", *_setting(f"{MAXIMUM}=15000")]
        case Cause.SECCOMP if not inside:
            return [OUTSIDE]
        case Cause.SECCOMP | Cause.MASKED_PROC | Cause.CONFINED:
            return _starting(found, machine)
        case Cause.RIGHTS_TAKEN:
            said = "bubblewrap works, but a security profile takes away the rights needed to give each notebook walls"
            said += " of its own. On Ubuntu, replace that profile with the course's:"
            return [said, *RESTRICTED, *_loading("")]
        case Cause.FEW_USERS:
            said = "Root of this container may not become the user whom the walls need. Grade as an ordinary user:"
            return [said, ORDINARY.get(inside, ORDINARY["docker"])]
        case Cause.CLOSED:
            said = "Root grades, so student code runs as another user, who may not read this Python. Open it to all:"
            return [said, f"chmod -R go+rX {shlex.quote(CLOSED_PYTHON.search(words)[1])}"]
        case Cause.OTHER:
            said = f"bubblewrap does not work here, and says: {words or 'nothing'}."
            return [f"{said} docs/walls.md lists what may be wrong."]
        case _:
            assert_never(found)


def _installing(machine: Machine) -> str:
    fields = dict(line.split("=", 1) for line in machine.release.splitlines() if "=" in line)
    words = f"{fields.get('ID', '')} {fields.get('ID_LIKE', '')}".replace('"', " ").replace("'", " ").split()
    command = INSTALLING[next((word for word in words if word in INSTALLING), "debian")]
    return command if machine.root else f"sudo {command}"


def _loading(inside: str) -> list[str]:
    """How AppArmor gets the profile; a container's host needs a copy of the file first."""
    source, target = f"COPY-OF/{PROFILE.name}" if inside else PROFILE, f"/etc/apparmor.d/{PROFILE.name}"
    return [f"sudo install -m 644 {source} {target}", f"sudo apparmor_parser --replace {target}"]


def _setting(value: str) -> list[str]:
    return [f"echo {value} | sudo tee -a /etc/sysctl.d/60-bubblewrap.conf", "sudo sysctl --system"]


def _starting(found: Cause, machine: Machine) -> list[str]:
    """How a container must be started so that bubblewrap works in it."""
    inside = container(machine)
    said = f"This container ({inside or 'of an unknown kind'}) stops bubblewrap, by {found.value}."
    if inside not in STARTING:
        return [f"{said} Start it so that it may make user namespaces, and mount /proc and others in them."]
    start = STARTING[inside]
    if inside == "podman" and machine.label.endswith("(enforce)"):
        start = start.replace("…", "--security-opt apparmor=unconfined …")
    if is_reserved(machine):
        return [f"{said} Start it like this, and load the profile on its host:", start, *_loading(inside)]
    return [f"{said} Start it like this:", start]


def _elsewhere(system: str) -> list[str]:
    needed = "Student code is walled in with bubblewrap, which needs Linux"
    if system == "Windows":
        return [f"{needed}. Grade in WSL 2; to get it, in PowerShell as administrator:", "wsl --install"]
    name = {"Darwin": "macOS"}.get(system, system)
    said = f"{needed}, and this is {name}. Grade in a container, on a copy of the repository:"
    start = STARTING["docker"].replace("…", '-it -v "$PWD:/srv/course" -w /srv/course python:3.13 make demo')
    return [said, "git clone . ../course-in-linux && cd ../course-in-linux", start]
