"""What is noted of a class once its assignment is entered."""

from pathlib import Path

import full_disk

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
