"""What is noted of a class once its assignment is entered."""

from pathlib import Path

import full_disk
import lean
import pytest

from attention.course import COURSE
from grading.classroom import registration
from grading.core import errors

FULL = """
import sys
from pathlib import Path
from grading.classroom import registration

root = Path(sys.argv[1])
stamp = root / "autograded" / registration.STAMP
stamp.parent.mkdir()
stamp.write_text('["sources", "digest", true]')
registration.inputs.read = lambda *_: None
registration.generate_assignment.register = lambda *_: []
registration._stamped = lambda *_: ["other sources" * 100_000, "digest", True]
fill(root)
try:
    registration.current(root, None)
except OSError as error:
    print(error.strerror)
print(stamp.read_text())
"""


def test_a_full_disk_does_not_forget_that_a_class_was_graded_with_a_secret(tmp_path: Path):
    ran = full_disk.run(FULL, tmp_path, 8, str(tmp_path))
    assert ran.stdout.splitlines() == ["No space left on device", '["sources", "digest", true]'], ran.stderr


def test_a_gradebook_that_is_gone_is_not_replaced_by_an_empty_one_by_mistake(tmp_path: Path):
    lean.new(tmp_path, COURSE.parts[0])
    registration.refuse_mistakes(tmp_path, COURSE)  # nobody has been graded yet
    (tmp_path / "autograded").mkdir()
    (tmp_path / "autograded" / registration.STAMP).write_text("[]")
    with pytest.raises(errors.CourseError, match=r"the gradebook .*gradebook\.db is gone.* Put it back.*--force"):
        registration.refuse_mistakes(tmp_path, COURSE)
    (tmp_path / "gradebook.db").touch()
    registration.refuse_mistakes(tmp_path, COURSE)
