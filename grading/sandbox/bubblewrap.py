"""The walls around a student's processes: one command line of bubblewrap, and whether it works on this machine.

Inside there is a read-only minimum of a file system (/usr without what is not the system's, and the Python that runs
this), an empty /tmp of bounded size, no network, no environment, no other process, no way to become another user.
Nothing of the course is there but the file that warms up its libraries, and the package that it releases next to
its notebooks.
"""

import functools
import glob
import json
import os
import platform
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grading.core import limits
from grading.core.course import Libraries
from grading.sandbox import concealed, environment, machine, refusal, remedies, seccomp
from grading.sandbox.remedies import Refusal
from grading.sandbox.sandbox_limits import Limits

ZYGOTE = Path(__file__).with_name("zygote.py")
SHOWN = "zygote packets watch patience processes open_files mappings computing_time supervisor namespaces".split()
SHOWN += "keeper own_limits own_view package_ahead huge_pages gpu_trial shell_commands".split()
SHOWN += "frames kernel_channels cell_names cell_reading child".split()
PROGRAM = tuple(ZYGOTE.with_name(f"{name}.py") for name in SHOWN)
WARMUP, PACKAGE, FILTER = "/run/zygote/warmup.py", "/run/zygote/package", "/run/zygote/filter"
HOME, FOLDER, FONTS = "/tmp/home", "/tmp/submission", "/run/fonts"
HOST_UIDS = range(2_013_265_920, 2_013_331_456)  # used by no system; one a sandbox, when the judge is root

# The file system's outline. Links such as /lib -> usr/lib are made again.
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
SETTINGS = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/fonts")
SETTINGS += ("/etc/localtime", "/etc/mime.types", "/etc/matplotlibrc")

# What CUDA computes with; not what watches other processes' memory there (nvidia-uvm-tools) or drives a screen.
GPU = ("/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia[0-9]*", "/dev/nvidia-caps")

# Without them torch's library cpuinfo knows no processor on aarch64: torch then leaves out its faster ways, and writes
# a warning into a notebook that computes a convolution. Without the last, of which kind each is, each Python that
# imports torch 2.13 writes a line of oneDNN's to standard error, and Arm's library takes the kind from /proc/cpuinfo.
PROCESSORS_AT = Path("/sys/devices/system/cpu")
PROCESSORS = {"aarch64": ("possible", "present", "cpu[0-9]*/regs/identification/midr_el1")}

SEARCH = "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"  # where bwrap, setpriv, unshare and mount are looked for

# As root: makes folders that only root can reach reachable in a mount namespace of its own, then goes on.
STAGE = 'while [ "$1" != -- ]; do mount --rbind "$1" "$2" || exit; shift 2; done; shift; exec "$@"'


@dataclass
class Command:
    """A command line with the file descriptors it reads; `close` once it has been started."""

    argv: list[str]
    env: dict[str, str]
    fds: list[int] = field(default_factory=list)

    def close(self) -> None:
        """Closes this side's copies of the descriptors."""
        for fd in self.fds:
            os.close(fd)


def plain(control: int, base: Path, libraries: Libraries, package: Mapping[str, bytes]) -> Command:
    """The zygote without walls, in a folder on the disk; for submissions that are trusted. `package`: as below."""
    settings = {"walled": False, "folder": f"{base}/submission", "home": f"{base}/home", "base": str(base)}
    settings |= {"fonts": [str(path) for path in font_lists()], "modules": libraries.modules}
    settings["warmup"] = str(libraries.warmup) if libraries.warmup else None
    settings["package"] = str(libraries.package) if package else None
    return Command(_zygote(str(ZYGOTE), control, settings), environment.of_kernel(settings["home"], settings["home"]))


