"""What students and instructors read about a submission: what was expected, what was found, where to look.

Never the answer. What says that a limit was reached is in `limit_messages`; words that a page always shows are next to
that page (`pages.wording`).
"""

import shlex

from grading.core import limit_messages, limits

NOT_FINITE = "some of the numbers are infinite or not numbers (NaN)."
NOT_PROPORTIONAL = "the numbers are not one factor times the expected ones."
NEGATIVE_FACTOR = "every number has the opposite sign of the expected one."
NO_EXPRESSION = "this is not an expression in the symbols that the setup cell provides."
NO_SHAPE = "this is not a shape: expected a tuple or a list of expressions in the symbols."
NUMBER = "expected an expression in letters, got a number. Has one of the letters been given a value?"
OTHER_EXPRESSION = "the expression's value is not the expected one."
# About a submission: what was found, and what to do. Read by instructors in the log, and by students in the feedback.
EMPTY = "the file is empty"
NOT_A_FILE = "this is not an ordinary file but a folder, a link or the like"
NOT_TEXT = "the file is not UTF-8 text, so it can't be a notebook"
NOT_JSON_DEEP = "the file is nested too deeply to be a notebook"
NOT_JSON_WIDE = "the file holds too many lists to be a notebook"
NO_CELLS = "the file has no cells"
DAMAGED_CELLS = "the cells of this notebook are damaged"
FILE_MISSING = "not submitted; 0 points. Ask for it if it was forgotten."
FILE_LEFT_OUT = (
    "this file was left out. docs/submissions.md lists the kinds that are taken in. One of these is left out if it is a "
    "link or the like, closed to this account, too large, one of too many, or named like a file that a program runs by "
    "itself. Nothing to do, unless an answer needs it."
)
FILE_ARCHIVE = "archives aren't unpacked. If the notebooks are in this one, unpack it here, and grade again."
NAME_RULE = "Rename it with letters, digits, spaces and any of . , _ - + @ ( ) [ ], and grade again."
NAME_NOT_TEXT = "is not UTF-8 text"
NAME_DOT = "is empty or begins with a dot"
NAME_SPACE = "begins or ends with a space, which nbgrader drops"
NAME_IN_EXCHANGE = (
    "this folder's name in the exchange is not made of a student's name, an assignment and a time. "
    "If one of your students submitted it, copy its files into submitted/ under a name of letters and digits."
)
NOT_FROM_EXCHANGE = "not released: the submission did not come from the exchange. Send these pages another way."
NO_FOLDER_IN_EXCHANGE = "this is not a folder, and no link is followed."
OTHER_OWNER = "%s: this folder in the exchange belongs to the account %s, not to the student in its name. Find out who submitted it."
OTHER_OWNER_TOO = (
    "this folder in the exchange belongs to the account %s, and the student in its name has one there with their own."
)
OTHER_TIME = "%s: the folder's name says %s UTC, but its files were last changed at %s UTC. The second time counts."
TOO_MUCH_TEXT = "the cells hold more text than is taken in; the rest is left out. Ask for a shorter notebook."
MODULE_CHANGED = (
    "this is not the course's copy of the file. Grading used the course's, as it always does. Nothing to do."
)
FILE_EXTRA = "no notebook of the course has this name, so it isn't graded. If it is a part, rename it and grade again."
NO_NOTEBOOK = "No notebook was submitted."
TEST_DELETED = "the test cell was missing. It was restored, and the part was graded as usual. Nothing to do."
ANSWER_DELETED = "the answer cell is missing; what other cells define is graded. Ask for it if it was lost."
REASONING_DELETED = "the cell of the written answer is missing. Ask for it if it was lost."
OTHER_PART = (
    "the file holds the cells of %s, so none of it counts here. Rename it to that part's name, and grade again."
)
POINTS_CHANGED = "the points of the tests were changed; the released ones are used. Nothing to do."
OTHER_RELEASE = "cells of the course differ from this release; the current ones are used. Check that the student had the current release."
# About a submission that is graded last and alone.
ENDED_RUN = "the last run, or its worker, ended while this submission was being graded"
ENDED_WORKER = "the worker that was grading this submission ended"
ENDED_WORKERS = (
    "the worker that graded it ended twice, the second time with nothing else running. Does it need more memory than "
    "there is? Look at the files in its folder."
)
HIDDEN_TESTS = "# The tests stay hidden; below is what they found."
OUTPUT_CUT = "… the rest of this output is left out."
# Ends what a rule says of the answer's code.
NOT_IN_A_DRAFT = (
    "Replace it; or delete it if it is a draft, or move it to a cell of its own if it only tests your answer."
)


