"""Where bubblewrap is refused: each case is told apart and has its cure, without a machine of its kind.

The words are bubblewrap's own, and those of setpriv and unshare, as they were seen or reported (docs/walls.md).
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from attention.course import COURSE
from dev import course_copy, installation
from dev.__main__ import main
from dev.packages import REPOSITORY
from grading.classroom import inputs, worker
from grading.sandbox import bubblewrap, concealed, machine, remedies
from grading.sandbox.machine import APPARMOR, CLONE, MAXIMUM, Machine
from grading.sandbox.refusal import NO_PROC, REFUSED, Cause, container
from grading.sandbox.remedies import explain
from grading.submission import bundle

DEBIAN = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n'
UBUNTU = 'PRETTY_NAME="Ubuntu 24.04.1 LTS"\nID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n'
SUSE = 'NAME="openSUSE Tumbleweed"\nID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n'
ROCKY = 'NAME="Rocky Linux"\nID="rocky"\nID_LIKE="rhel centos fedora"\n'
FREE, FILTERED = (f"Name:\tpython\nNoNewPrivs:\t0\nSeccomp:\t{n}\nSeccomp_filters:\t1\n" for n in "02")
CREATING = (
    "bwrap: No permissions to creating new namespace, likely because the kernel does not allow non-privileged user "
    "namespaces. On e.g. debian this can be enabled with 'sysctl kernel.unprivileged_userns_clone=1'.\n"
)
CREATING_DEBIAN = (
    "bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user "
    "namespaces. See <https://deb.li/bubblewrap> or <file:///usr/share/doc/bubblewrap/README.Debian.gz>.\n"
)
LOOPBACK = "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted\n"
UID_MAP = "bwrap: setting up uid map: Permission denied\n"
DENIED = "bwrap: Creating new namespace failed: Permission denied\n"
SLAVE = "bwrap: Failed to make / slave: Permission denied\n"
TMPFS = "bwrap: Failed to mount tmpfs: Permission denied\n"
HOSTNAME = "bwrap: Can't set hostname to student: Operation not permitted\n"
PROC, PROC_NEW = (
    f"bwrap: Can't mount proc on {path}: Operation not permitted\n" for path in ("/newroot/proc", "/proc")
)
ENOSPC = "bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)\n"
EINVAL = (
    "bwrap: Creating new namespace failed, likely because the kernel does not support user namespaces.  bwrap must be "
    "installed setuid on such systems.\n"
)

PLAIN = Machine(kernel="6.1.0-37-amd64", release=DEBIAN, settings={MAXIMUM: "127000"}, status=FREE)
NOBLE = replace(PLAIN, release=UBUNTU, settings={APPARMOR: "1", CLONE: "1", MAXIMUM: "255645"}, label="unconfined")
DOCKER = replace(PLAIN, status=FILTERED, traces=frozenset({"/.dockerenv"}), root=True)
PODMAN = replace(DOCKER, traces=frozenset({"/run/.containerenv"}))
POD = replace(DOCKER, environment={"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, traces=frozenset())
ON_NOBLE = replace(DOCKER, settings=NOBLE.settings, label="docker-default (enforce)")
UNCONFINED_ON_NOBLE = replace(ON_NOBLE, label="unconfined", status=FREE)
LXC = replace(PLAIN, manager="lxc")
SELINUX = replace(PODMAN, label="system_u:system_r:container_t:s0:c1,c2", status=FREE)
WSL = replace(PLAIN, kernel="4.4.0-19041-Microsoft", release=UBUNTU, environment={"WSL_DISTRO_NAME": "Ubuntu"})
SETUID = replace(PLAIN, setuid=True, bwrap="/opt/bin/bwrap")

DOCKER_FLAGS = (
    "--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined"
)
PODMAN_FLAGS = "--security-opt seccomp=unconfined --security-opt unmask=ALL --security-opt label=disable"
LOAD = "sudo apparmor_parser --replace /etc/apparmor.d/grading-bwrap"
ON_HOST = "sudo install -m 644 COPY-OF/grading-bwrap /etc/apparmor.d/grading-bwrap"
CASES = {  # the machine, bubblewrap's words, the cause, and what must stand in the message
    "ubuntu-24.04": (NOBLE, LOOPBACK, Cause.RESERVED, [f"sudo install -m 644 {remedies.PROFILE} ", LOAD]),
    "ubuntu-24.04-without-a-network-of-its-own": (NOBLE, UID_MAP, Cause.RESERVED, [LOAD]),
    "ubuntu-23.10": (NOBLE, DENIED, Cause.RESERVED, [LOAD]),
    "ubuntu-with-other-words": (NOBLE, CREATING, Cause.RESERVED, [LOAD]),
    "ubuntu-as-root": (replace(NOBLE, root=True), LOOPBACK, Cause.RESERVED, [LOAD]),
    "ubuntu-with-some-other-trouble": (NOBLE, PROC, Cause.MASKED_PROC, []),
    "docker": (DOCKER, CREATING_DEBIAN, Cause.SECCOMP, ["(docker)", DOCKER_FLAGS]),
    "docker-as-a-user": (replace(DOCKER, root=False), CREATING, Cause.SECCOMP, [DOCKER_FLAGS]),
    "docker-without-its-filter": (replace(DOCKER, status=FREE), PROC, Cause.MASKED_PROC, [DOCKER_FLAGS]),
    "docker-without-its-filter-newer": (replace(DOCKER, status=FREE), PROC_NEW, Cause.MASKED_PROC, [DOCKER_FLAGS]),
    "docker-on-ubuntu": (ON_NOBLE, CREATING_DEBIAN, Cause.SECCOMP, [DOCKER_FLAGS, ON_HOST, LOAD]),
    "docker-on-ubuntu-without-its-filter": (
        replace(ON_NOBLE, status=FREE),
        DENIED,
        Cause.CONFINED,
        [DOCKER_FLAGS, ON_HOST],
    ),
    "docker-on-ubuntu-with-all-flags": (UNCONFINED_ON_NOBLE, LOOPBACK, Cause.RESERVED, ["host", ON_HOST, LOAD]),
    "docker-with-its-apparmor-profile": (
        replace(DOCKER, status=FREE, label="docker-default (enforce)"),
        SLAVE,
        Cause.CONFINED,
        [DOCKER_FLAGS],
    ),
    "docker-whose-profile-has-no-name-here": (DOCKER, SLAVE, Cause.CONFINED, [DOCKER_FLAGS]),
    "docker-with-some-other-trouble": (DOCKER, "bwrap: Can't find source path /x", Cause.OTHER, []),
    "a-profile-outside-of-containers": (replace(PLAIN, status=FILTERED), SLAVE, Cause.OTHER, ["/ slave"]),
    "docker-rootless": (
        replace(DOCKER, status=FREE),
        "setpriv: setresuid failed: Invalid argument\n",
        Cause.FEW_USERS,
        [],
    ),
    "docker-in-a-folder-of-roots": (
        DOCKER,
        "unshare: unshare failed: Operation not permitted\n",
        Cause.NO_MOUNT,
        ["/srv"],
    ),
    "docker-with-a-python-that-root-alone-may-read": (
        DOCKER,
        "bwrap: execvp /srv/my course/.venv/bin/python: Permission denied\n",
        Cause.CLOSED,
        ["chmod -R go+rX '/srv/my course/.venv'"],
    ),
    "podman": (PODMAN, HOSTNAME, Cause.SECCOMP, ["(podman)", PODMAN_FLAGS]),
    "podman-rootless": (PODMAN, "setpriv: setresgid failed: Invalid argument", Cause.FEW_USERS, ["keep-id"]),
    "podman-with-apparmor": (
        replace(PODMAN, label="containers-default-0.50.1 (enforce)"),
        HOSTNAME,
        Cause.SECCOMP,
        [f"{PODMAN_FLAGS} --security-opt apparmor=unconfined"],
    ),
    "podman-with-selinux": (SELINUX, TMPFS, Cause.CONFINED, [PODMAN_FLAGS]),
    "kubernetes": (POD, CREATING, Cause.SECCOMP, ["procMount: Unmasked", "hostUsers: false"]),
    "kubernetes-without-a-filter": (replace(POD, status=FREE), PROC, Cause.MASKED_PROC, ["procMount: Unmasked"]),
    "ubuntu-with-its-own-profile": (
        NOBLE,
        "namespaces: no new namespaces: unshare: Operation not permitted",
        Cause.RIGHTS_TAKEN,
        ["--remove /etc/apparmor.d/bwrap-userns-restrict", LOAD],
    ),
    "docker-that-takes-rights": (
        DOCKER,
        "namespaces: mount at /tmp: Permission denied",
        Cause.CONFINED,
        [DOCKER_FLAGS],
    ),
    "docker-with-half-a-proc": (
        DOCKER,
        "namespaces: mount at /proc: Operation not permitted",
        Cause.MASKED_PROC,
        [DOCKER_FLAGS],
    ),
    "lxc": (LXC, PROC, Cause.MASKED_PROC, ["security.nesting true"]),
    "a-container-of-another-kind": (
        replace(DOCKER, traces=frozenset(), manager="systemd-nspawn"),
        CREATING,
        Cause.SECCOMP,
        ["(systemd-nspawn)", "mount /proc"],
    ),
    "debian-10": (
        replace(PLAIN, settings={CLONE: "0", MAXIMUM: "1"}),
        CREATING,
        Cause.ROOT_ALONE,
        [f"echo {CLONE}=1 |"],
    ),
    "debian-10-newer-words": (
        replace(PLAIN, settings={CLONE: "0"}),
        "bwrap: Creating new namespace failed: Operation not permitted",
        Cause.ROOT_ALONE,
        ["sysctl --system"],
    ),
    "debian-10-seen-from-a-container": (
        replace(DOCKER, settings={CLONE: "0"}),
        CREATING,
        Cause.ROOT_ALONE,
        ["On the container's host"],
    ),
    "rhel-7": (replace(PLAIN, settings={MAXIMUM: "0"}), ENOSPC, Cause.NONE_ALLOWED, [f"echo {MAXIMUM}=15000 |"]),
    "in-another-sandbox": (PLAIN, ENOSPC, Cause.NO_MORE, ["outside"]),
    "one-is-too-few": (
        replace(PLAIN, settings={MAXIMUM: "1"}),
        "bwrap: unshare user ns: No space left on device\n",
        Cause.NO_MORE,
        [MAXIMUM],
    ),
    "a-kernel-without": (PLAIN, EINVAL, Cause.NOT_IN_KERNEL, ["CONFIG_USER_NS"]),
    "wsl-1": (WSL, EINVAL, Cause.WSL_1, ["wsl --set-version Ubuntu 2"]),
    "wsl-2": (replace(WSL, kernel="5.15.153.1-microsoft-standard-WSL2"), CREATING, Cause.OTHER, []),
    "a-systemd-service-or-a-snap": (replace(PLAIN, status=FILTERED), CREATING, Cause.SECCOMP, ["RestrictNamespaces="]),
    "ubuntu-22.04": (
        replace(PLAIN, release=UBUNTU),
        "bwrap: Unknown option --disable-userns\n",
        Cause.TOO_OLD,
        ["v0.11.1"],
    ),
    "setuid": (
        SETUID,
        "bwrap: The --size option is not permitted in setuid mode\n",
        Cause.SETUID,
        ["u-s /opt/bin/bwrap"],
    ),
    "setuid-0.12": (SETUID, "bwrap: setuid use of bubblewrap is not supported", Cause.SETUID, ["chmod u-s"]),
    "missing": (replace(PLAIN, bwrap=None), "", Cause.NOT_INSTALLED, ["sudo apt-get install bubblewrap"]),
    "missing-for-root": (replace(DOCKER, bwrap=None), "", Cause.NOT_INSTALLED, ["    apt-get install bubblewrap"]),
    "missing-on-suse": (replace(PLAIN, bwrap=None, release=SUSE), "", Cause.NOT_INSTALLED, ["sudo zypper install"]),
    "missing-on-rocky": (replace(PLAIN, bwrap=None, release=ROCKY), "", Cause.NOT_INSTALLED, ["sudo dnf install"]),
    "missing-on-wsl-1": (replace(WSL, bwrap=None), "", Cause.WSL_1, ["PowerShell"]),
    "macos": (Machine(system="Darwin", bwrap=None), "", Cause.NOT_LINUX, ["macOS", DOCKER_FLAGS]),
    "windows": (Machine(system="Windows", bwrap=None), "", Cause.NOT_LINUX, ["wsl --install"]),
    "a-chroot": (PLAIN, CREATING, Cause.OTHER, ["No permissions to creating"]),
    "no-setpriv": (PLAIN, "[Errno 2] No such file or directory: 'setpriv'", Cause.OTHER, ["'setpriv'"]),
    "silence": (PLAIN, "", Cause.OTHER, ["nothing"]),
    "words-of-tomorrow": (
        PLAIN,
        "warning: x\nbwrap: Something else\n\n",
        Cause.OTHER,
        ["says: bwrap: Something else."],
    ),
}
STATUS = {  # with which our own program ends, where bubblewrap could start it
    "ubuntu-with-its-own-profile": REFUSED,
    "docker-that-takes-rights": REFUSED,
    "docker-with-half-a-proc": NO_PROC,
}
every_case = pytest.mark.parametrize("name", CASES)


@every_case
def test_a_case_is_told_apart_and_has_its_cure(name: str):
    seen, words, cause, wanted = CASES[name]
    refusal = explain(seen, words, STATUS.get(name, 1))
    assert refusal.cause is cause
    assert [text for text in wanted if text not in str(refusal)] == []


@every_case
def test_the_message_begins_with_one_line_and_ends_with_the_last_resort(name: str):
    seen, words, cause, _ = CASES[name]
    refusal = explain(seen, words, STATUS.get(name, 1))
    first, *commands, last = str(refusal).splitlines()
    assert first.endswith(":" if commands else ".") and len(first) < 400
    assert commands == [f"    {command}" for command in refusal.commands]
    assert last.startswith("docs/walls.md says more.")
    assert ('sandbox = "none"' in last) == (cause is not Cause.NOT_LINUX)
    assert "none" not in first and not any('"none"' in command for command in commands)
    assert "\n" not in refusal.line and refusal.line.endswith(".") and refusal.line[:60] == first[:60]


def test_every_cause_is_among_the_cases():
    assert {cause for _, _, cause, _ in CASES.values()} == set(Cause)


def test_only_what_was_seen_is_blamed():
    """The same words, and one fact more or less."""
    assert explain(replace(NOBLE, settings={APPARMOR: "0"}), LOOPBACK).cause is Cause.OTHER
    assert explain(replace(DOCKER, status=FREE), CREATING).cause is Cause.OTHER
    assert explain(replace(PLAIN, settings={CLONE: "1"}), CREATING).cause is Cause.OTHER
    assert explain(replace(PLAIN, setuid=False), "bwrap: --x is not permitted in setuid mode").cause is Cause.OTHER


@pytest.mark.parametrize(
    ("seen", "kind"),
    [
        (PLAIN, ""),
        (DOCKER, "docker"),
        (PODMAN, "podman"),
        (replace(DOCKER, environment={"KUBERNETES_SERVICE_HOST": "10.0.0.1"}), "kubernetes"),
        (replace(PLAIN, environment={"container": "oci"}), "oci"),
        (LXC, "lxc"),
    ],
)
def test_the_kind_of_a_container(seen: Machine, kind: str):
    assert container(seen) == kind


DOCUMENTED = (
    "ubuntu-24.04 docker podman lxc docker-rootless podman-rootless debian-10 rhel-7 ubuntu-22.04 windows macos"
)


@pytest.mark.parametrize("name", DOCUMENTED.split())
def test_the_documentation_has_the_same_commands(name: str):
    page = (REPOSITORY / "docs" / "walls.md").read_text(encoding="utf-8").replace("\\\n", " ")
    seen, words, *_ = CASES[name]
    for command in explain(seen, words, STATUS.get(name, 1)).commands:
        documented = command.replace(str(remedies.PROFILE), "docs/walls/grading-bwrap").removesuffix(" …")
        assert documented in " ".join(page.split())


def test_the_documentation_has_the_same_settings_for_a_pod():
    page = (REPOSITORY / "docs" / "walls.md").read_text(encoding="utf-8")
    settings = re.findall(r"[a-zA-Z]+: (?:\{type: \w+\}|\w+)", remedies.STARTING["kubernetes"])
    assert len(settings) == 5 and [each for each in settings if each not in page] == []


# --- the profile for AppArmor


def test_the_profile_is_for_bubblewrap_wherever_it_is_looked_for():
    text = remedies.PROFILE.read_text(encoding="utf-8")
    (attached,) = re.findall(r"(?m)^profile grading-bwrap (\S+) flags=\(unconfined\) \{$", text)
    first, choices, last = re.fullmatch(r"(/)\{(.*)\}(.*)", attached).groups()
    paths = {first + choice + last for choice in choices.split(",")}
    assert paths == {f"{folder}/bwrap" for folder in bubblewrap.SEARCH.split(":") if not folder.endswith("sbin")}
    assert re.search(r"(?m)^  userns,$", text)


def test_the_profile_is_one_that_apparmor_reads():
    parser = shutil.which("apparmor_parser", path=f"{bubblewrap.SEARCH}:/sbin")
    if parser is None or not Path("/etc/apparmor.d/abi/4.0").exists():
        pytest.skip("AppArmor 4 is not installed here")
    command = [parser, "--skip-kernel-load", "--skip-cache", remedies.PROFILE]
    assert subprocess.run(command, capture_output=True, text=True, check=False).returncode == 0


# --- this machine


def test_what_is_read_is_what_the_files_hold(monkeypatch: pytest.MonkeyPatch):
    files = {
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n",
        "/proc/sys/user/max_user_namespaces": "127000\n",
        "/etc/os-release": UBUNTU,
        "/proc/self/attr/current": "docker-default (enforce)\n",
        "/proc/self/status": FILTERED,
        "/run/systemd/container": "docker\n",
    }
    monkeypatch.setattr(machine, "text", lambda path: files.get(path, ""))
    monkeypatch.setenv("WSL_DISTRO_NAME", "Ubuntu")
    seen = machine.look(bubblewrap.SEARCH)
    assert seen.settings == {APPARMOR: "1", MAXIMUM: "127000"}
    assert (seen.release, seen.status, seen.manager) == (UBUNTU, FILTERED, "docker")
    assert seen.label == "docker-default (enforce)"
    assert seen.environment["WSL_DISTRO_NAME"] == "Ubuntu"
    assert seen.root == (os.geteuid() == 0)


def test_a_file_that_cannot_be_read_is_as_one_that_is_not_there(tmp_path: Path):
    assert machine.text(str(tmp_path)) == machine.text(str(tmp_path / "nowhere")) == ""
    assert machine.look(str(tmp_path)).bwrap is None


@pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap needs Linux")
@pytest.mark.parametrize(
    ("outer", "cause"),
    [
        ("--proc /proc --unshare-user --disable-userns", Cause.NO_MORE),
        ("--proc /proc --dev-bind /dev/null /proc/cmdline", Cause.MASKED_PROC),
    ],
    ids=["no-more", "masked-proc"],
)
def test_the_bubblewrap_of_this_machine_says_what_is_expected_of_it(outer: str, cause: Cause):
    user = ["setpriv", "--reuid=1000", "--regid=1000", "--clear-groups", "--inh-caps=-all", "--"]
    around = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", *outer.split()]
    within = "bwrap --unshare-all --ro-bind / / --proc /proc true".split()
    command = [*(user if os.geteuid() == 0 else []), *around, "--", *within]
    ran = subprocess.run(command, env={"PATH": bubblewrap.SEARCH}, capture_output=True, text=True, check=False)
    assert ran.returncode and explain(replace(PLAIN, settings={MAXIMUM: "9"}), ran.stderr).cause is cause


# --- where it is said


def test_the_command_says_why_and_what_to_do_and_grades_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    refusal = explain(NOBLE, LOOPBACK)
    monkeypatch.setattr(bubblewrap, "available", lambda: refusal)
    monkeypatch.setattr(installation, "bubblewrap", lambda: None)
    assert main(["demo"]) == 1
    assert capsys.readouterr().err == f"demo: {refusal}\n"


def test_a_worker_that_cannot_wall_student_code_in_says_so_in_a_line(monkeypatch: pytest.MonkeyPatch):
    refusal = explain(POD, CREATING)
    monkeypatch.setattr(bubblewrap, "available", lambda: refusal)
    given = inputs.Inputs(b"", course_copy.CONFIGURED, "", inputs.current_program(COURSE, ()), "")
    result = worker.grade(given, bundle.Submission("anna", ()), {})
    assert result.error.endswith(refusal.line) and "\n" not in result.error and result.after is None


def test_a_python_in_a_folder_that_holds_the_course_too_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    course, below = tmp_path / "course", tmp_path / "course" / "venv"  # a course that lies elsewhere than this file
    below.mkdir(parents=True)
    (course / concealed.CONFIGURATION).touch()
    for folder in (REPOSITORY, REPOSITORY.parent, REPOSITORY / "grading", course):
        monkeypatch.setattr(sys, "prefix", str(folder))
        with pytest.raises(ValueError, match="which holds more than Python"):
            bubblewrap.interpreter_roots()
    monkeypatch.setattr(sys, "prefix", str(REPOSITORY / ".venv"))
    assert str(REPOSITORY / ".venv") in bubblewrap.interpreter_roots()
    monkeypatch.setattr(sys, "prefix", str(below))
    assert str(below) in bubblewrap.interpreter_roots()
