"""Settings of the service that are wrong are named in one line, in words that an instructor knows."""

import pytest
from traitlets.config import Config

from attention.course import COURSE
from grading.classroom.service import settings
from grading.core.errors import CourseError


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("an_hour", "4", "c.Watch.an_hour in nbgrader_config.py must be a whole number of 0 or more, not '4'."),
        ("an_hour", -1, "c.Watch.an_hour in nbgrader_config.py must be a whole number of 0 or more, not -1."),
        ("quiet_minutes", None, "c.Watch.quiet_minutes in nbgrader_config.py must be a number of 0 or more, not None."),
        ("release", "yes", "c.Watch.release in nbgrader_config.py must be True or False, not 'yes'."),
        ("folder", 5, "c.Watch.folder in nbgrader_config.py must be a text in quotes, not 5."),
        ("port", 80000, "c.Watch.port in nbgrader_config.py must be a whole number from 0 to 65535, not 80000."),
        ("parts", [1], 'c.Watch.parts in nbgrader_config.py must be a list, such as ["part01", "part02"], not [1].'),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_with_what_it_must_be(name: str, value: object, said: str):
    config = Config()
    config.Watch[name] = value
    with pytest.raises(CourseError) as error:
        settings.read(config, COURSE)
    assert str(error.value) == said


def test_an_option_of_the_wrong_kind_is_named_as_it_was_typed():
    with pytest.raises(CourseError, match=r"^--port must be a whole number from 0 to 65535, not 99999\.$"):
        settings.read(Config(), COURSE, port=99999)


def test_a_section_in_small_letters_is_not_passed_over():
    config = Config()
    config.watch = Config(release=True)
    with pytest.raises(CourseError, match=r"sets c\.watch, .* Write c\.Watch\."):
        settings.read(config, COURSE)


def test_parts_may_be_a_list_that_is_added_to_or_one_name():
    config = Config()
    config.Watch.parts.append("part02")
    assert settings.read(config, COURSE).parts == ["part02"]
    assert settings.read(Config(Watch=Config(parts="part01")), COURSE).parts == ["part01"]