def walled(
    control: int, granted: Limits, gpu: bool, stage: Path, libraries: Libraries, package: Mapping[str, bytes]
) -> Command:
    """The zygote under bubblewrap; `stage` is an empty folder that any user may enter, `package` what is in a course's.

    Errors  OSError, ValueError if this machine has no filter or no Python that can be shown inside.
    """
    data = {f"/run/zygote/{path.name}": path.read_bytes() for path in PROGRAM}
    data |= {f"{FONTS}/{path.name}": path.read_bytes() for path in font_lists()}
    settings = {"walled": True, "folder": FOLDER, "home": HOME, "filter": FILTER, "kept": interpreter_roots()}
    data |= processors()
    data |= {WARMUP: libraries.warmup.read_bytes()} if libraries.warmup else {}
    settings |= {"fonts": [path for path in data if path.startswith(FONTS)], "modules": libraries.modules}
    settings |= {"gpu": gpu, "warmup": WARMUP if libraries.warmup else None}
    shown = (path for path in (*SYSTEM, *SETTINGS) if os.path.isdir(path) and not os.path.islink(path))
    settings["system"] = [*shown, *interpreter_roots()]
    data |= {f"{PACKAGE}/{path}": content for path, content in package.items()}
    settings["package"] = f"{PACKAGE}/{libraries.package.name}" if package else None
    sizes = {"/tmp": granted.scratch_bytes, "/dev/shm": granted.shared_bytes}
    settings["places"] = {path: f"size={size},nr_inodes={granted.files},mode=755" for path, size in sizes.items()}
    of_course = [path.parent for path in (libraries.warmup, libraries.package) if path]
    return bubblewrap(_zygote(f"/run/zygote/{ZYGOTE.name}", control, settings), gpu, stage, data, of_course)


def bubblewrap(
    inside: list[str], gpu: bool, stage: Path, data: dict[str, bytes], of_course: Iterable[Path] = ()
) -> Command:
    """The command `inside` behind the walls, with `data` as read-only files, and the filter for its kernels.

    The folders `of_course` are hidden wherever they lie, as what `concealed` knows.
    It keeps what it needs to fork each kernel into namespaces of its own, and nothing else.
    Errors  OSError if this process may not open so many files; those that it has opened are closed.
    """
    command = Command([], {"PATH": SEARCH})
    try:
        command.argv = _bubblewrap(command.fds, inside, gpu, stage, data, of_course)
    except OSError:
        command.close()
        raise
    return command


def _bubblewrap(
    fds: list[int], inside: list[str], gpu: bool, stage: Path, data: dict[str, bytes], of_course: Iterable[Path]
) -> list[str]:
    def handed(content: bytes) -> str:
        fds.append(os.memfd_create("grading"))
        os.write(fds[-1], content)
        os.lseek(fds[-1], 0, os.SEEK_SET)
        return str(fds[-1])

    # What runs inside is process 1 of its namespace: no process in there can kill or stop it, and none outlives it.
    options = "--unshare-all --unshare-user --disable-userns --as-pid-1".split()
    options += "--die-with-parent --new-session --clearenv".split()
    options += "--uid 1000 --gid 1000 --hostname student".split()
    options += "--cap-drop ALL --cap-add CAP_SYS_ADMIN --cap-add CAP_SETPCAP".split()
    python, staged = _python_alone(stage, of_course)
    options += [*_system(), "--tmpfs", "/tmp", *python]
    options += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/dev/shm"]
    for device in [path for pattern in GPU for path in sorted(glob.glob(pattern))] if gpu else ():
        options += ["--dev-bind-try", device, device]
    for path, content in {**data, FILTER: seccomp.program(gpu=gpu)}.items():
        options += ["--file", handed(content), path]
    for name, value in environment.of_kernel(HOME, "/tmp").items():
        options += ["--setenv", name, value]
    options += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"]
    arguments = handed(b"".join(option.encode() + b"\0" for option in options))  # so that /proc/1/cmdline tells nothing
    argv = ["bwrap", "--args", arguments, "--", *inside]
    if os.geteuid() == 0:  # the limit on processes does not hold for root
        uid = random.choice(HOST_UIDS)
        argv = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--inh-caps=-all", "--", *argv]
    if staged:
        places = [part for pair in staged.items() for part in pair]
        argv = ["unshare", "--mount", "--", "sh", "-c", STAGE, "stage", *places, "--", *argv]
    return argv


def _system() -> list[str]:
    """Options that show the system's programs and libraries."""
    options = []
    for path in SYSTEM:
        if os.path.islink(path):
            options += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            options += ["--ro-bind", path, path]
    for path in SETTINGS:
        options += ["--ro-bind-try", path, path]
    return options


