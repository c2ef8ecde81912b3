"""The texts of feedback pages; those of reports are in `core.messages`."""

from dataclasses import dataclass

COURSE = "The task, as in the notebook"
MORE = "More of the notebook's text"
BEYOND = "Where this leads"
QUESTION = "The question"
ANSWER = "Your answer"
REASONING = "Your written answer"
CHECK = "The visible checks"
FIGURE = "The figure of this part"
OWN = "A cell of yours"
WHERE = "where it happened"
PICTURE_OF_CELL = "a picture that this cell drew"
PICTURE_IN_TEXT = "a picture in the text, without a description"
NOT_AS_ASKED = "not what the task asks for."
NOT_SUBMITTED = "not submitted. If it should have been, ask your instructor."
OTHER_NAME = "not graded, because no part has this name. Rename it and submit it again, or ask your instructor."
NOT_GRADED = "not graded yet."
NOT_READ = "your written answer has not been read yet."
NO_REPORT = "There is no report of the tests."
SEE_PAGE = "its page says what was found."


@dataclass(frozen=True)
class Setting:
    """What depends on who reads a page. `not_begun` is empty in a class, where a missing notebook has 0 points."""

    not_marked: str
    set_by_hand: str
    not_begun: str = ""


IN_CLASS = Setting(
    not_marked="not graded yet: our grader failed, not your answer. Please tell your instructor.",
    set_by_hand="Your instructor has set the points of the tests to",
)
ALONE = Setting(
    not_marked="not graded yet: our grader failed, not your answer. Mark your work again.",
    set_by_hand="In the gradebook, the points of the tests were set to",
    not_begun="not begun yet.",
)


def picture(part: int) -> str:
    """What stands for the figure of a part where it cannot be seen."""
    return f"The figure of part {part}, drawn from your answer; the numbers that it shows are printed next to it."


def parts(numbers: list[int]) -> str:
    """Parts by their numbers, as in a sentence."""
    *first, last = map(str, numbers)
    return f"parts {', '.join(first)} and {last}" if first else f"part {last}"