def no_mark_in_outputs(error: Exception) -> str:
    """About a test in a course that was written for nbgrader alone."""
    said = short(str(error.args[0]) if error.args else type(error).__name__)
    return f"nbgrader finds no mark in what this test displays ({said}); 0 points."


def lost(found: str, hint: str = "") -> str:
    """What a student reads of an item that was lost: what was found, and where to look."""
    return short(f"{found or 'not what the task asks for.'} {hint}".rstrip())


def short(text: str) -> str:
    """A text in one line, of at most the length that a message may have."""
    text = "".join(c if c.isprintable() else " " for c in text[: limits.MESSAGE_CHARS + 1])
    return text if len(text) <= limits.MESSAGE_CHARS else text[: limits.MESSAGE_CHARS - 1] + "…"


def shapes(got: str, want: tuple[int, ...]) -> str:
    return f"expected shape {want}, got {got}."


def missed(miss: float, scale: float) -> str:
    if scale == 0.0:
        return "the numbers should all be 0."
    share = miss / scale
    size = f"{100 * share:.2g} % of" if share < 0.995 else "100 % of" if share < 1.005 else f"{share:.3g} times"
    return f"the numbers are off by up to {size} the largest expected number."


def wrong_kind(got: object, kind: str) -> str:
    return f"expected {kind}, got {_kind(got)}."


def missing(name: str) -> str:
    return f"`{name}` is not there. Is it spelled like this, and did the cell that defines it run without an error?"


def never_defined(name: str, cell: str, error: str, line: int) -> str:
    stopped = f"stopped with {article(error)} in line {line}"
    if error == "KeyboardInterrupt":  # by the judge
        stopped = f"was interrupted in line {line}, as happens at its limit of time"
    return f"`{name}` is not there: {cell} {stopped}, before it was defined."


def unwritten(name: str) -> str:
    return f"`{name}` is not written yet." if name else "it is not written yet."


def not_run(cell: str, line: int, words: str) -> str:
    """`words` are Python's own."""
    return short(f"{cell} could not be run. Python says about line {line}: {words}.")


def not_callable(name: str) -> str:
    return f"`{name}` is not a function."


def raised(error: str, line: int | None) -> str:
    """With a question where no line of a cell had begun: Python says so of a call with other arguments."""
    where = f" in line {line} of its cell" if line else ""
    limit = f" {limit_messages.process_memory()}" if error == "MemoryError" else ""
    at_the_call = (error, line) == ("TypeError", None)
    asked = " Does it take the arguments that the task names, in their order?" if at_the_call else ""
    return f"your code stopped with {article(error)}{where} on one of the tests' inputs.{limit}{asked}"


def undefined(stopped: str, names: list[str]) -> str:
    """A sentence about where code stopped, with the names that nothing defines."""
    return f"{stopped} No cell defines {_either(names)}."


def not_defined_yet(stopped: str, names: list[str]) -> str:
    """The same with names that a cell of the student's defines, if it runs."""
    return f"{stopped} Did the cell that defines {_either(names)} run without an error?"


def _either(names: list[str]) -> str:
    return " or ".join(f"`{name}`" for name in names)


def not_data(what: str) -> str:
    return f"the tests can't compare what your code returned: {what}."


def unreadable_reply(name: str) -> str:
    return f"`{name}` gave nothing that can be read as data."


def article(noun: str) -> str:
    """The noun with its indefinite article: a TypeError, an IndexError."""
    return f"{'an' if noun[:1] in 'AEIOUaeiou' else 'a'} {noun}"


