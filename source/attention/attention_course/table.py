"""Visible checks as a short table: a line per check, ✓ or ✗, and an error of one line if any of them fails."""

import contextlib
import os
import traceback
from collections.abc import Iterator

import numpy as np
import torch


class ChecksFailed(AssertionError):
    """At least one check of a table failed; says the first one."""

    def _render_traceback_(self):
        """What IPython shows in place of a traceback: the table above says everything."""
        return [f"ChecksFailed: {self}"]


class Unwritten(NotImplementedError):
    """The student's code says that it isn't written yet."""

    def _render_traceback_(self):
        """What IPython shows in place of a traceback."""
        return [f"NotImplementedError: {self}"]


class Unmet(Exception):
    """What a line of the table expected and what it got instead."""


def expect(holds, text):
    """Fails the line of the table that it is called in, with a text, unless `holds`."""
    if not holds:
        raise Unmet(text)


class Table:
    """The visible checks of one part, or of what else a text names, printed line by line.

    table = Table(3)
    with table.line("3 keys give 3 logits"):
        expect(logits.shape == (3,), f"expected shape (3,), got {logits.shape}")
    table.end()
    """

    def __init__(self, part):
        self.title = part if isinstance(part, str) else f"Part {part}"
        self.failed, self.unwritten, self._waiting, self._places = [], {}, 0, {""}

    @contextlib.contextmanager
    def line(self, name) -> Iterator[None]:
        """Prints one line for the block: ✓, or ✗ if an `expect` in it fails or the student's code raises an error.

        After a ✗, a block that raises an error is a `·`, because it probably needed what had failed before, unless the
        error comes from a line of the student's that no ✗ has named. After a function that is not written yet it is
        counted, unless the student's code raised the error.
        """
        try:
            yield
        except Unmet as unmet:
            self._fail(f"{name}: {unmet}")
        except Exception as error:  # noqa: BLE001  (whatever a student's code may raise)
            missing = unwritten(error)
            if missing and missing not in self.unwritten:
                self.unwritten[missing] = error
                print(f"  · {name}: {missing} is not written yet")
            elif self.unwritten and (missing or not _own_code(error)):
                self._waiting += 1
            elif self.failed and _place(error) in self._places:
                print(f"  · {name}: try again when the ✗ above is fixed")
            else:
                self._places.add(_place(error))
                text = str(error).partition("\n")[0]
                self._fail(f"{name}: {_place(error)}raised {type(error).__name__}{f': {text}' if text else ''}")
        else:
            print(f"  ✓ {name}")

    def end(self) -> None:
        """Prints how it ended.

        Errors  Unwritten, which names all functions that raise NotImplementedError; else ChecksFailed if a line failed.
        """
        if self.unwritten:
            several, waiting = len(self.unwritten) > 1, self._waiting
            if waiting:
                print(
                    f"  · {waiting} more check{'s wait' if waiting > 1 else ' waits'} for {'them' if several else 'it'}"
                )
            *others, last = self.unwritten
            named = f"{', '.join(others)} and {last} are" if several else f"{last} is"
            first = next(iter(self.unwritten.values()))
            raise Unwritten(f"{named} not written yet.").with_traceback(first.__traceback__) from None
        if not self.failed:
            print(f"{self.title}: the visible checks pass.")
            return
        more = len(self.failed) - 1
        raise ChecksFailed(self.failed[0] + (f" ({more} more failed)" if more else ""))

    def _fail(self, text) -> None:
        self.failed.append(text)
        print(f"  ✗ {text}")


def numbers(value) -> np.ndarray:
    """A tensor, an array or a (nested) list of numbers as a NumPy array; fails the line for anything else."""
    expect(value is not None, "got None. Does the function end with a return?")
    array = _array(value)
    expect(array.dtype.kind in "biufc", f"expected numbers, got {kind(value)}")
    return array


def kind(value) -> str:
    """What a value is, in words, with its article."""
    names = {"Tensor": "a torch tensor", "ndarray": "a NumPy array", "NoneType": "None"}
    name = type(value).__name__
    return names.get(name, f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}")


def unwritten(error: Exception) -> str:
    """The student's function that an error says isn't written yet; empty for any other error.

    PyTorch says with a NotImplementedError, too, what it can't do; that has a text.
    """
    if not isinstance(error, NotImplementedError) or str(error):
        return ""
    code = _own_code(error)
    return code[-1].co_qualname.rpartition("<locals>.")[2] if code else "this"


def three_digits(array) -> str:
    """The numbers of an array, in one list, with three digits each."""
    return f"[{', '.join(f'{number:.3g}' for number in np.ravel(array) + 0.0)}]"


def _array(value) -> np.ndarray:
    if isinstance(value, (list, tuple)):
        value = [_array(piece) for piece in value]
    if isinstance(value, torch.Tensor):
        return value.detach().cpu().double().numpy()
    array = np.asarray(value)
    return np.asarray(array.tolist()) if array.dtype == object else array  # Python's own numbers in an array


def _place(error: Exception) -> str:
    """Where in the student's notebook an error comes from; empty if it comes from elsewhere."""
    own = [step for step in traceback.extract_tb(error.__traceback__) if _is_own(step.filename)]
    return f"line {own[-1].lineno} of your answer, `{own[-1].line}`, " if own and own[-1].line else ""


def _own_code(error: Exception) -> list:
    """The student's code on the way to an error, the innermost last."""
    codes = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
    return [code for code in codes if _is_own(code.co_filename)]


def _is_own(file: str) -> bool:
    """Whether a file of code is the student's: neither the course's nor a package's."""
    return not file.startswith(os.path.dirname(__file__)) and "site-packages" not in file
