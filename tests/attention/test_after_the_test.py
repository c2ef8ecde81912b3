"""What a student's code could print once a hidden test has asked: after it, in the same kernel."""

import pytest
from hidden_tests import Beside, run

from attention import course
from dev import handed_in
from grading.bridge import wire
from grading.core import cells


class Listening(Beside):
    """A transport to the model answer that notes what is sent with each request."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.sent: list[object] = []

    def ask(self, request: bytes, limit_s: float) -> bytes:
        """The reply."""
        self.sent += wire.decode(request)["args"]
        return super().ask(request, limit_s)


def written_after(number: int) -> list[str]:
    """The cells of code in which a student writes, after a part's test."""
    found = handed_in.model(course.PARTS[number])["cells"]
    (test,) = [n for n, cell in enumerate(found) if cell["id"].endswith("-test")]
    return [c["id"] for c in found[test:] if c["cell_type"] == "code" and cells.is_editable(c)]


AFTER = [number for number in course.PARTS if written_after(number)]


def test_there_are_parts_whose_students_write_code_after_the_test():
    assert AFTER == [14]


@pytest.mark.parametrize("number", AFTER)
def test_a_hidden_test_before_a_student_s_code_sends_no_numbers_that_it_could_print(number: int):
    transport = Listening(number)
    assert run(number, transport).marks == course.PARTS[number].automatic
    assert transport.sent and all(isinstance(each, str) for each in transport.sent)
