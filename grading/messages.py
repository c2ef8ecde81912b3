"""Every text that a student reads, in one place: what was asked, what was found, where to look; never the answer."""

import shlex
from typing import TYPE_CHECKING, assert_never

import numpy as np

from grading import course, limits, sentences

if TYPE_CHECKING:
    from grading import reports

NOT_FINITE = "some of the numbers are infinite or not numbers (NaN)."
TOO_MUCH = (
    "comparing what your code returned takes more time or memory than the tests have, so they stopped. Does every "
    "result have the shape that the task asks for?"
)
NOT_PROPORTIONAL = "the numbers are not one factor times the expected ones."
NEGATIVE_FACTOR = "every number has the opposite sign of the expected one."
NO_EXPRESSION = "this is no expression in the symbols that the setup cell provides."
OTHER_EXPRESSION = "the expression has another value than the one asked for."
# About a hand-in: what was found, and what to do. Read by instructors in the log, and by students in the feedback.
EMPTY = "the file is empty; 0 points. Ask for the notebook again."
NOT_A_FILE = "this is no ordinary file (a folder, a link or the like); 0 points. Ask for the notebook again."
NOT_TEXT = "the file is not UTF-8 text, so it is no notebook; 0 points. Ask for the notebook again."
NOT_JSON_DEEP = "the file is nested too deeply to be a notebook; 0 points. Ask for the notebook again."
NO_CELLS = "the file has no cells; 0 points. Ask for the notebook again."
FILE_MISSING = "not handed in; 0 points. Ask for it if it was forgotten."
FILE_LEFT_OUT = (
    "this file was left out. Either it is of no kind that docs/submissions.md lists, or it is no ordinary file, too large, "
    "one of too many, or has a name that programs run. Nothing to do, unless an answer needs it."
)
NAME_RULE = "Rename it with letters, digits, spaces and any of . , _ - + @ ( ) [ ], and grade again."
NAME_NOT_TEXT = f"The name of this folder in submitted/ is not UTF-8 text. {NAME_RULE}"
NAME_SPACE = f"The name of this folder in submitted/ begins or ends with a space, which nbgrader drops. {NAME_RULE}"
NAME_IN_EXCHANGE = (
    "this folder's name in the exchange is not made of a student's name, an assignment and a time. "
    "If one of your students submitted it, copy its files into submitted/ under a name of letters and digits."
)
OTHER_TIME = "%s: the folder's name says %s UTC, but its files were last changed at %s UTC. The second time counts."
TOO_MUCH_TEXT = "the cells hold more text than is taken in; what is too much is left out. Ask for a shorter notebook."
FILE_EXTRA = "this notebook is not part of the course; it is left out."
TEST_DELETED = "the test cell was missing. It was restored, and the part was graded as usual. Nothing to do."
ANSWER_DELETED = "the answer cell is missing; what other cells define is graded. Ask for it if it was lost."
REASONING_DELETED = "the cell of the written answer is missing. Ask for it if it was lost."
POINTS_CHANGED = "the points of the tests were changed; the released ones are used. Nothing to do."
OTHER_RELEASE = (
    "cells of the course differ from this release; the current ones are used. Check that the release was current."
)
BUSY = (
    "The machine is too busy: this notebook waited for a processor most of its time. Grade again when less else runs."
)
# About a submission that is graded last and alone.
ENDED_RUN = "the last run, or its worker, ended while this submission was being graded"
ENDED_WORKER = "the worker that was grading this submission ended"
ENDED_WORKERS = (
    "the worker that graded it ended twice, the second time with nothing else running. Does it need more memory than "
    "there is? Look at the files in its folder."
)
HIDDEN_TESTS = "# The tests stay hidden; below is what they found."
OUTPUT_CUT = "… the rest of this output is left out."

