"""The visible check and the figure of a part, run on an answer as its notebook runs them."""

import importlib

import course_module
import matplotlib.pyplot as plt
import pytest
from hidden_tests import Beside, model_answer

from attention import course

FIGURE = importlib.import_module("attention_course.figure")


def names(number: int, old: str = "", new: str = "", **changed: object) -> dict:
    """The names that a part's model answer makes, with a piece of it replaced, and some of them changed."""
    answer = model_answer(course.PARTS[number])
    assert old in answer
    return {**Beside(number, answer.replace(old, new)).names, **changed}


def checked(number: int, found: dict, capsys: pytest.CaptureFixture) -> list[str]:
    """What the check of a part prints of these names, and its error as the last line, if it ends in one."""
    error = ""
    try:
        getattr(course_module.of(number), f"check_part{number:02d}")(found)
    except (AssertionError, NotImplementedError) as raised:
        error = "".join(raised._render_traceback_())  # as IPython shows it
    return (capsys.readouterr().out + error).splitlines()


def drawn(number: int, found: dict, capsys: pytest.CaptureFixture, **sizes: int) -> tuple[list[str], list[str]]:
    """What the figure of a part prints of these names, and the text for whoever can't see it of each that it shows."""
    shown = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FIGURE, "display", lambda image: shown.append(image.alt))
        getattr(course_module.of(number), f"draw_part{number:02d}")(found, **sizes)
    assert plt.get_fignums() == [], "a figure is pyplot's"
    return capsys.readouterr().out.splitlines(), shown
