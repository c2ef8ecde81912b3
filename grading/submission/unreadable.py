"""What people read about a notebook file that can't be graded, and what helps.

In a class, the instructor asks for another file, and the student submits one; whoever learns alone has nobody to ask.
"""

from enum import Enum, auto
from typing import assert_never


class Fix(Enum):
    """What helps: a fresh notebook, a shorter one, or the same without outputs."""

    FRESH = auto()
    SHORTER = auto()
    NO_OUTPUTS = auto()


def for_instructor(why: str, fix: Fix = Fix.FRESH) -> str:
    """What a class's instructor reads."""
    match fix:
        case Fix.FRESH:
            return f"{why}; 0 points. Ask for the notebook again."
        case Fix.SHORTER:
            return f"{why}; 0 points. Ask for a shorter one."
        case Fix.NO_OUTPUTS:
            return f"{why}; 0 points. Ask for it without its outputs."
    assert_never(fix)


def for_student(why: str, fix: Fix) -> str:
    """What the student reads on their page."""
    match fix:
        case Fix.FRESH:
            return f"{why}; 0 points. Submit the notebook again, or ask your instructor."
        case Fix.SHORTER:
            return f"{why}; 0 points. Submit a shorter one, or ask your instructor."
        case Fix.NO_OUTPUTS:
            return f"{why}; 0 points. Clear its outputs, save it and submit it again, or ask your instructor."
    assert_never(fix)


def for_learner(why: str, fix: Fix, fresh: str, earlier: str) -> str:
    """What whoever learns alone reads: `fresh` is where the released notebook is, `earlier` where copies are kept."""
    match fix:
        case Fix.FRESH:
            return f"{why}; 0 points. A fresh copy is in {fresh}. If copies of yours were kept, they are in {earlier}."
        case Fix.SHORTER:
            return f"{why}; 0 points. Delete cells that it doesn't need."
        case Fix.NO_OUTPUTS:
            return f"{why}; 0 points. Clear its outputs and save it."
    assert_never(fix)