# Per part and item: one sentence that points at the idea, added when the item is lost.
HINTS: dict[int, dict[str, str]] = {
    1: {
        "shape_W_Q_h": "How many numbers does the matrix take in, how many does it give, and which come first?",
        "shape_W_K_h": "Of which sequence's token is a key made, and what is it compared with?",
        "shape_W_V_h": "Of which sequence's token is a value made, and has it the width of a key?",
    },
    2: {
        "shape_W_Q, shape_W_K, shape_W_V": "Do blocks one below the other add rows or columns, and how many rows has each block?",
        "shape_q": "How many numbers has one head's query, and how many heads are stacked?",
        "q_from_x": "On which side of the token does the matrix stand, and how many axes has the result?",
        "shape_k, shape_v": "How many numbers has one head's key, how many has its value, and how many heads are stacked?",
        "m_from_y": "On which side of the token does the matrix stand, and how many axes has the result?",
    },
    3: {
        "shape": "One query and L_2 keys: how many logits, and along how many axes?",
        "right up to a constant factor": "Which product of two vectors is linear in each, and 0 where they are perpendicular?",
        "exact": "What is the variance of the product in the text, and by what must a number be divided to bring its variance to 1?",
    },
    4: {
        "shape_o_h": "What is averaged here, and what shape has an average of vectors?",
        "shape_o": "How many heads are stacked, and how many numbers has each?",
        "shape_W_O_h": "What does one block act on, and in which space does its result lie?",
        "shape_W_O": "When blocks stand side by side, do the rows grow in number or the columns?",
    },
    5: {
        "attributes": "Does __init__ keep each of its five sizes under the name it came with?",
        "projections": "Which shapes did parts 2 and 4 find, and how does one make a layer without bias?",
        "output shape": "Which axis of each tensor is B, which is a length, and do they stay apart when one of them is 1?",
        "values": "Go through the five steps of the text: does each tensor hold what its comment says, in the order of the heads?",
        "shape comments": "Does a comment name the letters of the shape after each operation of forward?",
    },
    6: {
        "rank_relation": "Is there a row in one of the two matrices that the other does not have?",
        "A stacks the copies of every W": "Which row of W is row number i of W_tilde?",
        "B gets every W back from its copies": "Where in W_tilde do the rows of W stand, and how often?",
    },
    7: {
        "attributes": "Does __init__ store each of its arguments under its own name?",
        "projections, without copies": "How many heads does each of the four serve, and is each block kept only once?",
        "output shape": "Does it work for one sample, for one position, and for widths that all differ?",
        "values": "Which head does each query head read, by what are the logits divided, and over which positions does the softmax run?",
        "shape comments": "Is there a comment such as # (B, L_1, D_1) beside the operations of forward?",
    },
    8: {
        "kv_head": "What have the numbers of the query heads that share a key/value head in common?",
        "G_for_MHA": "How many query heads share one key/value head in MHA, and how many such heads does that take?",
    },
    9: {
        "r_MLA": "How many independent rows can the stacked matrix have at most?",
        "factor_gqa: the shapes (D, r) and (r, D)": "Which of the two comes first, and is their common width the r of this part?",
        "factor_gqa: the product": "Which row of W_M_GQA is row number i of the stacked matrix, also where d = 1 or G = H?",
        "factor_gqa: rank-deficient matrices": "Is anything inverted, divided by, or cut off that can be 0?",
    },
    10: {
        "order, types and shapes": "Which of the two comes first, and are both NumPy arrays with r as one of their sizes?",
        "the product": "Is the whole matrix copied, one copy after another, and does every step work where it is 0?",
        "prints both shapes": "Does the function itself print them, for whatever r and D it is given?",
        "prints the error": "Is it the mean of the squares over all entries, computed in every call?",
    },
    11: {
        "the shapes of the factors": "How many numbers does each matrix take in, and how many does it give?",
        "product": "Which of the two factors stands on the left?",
        "the rows of product differ": "What makes row 0 of the product, and what makes row 1?",
    },
    12: {
        "identity (1), every head": "Which matrix stands between the query and W_DKV y, on which side can it act, and by what do the two sides divide?",
        "identity (2), summed over the heads": "Which matrix can leave the sum over l_2, and what does it meet on its left?",
    },
    13: {
        "shapes (r, D), (r, D), (H·r, D), (D, H·r)": "Which two are shared by all heads, and along which axis are the blocks of the other two put together?",
        "equal to the vanilla model": "Which rows and columns belong to a head, in which order do the blocks stand, and does the factor hold for every D, H and r?",
        "equal at this part's sizes on the device, below 5e-4": "Is there a factor in one of the four, and is it that of part 12?",
        "your own run: relative_error and both outputs": "Do both models have their four weights, and does the formula follow the task's?",
    },
    14: {
        "kv_cache_MHA": "Which vectors does a later position need, of how many heads, and how long is each?",
        "kv_cache_MLA": "Which vectors does the reduced form need of a position, and do they differ from one another, or from head to head?",
    },
}


