"""Sets up .venv with pinned packages: `python3 -m dev.packages students`, or `grading`, or `tests`.

uv installs them where it is found, otherwise pip. Both install the same versions: a requirements file lists every
package, so nothing is left to resolve (--no-deps). Only what torch brings along differs between its builds, CUDA or
nothing, and requirements-cuda.txt pins that.
"""

import ast
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
VENV = REPOSITORY / ".venv"
FILES = {"students": "requirements.txt", "grading": "requirements-grading.txt", "tests": "requirements-tests.txt"}
CUDA = "requirements-cuda.txt"
REMOVE_LINK = "Remove the link and retry."
OWN_TESTS = r"site-packages[/\\].*[/\\]tests[/\\]"  # where a package has its own
NEWEST = (3, 14)  # torch 2.13.0 is built for no newer Python

# What pip is configured to do, and the variables by which uv does the same.
UV_VARIABLES = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "no-index": "UV_NO_INDEX",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
}


def set_up(who: str) -> None:
    """Installs what `who` needs into .venv, made from scratch if its Python is gone or any of its packages out of date.

    Errors  SystemExit with a line if this account can't use .venv, and with the status of what could not install.
    """
    _refuse_what_is_closed()
    if not (_is_current() and _runs()):
        if VENV.is_symlink():
            said = f".venv is a link to {VENV.resolve()}, where Python doesn't run or packages are out of date."
            sys.exit(f"{said} {REMOVE_LINK}")
        _run([sys.executable, "-m", "venv", "--clear", VENV])
    uv = shutil.which("uv")
    print(f"Installing what {FILES[who]} lists into .venv with {'uv' if uv else 'pip'}.", flush=True)
    if uv is None or not _install_with_uv(uv, who):
        _install_with_pip(who)
    for covered in list(FILES)[: list(FILES).index(who) + 1]:
        _stamp(covered).write_text(_digest(covered))


def uv_environment(pip_settings: str, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment in which uv finds packages where pip does; what it already says of uv stays.

    pip_settings  what `pip config list` prints: a line such as `global.find-links='/a /b'` per setting.
    """
    found: dict[tuple[int, str], str] = {}
    for line in pip_settings.splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.rpartition(".")
        if name in UV_VARIABLES and section in (sections := ("global", "install", ":env:")):
            found[sections.index(section), name] = ast.literal_eval(value)
    # pip separates values by white space, uv by commas where they are folders; of pip's sections the later ones win.
    settings = {name: ("," if name == "find-links" else " ").join(v.split()) for (_, name), v in sorted(found.items())}
    handed_on = {UV_VARIABLES[name]: value for name, value in settings.items()}
    if "extra-index-url" in settings:
        handed_on["UV_INDEX_STRATEGY"] = "unsafe-best-match"  # as pip does: the best version in all indexes
    return handed_on | dict(environment)


def _install_with_uv(uv: str, who: str) -> bool:
    listed = subprocess.run([_python(), "-m", "pip", "config", "list"], capture_output=True, text=True, check=False)
    environment = uv_environment(listed.stdout, os.environ)
    # The walls show .venv read-only, so Python could never keep there what it compiles.
    command = [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", _python()]
    for step in _steps(who):
        if status := subprocess.call([*command, *step], cwd=REPOSITORY, env=environment):
            print(f"uv could not install the packages (exit status {status}), so pip tries.", flush=True)
            return False
    return True


def _install_with_pip(who: str) -> None:
    """As uv does, on all cores: two pips share the list, and what they have unpacked is compiled at the end.

    The packages' own tests are not: nobody runs them, and they are an eighth of all that there is to compile.
    """
    _, brought_by_torch = _steps(who)
    listed = [line.partition(" #")[0] for line in (REPOSITORY / FILES[who]).read_text().splitlines()]
    packages = [line for line in listed if line and line[0].isalnum()]
    pip = [_python(), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    first = subprocess.Popen([*pip, "--no-deps", *packages[::2]], cwd=REPOSITORY)
    second = subprocess.call([*pip, "--no-deps", *packages[1::2]], cwd=REPOSITORY)
    if status := first.wait() or second:
        sys.exit(status)
    _run([*pip, *brought_by_torch])
    # What no Python can read, such as a package's templates, stays as it is: pip passes over it too. And nobody hears
    # what a newer Python thinks of lines in packages: without -W, Python 3.14 writes a screen of it.
    compile_all = [_python(), "-W", "ignore", "-m", "compileall", "-qq", "-j", "0", "-x", OWN_TESTS]
    subprocess.call([*compile_all, VENV / "lib"])


def _steps(who: str) -> list[list[str]]:
    """First the whole lock, then what the build of torch that is there brings along, pinned too."""
    return [["--no-deps", "-r", FILES[who]], ["-c", FILES[who], "torch"]]


def _refuse_what_is_closed() -> None:
    """Ends with a line if this account can't write to .venv, such as to one that root has made."""
    if VENV.is_symlink() and not os.path.exists(VENV):
        sys.exit(f".venv is a link to {os.readlink(VENV)}, which is gone or closed to this account. {REMOVE_LINK}")
    for folder in (VENV, _python().parent) if os.path.lexists(VENV) else (REPOSITORY,):
        try:
            with tempfile.TemporaryFile(dir=folder):
                pass
        except FileNotFoundError:  # a .venv that was never ready: it is made again
            continue
        except OSError as error:
            other = "If it belongs to another account, work in a copy of your own."
            help_ = REMOVE_LINK if VENV.is_symlink() else other
            sys.exit(f"Packages can't be written to {folder}: {error.strerror}. {help_}")


def _runs() -> bool:
    """Whether .venv's Python runs and finds pip: it may be a newer one since, or gone, or another account's."""
    try:
        return subprocess.call([_python(), "-c", "import pip"], stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def _is_current() -> bool:
    stamps = [who for who in FILES if _stamp(who).exists()]
    return bool(stamps) and all(_stamp(who).read_text() == _digest(who) for who in stamps)


def _stamp(who: str) -> Path:
    return VENV / f"{who}.ready"  # make compares its time with that of the requirements


def _digest(who: str) -> str:
    return hashlib.sha256(b"".join((REPOSITORY / name).read_bytes() for name in (FILES[who], CUDA))).hexdigest()


def _python() -> Path:
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _run(command: list[str | Path]) -> None:
    if status := subprocess.call(command, cwd=REPOSITORY):
        sys.exit(status)


if __name__ == "__main__":
    if sys.version_info[:2] > NEWEST:
        newest, this = ".".join(map(str, NEWEST)), ".".join(map(str, sys.version_info[:2]))
        sys.exit(f"Python 3.11 to {newest} is needed, this is {this}. Name another: make PYTHON=python{newest} demo")
    if sys.argv[1:] not in ([who] for who in FILES):
        sys.exit(f"usage: python3 -m dev.packages {'|'.join(FILES)}")
    try:
        set_up(sys.argv[1])
    except KeyboardInterrupt:
        print("\nStopped: .venv is not ready. Run it again to go on.", file=sys.stderr)
        sys.exit(130)
