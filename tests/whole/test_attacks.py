"""Hostile submissions: none earns more than its honest content, reads what it may not, or costs anyone else anything.

One class, graded in one run by the real pipeline, with small limits. Each file in tests/attacks is a student, submitted
beside an honest one. The rules against imports are taken out of this class's tests, so that they stop nobody here: the
walls and the judge must hold alone.

`attacks` says how a file is written.
"""

import contextlib
import ctypes
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import attacks
import lean
import nbformat
import psutil
import pytest
from attacks import ATTACKS, IN_OTHER_WORDS, LIMITS, SECRETS, SLACK_S, Attack

from attention import course
from attention.course import COURSE
from dev import handed_in
from grading.classroom import class_run
from grading.core import limits
from grading.gradebook import course_folder, generate_assignment, marks
from grading.sandbox import bubblewrap

NEXT = "03-value-from-x"  # the honest student's answer to part 1; it earns 3 of 5
PR_SET_CHILD_SUBREAPER = 36
# For one's own use, a part of their names may be set.
WANTED = [attack for attack in ATTACKS.values() if re.search(os.environ.get("ATTACKS", ""), attack.name)]
each = attacks.each(WANTED)
MOST_BYTES = 60 * 2**20  # of notebook and page: 3 MB of outputs, and 20 MB of HTML


def _submit_honestly(root: Path, student: str) -> None:
    folder = root / "submitted" / student / COURSE.name
    folder.mkdir(parents=True)
    answer = (handed_in.ANSWERS / "part01" / f"{NEXT}.py").read_text(encoding="utf-8")
    answer += f"\n# {SECRETS['another student' + chr(39) + 's submission']}\n"
    lean.write(folder, course.PARTS[1], handed_in.submission(course.PARTS[1], answer))


def _next(attack: Attack) -> str:
    """The honest student who is graded next, often in the same sandbox."""
    return f"{attack.name}--next"


@dataclass(frozen=True)
class Run:
    """The graded class: its folder, marks and results by student, and what was left of it."""

    root: Path
    rows: dict[str, marks.Row]
    results: dict[str, class_run.Graded]
    seconds: float
    slowness: float
    processes: list[str]
    files: list[str]

    def notebook(self, attack: Attack) -> dict:
        path = self.root / "autograded" / attack.name / COURSE.name / f"{attack.part.stem}.ipynb"
        return nbformat.read(path, as_version=4)

    def shown(self, attack: Attack) -> dict[str, str]:
        """Everything that the student may get to see, by file: pages, and outputs without their sources."""
        out = {}
        for path in (self.root / "autograded" / attack.name).rglob("part*.ipynb"):
            cells = nbformat.read(path, as_version=4).cells
            out[path.name] = "\n".join(json.dumps(cell.get("outputs", [])) for cell in cells)
        for path in (self.root / "feedback" / attack.name).rglob("*.html"):
            out[path.name] = path.read_text(encoding="utf-8")
        return out

    def outputs(self, attack: Attack, test: bool) -> list[dict]:
        """The outputs of the test cell, or of all the others."""
        cells = [cell for cell in self.notebook(attack)["cells"] if cell["cell_type"] == "code"]
        of_test = [cell for cell in cells if cell["id"] == f"{attack.part.stem}-test"]
        return [o for cell in cells if (cell in of_test) == test for o in cell["outputs"]]

    def page(self, attack: Attack) -> str:
        path = self.root / "feedback" / attack.name / COURSE.name / f"{attack.part.stem}.html"
        return path.read_text(encoding="utf-8")