def _python_alone(stage: Path, of_course: Iterable[Path]) -> tuple[list[str], dict[str, str]]:
    """Options that show Python's folders and hide what is `concealed`, and the folders that are `_staged` for that."""
    roots = interpreter_roots()
    hidden = concealed.folders([*SYSTEM, *roots], of_course)
    again = concealed.python_in(hidden)
    real = {root: os.path.realpath(root) for root in [*roots, *again]}
    staged = _staged([root for root in real if root == real[root]], stage)
    # One that is a link, or behind one, is a link again: mounted a second time it would show what is hidden in it.
    python = {
        root: ["--ro-bind", staged.get(root, root), root] if root == leads_to else ["--symlink", leads_to, root]
        for root, leads_to in real.items()
    }
    options = [word for root in roots for word in python[root]]
    options += [word for folder in hidden for word in ("--tmpfs", folder)]
    options += [word for root in again for word in python[root]]
    options += [word for folder in hidden for word in ("--remount-ro", folder)]
    return options, staged


def _staged(roots: list[str], stage: Path) -> dict[str, str]:
    """For each of Python's folders that only root may enter, a new one in `stage` at which it must be mounted."""
    hidden = [root for root in roots if os.geteuid() == 0 and not _reachable(root)]
    places = {root: str(stage / str(n)) for n, root in enumerate(hidden)}
    for place in places.values():
        os.mkdir(place)
    return places


def interpreter_roots() -> list[str]:
    """The folders that make up this Python, outside /usr, the outer before the inner.

    Errors  ValueError if one of them is so wide that it would show more than Python.
    """
    roots: list[str] = []
    for path in sorted(concealed.prefixes(), key=len):
        # Nor a course's folder, or one above this file: notebooks with hidden tests may lie there too.
        shown = any(path == root or concealed.is_below(path, root) for root in ("/usr", *roots))
        wide = Path(path) in (Path.home(), *ZYGOTE.resolve().parents) or len(Path(path).parts) < 3
        if (Path(path) / concealed.CONFIGURATION).exists() or wide and not shown:
            raise ValueError(f"Python lies in {path}, which holds more than Python; use a virtual environment")
        if not shown:
            roots.append(path)
    return roots


def processors(machine: str | None = None, at: Path = PROCESSORS_AT) -> dict[str, bytes]:
    """What a machine's notebooks must read of Linux's list of processors, by path, as it stands in the folder `at`."""
    patterns = PROCESSORS.get(machine or platform.machine(), ())
    paths = [path for pattern in patterns for path in sorted(at.glob(pattern))]
    return {str(PROCESSORS_AT / path.relative_to(at)): path.read_bytes() for path in paths}


def font_lists() -> list[Path]:
    """The lists of fonts that matplotlib has made on this machine, so that no sandbox has to make one."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(os.environ.get("MPLCONFIGDIR") or Path(cache) / "matplotlib")
    return [path for path in folder.glob("fontlist-*.json") if path.is_file()]


@functools.cache
def available() -> Refusal | None:
    """None if the walls stand on this machine, else why not, and what cures it."""
    seen = machine.look(SEARCH)
    if seen.system != "Linux" or seen.bwrap is None:
        return remedies.explain(seen)
    stage = Path(tempfile.mkdtemp(prefix="grading-"))
    stage.chmod(0o711)
    try:
        program = ZYGOTE.with_name("namespaces.py")
        inside = f"/run/zygote/{program.name}"
        tried = [_python(), "-I", "-S", inside, FILTER, str(refusal.REFUSED), str(refusal.NO_PROC)]
        command = bubblewrap(tried, False, stage, {inside: program.read_bytes()})
        run = subprocess.run(
            command.argv,
            env=command.env,
            pass_fds=command.fds,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limits.SANDBOX_LIMIT_S,
        )
        command.close()
    except subprocess.TimeoutExpired:
        return remedies.explain(seen, f"nothing for {limits.SANDBOX_LIMIT_S:g} s")
    except (OSError, ValueError) as error:
        return remedies.explain(seen, str(error))
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    if run.returncode == 0:
        return None
    return remedies.explain(seen, run.stderr or f"exit status {run.returncode}", run.returncode)


def forget_refusal() -> None:
    """Has whoever asks next try once more if the walls were refused: what was missing may be there by then."""
    if available.cache_info().currsize and available() is not None:
        available.cache_clear()


def _python() -> str:
    """This Python by a path that leads through its own folders alone, such as `../.venv/bin/python` does not."""
    return os.path.abspath(sys.executable)


def _zygote(path: str, control: int, settings: dict) -> list[str]:
    # As isolated as with -I, which would ignore PYTHONHASHSEED: this environment is ours alone.
    return [_python(), "-P", "-s", path, str(control), json.dumps(settings)]


def _reachable(path: str) -> bool:
    """Whether any user may enter the folder."""
    return all(parent.stat().st_mode & 0o001 for parent in [Path(path), *Path(path).parents])
