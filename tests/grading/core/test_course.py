"""A course whose parts could be mistaken for something else is refused when it is made."""

import pickle

import pytest

from grading.core.course import Course, Part
from grading.core.errors import CourseError


def course(*parts: Part, **settings: object) -> Course:
    return Course("a", "A", "A", parts, **settings)


def part(number: int, **settings: object) -> Part:
    return Part(number, "One", "f", ("f",), 5, **settings)


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ([part(2), part(1)], "numbered from 1 on"),
        ([part(1), part(1, stem="one")], "numbered from 1 on"),
        ([part(0)], "numbered from 1 on"),
        ([part(1, stem="one"), part(2, stem="one")], "names of their own"),
        ([part(1, stem="one-a")], "without a hyphen"),
        ([part(1, tests=("one",))], "must be called part01-test"),
        ([part(1, tests=("part01-test", "part01-more"))], "must be called part01-test"),
        ([part(1, tests=())], "must be called part01-test"),
    ],
)
def test_parts_that_could_not_be_told_apart_or_marked_are_refused(parts: list[Part], why: str):
    with pytest.raises(CourseError, match=why):
        course(*parts)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"automatic": "10"}, "part 1 of the course: automatic must be a number of points, not '10'."),
        ({"automatic": 5, "by_hand": None}, "part 1 of the course: by_hand must be a number of points, not None."),
        ({"automatic": 5, "names": "f"}, "part 1 of the course: names must be a tuple. Write ('f',)."),
    ],
)
def test_a_slip_in_a_part_is_one_line(settings: dict, why: str):
    """A release ended with a traceback; names without the comma were taken for their letters."""
    with pytest.raises(CourseError) as raised:
        Part(1, "One", "f", **{"names": ("f",), **settings})
    assert str(raised.value) == why


def test_a_course_that_was_written_for_nbgrader_names_its_cells_as_it_likes():
    assert course(part(1, tests=("q1", "q2")), plain=True).parts[0].tests == ("q1", "q2")


def test_another_notebook_of_the_course_is_no_part():
    with pytest.raises(CourseError, match="is a part"):
        course(part(1), others=("part01",))


def test_nobody_changes_what_a_course_lets_answers_import():
    allowed = {"numpy": "NumPy"}
    made = course(part(1), imports=allowed)
    allowed["torch"] = "torch"
    assert dict(made.imports) == {"numpy": "NumPy"}
    with pytest.raises(TypeError, match="does not support item assignment"):
        made.imports["torch"] = "torch"


def test_courses_that_let_answers_import_other_packages_are_two_courses_also_where_they_are_sent():
    one, other = course(part(1), imports={"numpy": "NumPy"}), course(part(1), imports={"numpy": "numpy"})
    assert one != other and hash(one) != hash(other)
    sent = pickle.loads(pickle.dumps(one))
    assert sent == one and hash(sent) == hash(one) and "numpy" in sent.imports and "torch" not in sent.imports