def _left(before: set[psutil.Process], limit_s: float = 10.0) -> list[str]:
    """The processes below this one that were not there before, once they had time to end."""
    end = time.monotonic() + limit_s
    while True:
        found = []
        for process in set(psutil.Process().children(recursive=True)) - before:
            with contextlib.suppress(psutil.NoSuchProcess):
                command = " ".join(process.cmdline())
                if process.status() != psutil.STATUS_ZOMBIE and not re.search("resource_tracker|forkserver", command):
                    found.append(f"{process.pid} {command}")
        if not found or time.monotonic() > end:
            return found
        time.sleep(0.2)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """The class, graded."""
    if reason := bubblewrap.available():
        pytest.fail(reason)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)  # whoever is left behind becomes a child of this process
    root = tmp_path_factory.mktemp("class")
    lean.new(root, course.PARTS[1], *(attack.part for attack in ATTACKS.values()))
    attacks.without_rules(root)
    (root / "home").mkdir()
    (root / "home" / "diary.txt").write_text(SECRETS["a file in the home folder"])
    temporary = Path(tempfile.mkdtemp(prefix="attacks-"))  # not below root, which pytest closes to other users
    temporary.chmod(0o711)
    students = []
    for attack in WANTED:
        attacks.submit(root / "submitted" / attack.name / COURSE.name, attack)
        students.append(attack.name)
        students.append(_next(attack))
        _submit_honestly(root, students[-1])
    with pytest.MonkeyPatch.context() as patch:
        for name, value in LIMITS.items():
            patch.setenv(f"GRADING_{name}", str(value))
        patch.setenv("ATTENTION_COURSE_SECRET", SECRETS["the course's secret"])
        patch.setenv("HOME", str(root / "home"))
        patch.setenv("TMPDIR", str(temporary))
        generate_assignment.register(root)
        before, started = set(psutil.Process().children(recursive=True)), time.monotonic()
        results, slowness = {}, 1.0
        for result in class_run.graded(root, students, workers=4):
            results[result.student] = result
            slowness = max(slowness, os.getloadavg()[0] / os.cpu_count())
            print(f"{result.seconds:6.1f} s  {result.student}  {result.error} {result.unmarked}", flush=True)
        seconds = time.monotonic() - started
    left = _left(before)
    with course_folder.gradebook(root) as book:
        rows = {row.student: row for row in marks.read(book, COURSE)}
    files = [path.name for path in temporary.iterdir()]
    shutil.rmtree(temporary)
    yield Run(root, rows, results, seconds, slowness, left, files)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 0)


def test_there_are_enough():
    assert len(ATTACKS) >= 40


@each
def test_an_attack_earns_what_its_honest_content_earns(attack: Attack, run: Run):
    result = run.results[attack.name]
    assert (result.error, result.unmarked) == ("", [])
    assert run.rows[attack.name].parts[attack.part.number] == attack.earns


@each
def test_the_test_cell_holds_a_report_and_one_result(attack: Attack, run: Run):
    report, result = run.outputs(attack, test=True)
    assert (report["output_type"], result["output_type"]) == ("display_data", "execute_result")
    assert "".join(report["data"]["text/plain"]).startswith(f"Part {attack.part.number}")
    assert result["data"] == {"text/plain": repr(attack.earns)}


@each
def test_an_attack_learns_no_secret(attack: Attack, run: Run):
    for file, text in run.shown(attack).items():
        for what, secret in SECRETS.items():
            assert secret not in text, f"{what} stands in {file}"


@each
def test_an_attack_leaves_no_script_in_the_feedback(attack: Attack, run: Run):
    page = re.sub(r"(?s)\A.*?<body>", "", run.page(attack))
    page = re.sub(r"data:image/png;base64,[\w+/=]*", "", page)  # which may spell any word
    assert not re.search(r"(?i)<(script|iframe|object|embed|svg|form|link|meta|base|style)\b", page)
    assert not re.search(r"(?i)<[^>]*\s(on\w+|(href|src)\s*=\s*[\"']?\s*(javascript|vbscript|data:text))", page)
    assert not re.search(r"(?i)<img[^>]*http", page)


@each
def test_the_next_student_gets_the_marks_of_an_honest_run(attack: Attack, run: Run):
    result = run.results[_next(attack)]
    assert (result.error, result.unmarked, run.rows[_next(attack)].parts[1]) == ("", [], 3.0)
    assert (run.root / "feedback" / _next(attack) / COURSE.name / "part01.html").exists()


@each
def test_an_attack_takes_no_longer_than_a_notebook_may(attack: Attack, run: Run):
    own_s = LIMITS["NOTEBOOK_LIMIT_S"] + LIMITS["SILENCE_LIMIT_S"] + SLACK_S
    assert run.results[attack.name].seconds < own_s * min(run.slowness, limits.BUSY_FACTOR)


@each
def test_what_the_grader_says_of_an_attack_is_in_its_own_words(attack: Attack, run: Run):
    result = run.results[attack.name]
    assert [line for line in (*result.struck, *map(str, result.notices)) if IN_OTHER_WORDS in line] == []


@pytest.mark.parametrize("name", ["forge-words-of-the-grader", "forge-error-of-ours"])
def test_an_error_with_the_name_of_a_limit_is_no_limit(name: str, run: Run):
    assert run.results[name].struck == []


@each
def test_what_is_written_for_an_attack_stays_small(attack: Attack, run: Run):
    folders = [run.root / place / attack.name for place in ("autograded", "feedback")]
    sizes = [path.stat().st_size for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert sum(sizes) < MOST_BYTES


def test_no_process_is_left(run: Run):
    assert run.processes == []


def test_no_file_is_left(run: Run):
    assert [name for name in run.files if not name.startswith(("tmp", "pymp-"))] == []