def report(found: "reports.Report") -> str:
    """The report of one part: a heading, and a line an item; or the rule that was broken, or why nothing was marked."""
    heading = (
        f"Part {found.part} · {course.PARTS[found.part].task}: {_number(found.marks)} of {_number(found.points)} points"
    )
    if found.breach or found.fault:
        return short(f"{heading}. {found.breach or found.fault}")
    lines = [
        f"  {_number(i.won)}/{_number(i.points)}  {i.what}" + (f": {i.found}" if i.found else "") for i in found.items
    ]
    return "\n".join([heading, *map(short, lines)])


def lost(part: int, what: str, found: str, hinted: bool) -> str:
    """What a student reads of an item that was lost: what was found, and where to look."""
    return short(f"{found or 'not as asked.'} {HINTS[part].get(what, '') if hinted else ''}".rstrip())


def short(text: str) -> str:
    """A text in one line, of at most the length that a message may have."""
    text = "".join(c if c.isprintable() else " " for c in text)
    return text if len(text) <= limits.MESSAGE_CHARS else text[: limits.MESSAGE_CHARS - 1] + "…"


def shapes(got: tuple[int, ...], want: tuple[int, ...]) -> str:
    return f"the shape is {got}, asked is {want}."


def missed(miss: float, scale: float) -> str:
    if scale == 0.0:
        return "the numbers should all be 0."
    share = miss / scale
    size = f"{100 * share:.2g} % of" if share < 0.995 else f"{share:.3g} times"
    return f"the largest miss is {size} the largest expected number."


def mistake(key: str) -> str:
    """What is said of a usual mistake; KeyError if there is no such mistake."""
    return sentences.MISTAKES[key]


def wrong_kind(got: object, kind: str) -> str:
    return f"expected {kind}, got {_kind(got)}."


def missing(name: str) -> str:
    return f"`{name}` is not there. Was the cell that defines it run without an error?"


def not_callable(name: str) -> str:
    return f"`{name}` is not a function."


def raised(error: str, line: int | None) -> str:
    if error == "NotImplementedError":
        return "it is not written yet."
    where = f" in line {line} of its cell" if line else ""
    limit = f" {process_memory()}" if error == "MemoryError" else ""
    return f"your code stopped with {article(error)}{where} on one of the tests' inputs.{limit}"


def out_of_time(limit_s: float) -> str:
    return f"your code was still running after {_number(limit_s)} s."


def not_data(what: str) -> str:
    return f"your code returned {what}, not numbers that can be compared."


def died(struck: limits.Struck | None) -> str:
    return f"the kernel that ran your code ended before it answered: {_why_ended(struck)}"


def kernel_ended(struck: limits.Struck | None) -> str:
    return f"the kernel that ran your code ended, so nothing after this could run: {_why_ended(struck)}"


def _why_ended(struck: limits.Struck | None) -> str:
    match struck:
        case limits.Struck.MEMORY:
            return f"all its processes together may use {_size(limits.MEMORY_BYTES)} of memory, and they used more."
        case limits.Struck.SESSIONS:
            return f"its processes may form {limits.SESSIONS} sessions at once (`setsid` begins one), and they formed more."
        case limits.Struck.STARTED:
            return f"a notebook may start {limits.STARTED:,} processes and threads in all, and it started more."
        case limits.Struck.COMPUTING:
            return f"a process may compute for {_number(limits.CPU_LIMIT_S)} s, and one computed for longer."
        case limits.Struck.TIME:
            return f"a notebook may take {_number(limits.NOTEBOOK_LIMIT_S)} s, and it took longer."
        case limits.Struck.STUDENT:
            return (
                f"all notebooks of a submission together may take {_number(limits.STUDENT_LIMIT_S)} s, and yours took "
                f"longer. From then on, each has {_number(limits.LEAST_S)} s. Which cells take so long?"
            )
        case limits.Struck.SILENCE:
            return f"nothing in its sandbox answered for {_number(limits.SILENCE_LIMIT_S)} s."
        case limits.Struck.BUSY:
            return BUSY
        case None:
            return "it exited or crashed. Does your code exit?"
    assert_never(struck)


def process_memory() -> str:
    return (
        f"Each process of a notebook may use {_size(limits.PROCESS_BYTES)} of memory besides what the libraries need."
    )


def unreadable_reply(name: str) -> str:
    return f"`{name}` gave nothing that can be read as data."


