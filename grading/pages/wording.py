"""The texts of feedback pages, beside those of reports, which stand in `messages`."""

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
NOT_AS_ASKED = "not as asked."
NOT_HANDED_IN = "not submitted. If it should have been, ask your instructor."
NOT_GRADED = "not graded yet."
NOT_MARKED_YET = "not graded yet: our grader failed, not your answer. Please tell your instructor."
NOT_READ = "your written answer is not read yet."
NO_REPORT = "There is no report of the tests."
SEE_PAGE = "its page says what was found."


def picture(part: int) -> str:
    """What stands for the figure of a part where it cannot be seen."""
    return f"The figure of part {part}, drawn from your answer; the numbers that it shows are printed next to it."


def parts(numbers: list[int]) -> str:
    """Parts by their numbers, as in a sentence."""
    *first, last = map(str, numbers)
    return f"parts {', '.join(first)} and {last}" if first else f"part {last}"
