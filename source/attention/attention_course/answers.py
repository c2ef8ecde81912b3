"""A student's answers in checks and figures: found, or reported in one line, without a traceback."""

import contextlib
from collections.abc import Iterator

from attention_course.table import Unmet, expect, kind, unwritten


def named(names, name):
    """The student's value of a name; fails the line of the table, or the picture, if there is none."""
    expect(name in names, f"there is no `{name}` yet. Is it spelled like this, and has the answer cell run?")
    return names[name]


def function(names, name):
    """The student's function of a name; fails the line of the table, or the picture, if there is none."""
    found = named(names, name)
    expect(callable(found), f"expected `{name}` to be a function, got {kind(found)}")
    return found


def pieces(value, count, expected):
    """The pieces of a tuple or list of so many, or of a mapping's values; fails the line of the table, or the picture,
    for anything else."""
    asked = f"expected {expected}, got"
    value = list(value) if isinstance(value, type({}.values())) else value
    expect(value is not None, f"{asked} None. Does the function end with a return?")
    expect(isinstance(value, (tuple, list)), f"{asked} {kind(value)}")
    question = ". Is the `return` complete?" if len(value) < count else ""
    expect(len(value) == count, f"{asked} {kind(value)} of {len(value)}{question}")
    return value


@contextlib.contextmanager
def picture() -> Iterator[None]:
    """Prints one line in place of a picture where the student's answer is missing or raises an error."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  (whatever a student's code may raise)
        if missing := unwritten(error):
            print(f"No picture yet: {missing} is not written yet.")
            return
        ours = type(error).__module__.startswith("attention_course")
        print(f"No picture yet: {'' if ours else f'{type(error).__name__}: '}{str(error).partition(chr(10))[0]}")


def result(names, name, look):
    """`look(answer)` for the answer of this name in a notebook's names; None, and a printed sentence, if it fails."""
    if name not in names:
        print(f"No picture yet: there is no {name}. Write it in the answer cell, then run that cell.")
        return None
    try:
        return look(names[name])
    except Unmet as unmet:
        print(f"No picture yet: {name}: {unmet}")
    except Exception as error:  # noqa: BLE001  (whatever a student's code may raise)
        if missing := unwritten(error):
            print(f"No picture yet: {missing} is not written yet.")
            return None
        text = str(error).partition("\n")[0].removesuffix(".")
        print(f"No picture yet: {name} raised {type(error).__name__}{f': {text}' if text else ''}.")
    return None
