"""Standard input, output and error of a process that runs a command, whatever it was started with."""

import io
import os
import sys

from grading.core import errors

_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def prepare() -> None:
    """Opens streams that are closed, and reports output that can't be written in a line; for a process of its own.

    A closed one leaves its number to the next file that is opened, which would then get what is printed. The null
    device takes it. A letter that the output's encoding lacks is written as an escape.
    """
    for number, (name, mode) in enumerate(_STREAMS):
        if not _is_open(number):
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest number that there is
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    if type(out := sys.stdout) is io.TextIOWrapper:
        out.flush()  # what was printed before comes first
        file = io.FileIO(out.fileno(), "w", closefd=False)
        settings = {"line_buffering": out.line_buffering, "write_through": out.write_through}
        # As of standard error; "surrogateescape" is what Python chooses where no language is set (LC_ALL=C).
        settings["errors"] = "backslashreplace" if out.errors in ("strict", "surrogateescape") else out.errors
        # Behind a buffer in any case: without one, Python 3.14 drops what it can't write.
        sys.stdout = _Output(io.BufferedWriter(file), out.encoding, **settings)


def forget() -> None:
    """Drops what was printed and nobody reads, or Python would complain about it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def finish() -> None:
    """As `forget`, if something is left that can't be written.

    Errors  SystemExit with a line if it was not reported yet, as after `--help`.
    """
    reported = getattr(sys.stdout, "reported", False)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        forget()
    except Unwritable as error:
        forget()
        if not reported:
            sys.exit(f"grading: {error}")


class Unwritable(errors.CourseError):
    """What was printed can't be written; it is kept, and the next that is printed follows it."""


class _Output(io.TextIOWrapper):
    """Standard output; Unwritable in place of an OSError, unless nobody reads it any more."""

    reported = False  # whether Unwritable has been raised

    def write(self, text: str) -> int:
        try:
            written = super().write(text)
            if self.write_through:
                self.buffer.flush()
            return written
        except OSError as error:
            raise self._unwritable(error) from None

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> Exception:
        if isinstance(error, BrokenPipeError):
            return error
        self.reported = True
        return Unwritable(
            f"what this command prints can't be written: {error.strerror}. Nothing is lost: make room where its output "
            "goes, or send it elsewhere, and run this again."
        )


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