def breach_import(where: str, line: int, code: str, allowed: str) -> str:
    return f"{where}, line {line}, `{code}`: only {allowed} and what the setup cell imports may be imported. Remove this import."


def breach_hidden_import(where: str, line: int, code: str, allowed: str) -> str:
    return f"{where}, line {line}, `{code}`: this can hide an import of something other than {allowed} and what the setup cell imports. Remove it."


def breach_loop(where: str, line: int, code: str, what: str) -> str:
    return f"{where}, line {line}, `{code}`: {what}, and this part allows no loop in the answer. {NOT_IN_A_DRAFT}"


def number_of_entries(got: int, want: int) -> str:
    return f"the shape has {got} {'entry' if got == 1 else 'entries'}, but should have {want}."


def entry(position: int, of: int, found: str) -> str:
    """What was found at a position, counted from 0. "1 of 2" can't be taken for an index, which begins at 0 in a course."""
    return f"entry {position + 1} of {of}: {found}" if of > 1 else found


def unknown_symbol(name: str) -> str:
    return f"`{name[:20]}` is not one of this part's symbols."


def not_json(line: int) -> str:
    return f"the file is not JSON (line {line}), so it can't be a notebook"


def too_large(size: int, limit: int) -> str:
    return f"the file has {size >> 20} MB, and {limit >> 20} MB are allowed"


def name_wrong(where: str, what: str) -> str:
    return f"The name of this folder in {where} {what}. {NAME_RULE}"


def name_long(where: str, limit: int) -> str:
    return (
        f"The name of this folder in {where} has more than {limit} characters. Give it a shorter one, and grade again."
    )


def set_aside(why: str) -> str:
    return f"set aside, because {why}. It will be graded last, alone."


def was_aside(why: str) -> str:
    return f"{why}, so it was graded last, alone. If this happens again, look at the files in its folder."


def ended_runs(student: str) -> str:
    return (
        "Two runs, or their workers, ended while this was being graded, so this run left it out. Look at its files, "
        f"then try it alone: .venv/bin/python -m grading autograde --student {shlex.quote(student)}"
    )


def linked(where: str) -> str:
    return f"{where} is a link, and no link is followed. Put the files there."


def refused_folders(number: int) -> str:
    what = "folder" if number == 1 else "folders"
    return f"Grading refuses {number} {what}; everybody else is graded. The lines above say what to do."


def too_many_cells(number: int) -> str:
    return f"the notebook has {number} cells, and {limits.CELLS} are allowed"


def types_changed(cells: list[str]) -> str:
    if len(cells) == 1:
        return f"the type of the cell {cells[0]} was changed; the released one is used. Nothing to do."
    named = ", ".join(cells[:3]) + " and others" * (len(cells) > 3)
    return f"the types of {len(cells)} cells were changed ({named}); the released ones are used. Nothing to do."


def not_marked(part: int, where: str) -> str:
    return f"Part {part} · not graded yet. Our grader failed, not your answer. Please tell your instructor: {where}."


def no_part(stem: str) -> str:
    """The sentence about a submission whose notebooks all have other names than the course's, such as `stem`."""
    return f"None of the notebooks is called like a part, such as {stem}.ipynb."


def unreadable(why: str) -> str:
    """About a task that a worker can't read."""
    return f"a worker lacks our code, or has another version ({why}). Put this machine's version on the PYTHONPATH of all workers."


def folder_too_large(size: int, largest: int) -> str:
    """About a submission in the exchange that is too large."""
    return f"the folder has {size:,} bytes, and c.CourseDirectory.max_dir_size allows {largest:,}."


def _kind(got: object) -> str:
    if got is None:
        return "None (is a `return` missing?)"
    if isinstance(got, tuple):
        return "a tuple (does a `return` give more than one value, or end with a comma?)"
    import numpy as np  # what only prints a message in passing, such as --help, needs no arrays

    name = {"Tensor": "a torch tensor", "ndarray": "a NumPy array"}.get(type(got).__name__)
    if name and isinstance(got, np.ndarray) and got.dtype.kind not in "biufc":
        return "an array of things that are not numbers"
    return name or article(type(got).__name__)