def article(noun: str) -> str:
    """The noun with its indefinite article: a TypeError, an IndexError."""
    return f"{'an' if noun[:1] in 'AEIOUaeiou' else 'a'} {noun}"


def breach_import(where: str, line: int, code: str) -> str:
    return f"{where}, line {line}, `{code}`: only torch, NumPy and what the setup cell imports may be imported. Remove this import and submit again."


def breach_hidden_import(where: str, line: int, code: str) -> str:
    return f"{where}, line {line}, `{code}`: this can hide an import of something else than torch, NumPy and what the setup cell imports. Remove it and submit again."


def breach_loop(where: str, line: int, code: str, what: str) -> str:
    return (
        f"{where}, line {line}, `{code}`: {what}, and this part allows no loop in the answer. Replace it to be marked."
    )


def breach_ready_made(where: str, line: int, code: str) -> str:
    return f"{where}, line {line}, `{code}`: this part asks you to build attention yourself. Replace it to be marked."


def breach_torch(where: str, line: int, code: str) -> str:
    return f"{where}, line {line}, `{code}`: this part is to be done without PyTorch. Replace it to be marked."


def breach_statements(where: str, line: int, code: str, output: int) -> str:
    return f"{where}, line {line}, `{code}`: a second statement computes output {output}; this part allows one each."


def number_of_entries(got: int, want: int) -> str:
    return f"the shape has {got} {'entry' if got == 1 else 'entries'}, it should have {want}."


def entry(position: int, found: str) -> str:
    return f"entry {position + 1}: {found}"


def unknown_symbol(name: str) -> str:
    return f"`{name[:20]}` is none of the symbols that this part speaks of."


def not_json(line: int) -> str:
    return f"the file is not JSON (line {line}), so it is no notebook; 0 points. Ask for the notebook again."


def too_large(size: int, limit: int) -> str:
    return f"the file has {size >> 20} MB, allowed are {limit >> 20} MB; 0 points. Ask for it without its outputs."


def name_signs(signs: list[str]) -> str:
    return f"The name of this folder in submitted/ has {' '.join(signs)} in it. {NAME_RULE}"


def name_long(limit: int) -> str:
    return f"The name of this folder in submitted/ has more than {limit} characters. Give it a shorter one, and grade again."


def set_aside(why: str) -> str:
    return f"set aside, because {why}. It will be graded last, alone."


def was_aside(why: str) -> str:
    return f"{why}, so it was graded last, alone. If this happens again, look at the files in its folder."


def ended_runs(student: str) -> str:
    return (
        "Two runs, or their workers, ended while this was being graded, so this run left it out. Look at its files, "
        f"then try it alone: .venv/bin/python -m grading autograde --student {shlex.quote(student)}"
    )


def not_graded_names(number: int) -> str:
    what = "folder has a name" if number == 1 else "folders have names"
    return f"{number} {what} that grading refuses; everybody else is graded. The lines above say what to do."


def too_many_cells(number: int) -> str:
    return f"the notebook has {number} cells, allowed are {limits.CELLS}; 0 points. Ask for a shorter one."


def type_changed(name: str) -> str:
    return f"the type of the cell {name} was changed; the released one is used. Nothing to do."


def cell_stopped(limit_s: float) -> str:
    return f"a cell was stopped after {_number(limit_s)} s."


def cell_never_ends(limit_s: float) -> str:
    return (
        f"a cell was still running after {_number(limit_s)} s and could not be stopped, so nothing after it could run."
    )


def not_marked(part: int, where: str) -> str:
    return f"Part {part} · not marked yet. The marking program failed, your answer did not. Tell your teacher: {where}."


def no_forward(class_name: str) -> str:
    return f"no `forward` of `{class_name}` was found in your cells."


def shape_comments(commented: int, statements: int) -> str:
    return f"{commented} of the {statements} statements of `forward` that compute a tensor have a comment with a shape."


def _size(size_bytes: int) -> str:
    return f"{size_bytes / 2**30:.3g} GiB"


def _number(value: float) -> str:
    return f"{value:g}"


def _kind(got: object) -> str:
    if got is None:
        return "None (is a `return` missing?)"
    name = {"Tensor": "a torch tensor", "ndarray": "a NumPy array"}.get(type(got).__name__)
    if name and isinstance(got, np.ndarray) and got.dtype.kind not in "biufc":
        return "an array of things that are not numbers"
    return name or article(type(got).__name__)
