"""How a command ends: what the user can fix is reported in one line, with an exit status that is not 0."""

import argparse
import contextlib
import functools
import gc
import signal
import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path

from grading.core import errors, names, streams

OURS = ("grading", "dev")  # packages that lie here or nowhere
_alone: ContextVar[bool] = ContextVar("alone", default=False)
AGAIN_S = 0.05  # from a Ctrl-C that Python passed over to the next one
SET_UP = "Run `make demo`, or use .venv/bin/python. If that says the same, delete .venv first."


def run(name: str, command: Callable[[argparse.Namespace], int], chosen: argparse.Namespace) -> int:
    """The command's exit status; what kept it from ending well is reported in a line.

    It is 1 after a CourseError, or where a file is closed, the disk full or a package missing, 130 after Ctrl-C, and 0
    if nobody reads its output any more.
    """
    try:
        _hear_ctrl_c()
        _find_home()
        _read_names()
        status = command(chosen)
        print(end="", flush=True)  # what is left may find its reader gone
        return status
    except errors.CourseError as error:
        print(f"{name}: {names.printable_lines(str(error))}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] in ("", *OURS):  # no installation would bring it
            raise
        print(f"{name}: the package {missing.name} is not installed. {SET_UP}", file=sys.stderr)
        return 1
    except _wrong_settings() as error:
        print(f"{name}: a setting in nbgrader_config.py has the wrong type. {error}".splitlines()[0], file=sys.stderr)
        return 1
    except BrokenPipeError:  # whoever read our output, such as head, has read enough
        streams.forget()
        return 0
    except OSError as error:
        if not (said := errors.closed_or_full(error)):
            raise
        print(f"{name}: {said}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as stopped:
        print(f"\n{name}: stopped. {stopped} Run it again to go on.".replace("  ", " "), file=sys.stderr)
        return 130


def _hear_ctrl_c() -> None:
    """Lets Ctrl-C raise KeyboardInterrupt; until a command runs, it ends the process without a word."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _find_home() -> None:
    """CourseError if this account has no home, without which nothing of Jupyter's can be imported."""
    try:
        Path.home()
    except RuntimeError:
        raise errors.CourseError(
            "your account has no home folder: HOME is not set, and the system's list of accounts doesn't name one. "
            "Set HOME to any folder of yours: HOME=FOLDER python -m grading …"
        ) from None


def _read_names() -> None:
    """CourseError if Python takes names of files for another encoding than they have: Zoë would be graded as ZoÃ«."""
    if (encoding := sys.getfilesystemencoding()) != "utf-8":
        raise errors.CourseError(
            f"Python reads the names of files as {encoding} here, and would take an accent for something else. Set "
            "PYTHONUTF8=1, and run this again."
        )


def _wrong_settings() -> tuple[type[Exception], ...]:
    """traitlets' error, to be caught, if anything has imported traitlets; else nothing."""
    traitlets = sys.modules.get("traitlets")
    return (traitlets.TraitError,) if traitlets else ()


def alone(main: Callable[[], int]) -> int:
    """The exit status of a command that is all its process does; Python's last garbage collection is left out."""
    streams.prepare()
    token, shown = _alone.set(True), sys.unraisablehook
    sys.unraisablehook = functools.partial(_stop_again, shown)
    try:
        return main()
    except streams.Unwritable as error:  # as of help, which no command prints
        print(f"grading: {error}", file=sys.stderr)
        return 1
    finally:
        sys.unraisablehook = shown
        _alone.reset(token)
        gc.freeze()
        streams.finish()


def _stop_again(show: Callable[[object], None], raised: object) -> None:
    """Sends Ctrl-C again where Python ignored it, as it ignores all that a weak reference's callback raises."""
    if raised.exc_type is not KeyboardInterrupt or not hasattr(signal, "setitimer"):
        show(raised)
        return
    signal.signal(signal.SIGALRM, signal.default_int_handler)  # SIGINT itself may be ignored, where SIGTERM stops
    signal.setitimer(signal.ITIMER_REAL, AGAIN_S)


def is_alone() -> bool:
    """Whether this process runs a single command, so that a fork of it holds nothing of any other."""
    return _alone.get()


@contextlib.contextmanager
def importing() -> Iterator[None]:
    """Turns garbage collection off for imports: they leave little, and looking for it takes a fifth of their time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def spelled(command: str, root: Path, options: str = "") -> str:
    """A command about the course in `root` as somebody types it here, for a message that says what to do."""
    here = root.resolve() == Path.cwd()
    if here and (root / "Makefile").is_file():
        return f"make {command}" + (f" ARGS={options}" if options else "")
    return " ".join(
        filter(None, ["python -m grading", command, "" if here else f"--course {names.path(root)}", options])
    )


def positive(text: str) -> int:
    """A whole number of 1 or more, as an option of a command.

    Errors  ArgumentTypeError for any other text.
    """
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 1 or more")
    return int(text)
