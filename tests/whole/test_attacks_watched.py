"""Hostile submissions to the service: no point is forged, no hidden test is shown, and the honest wait for nobody long.

All that forges or steals, and some of what exhausts (with ALL_ATTACKS=1 all), lies in the exchange when the service
starts, and honest students among them. The rules are taken out of the tests, so that walls and judge hold alone.
"""

import html
import json
from collections.abc import Iterator
from pathlib import Path

import attacks
import lean
import pytest
import watched
from attacks import ATTACKS, LIMITS, SECRETS, SLACK_S, Attack

from attention import course
from attention.course import COURSE
from dev import handed_in
from grading.gradebook import course_folder, marks
from grading.sandbox import bubblewrap

EXHAUST = (
    "exhaust-disk",
    "exhaust-endless-loop-that-swallows-interrupts",
    "exhaust-kills-everyone",
    "exhaust-segfault",
)
CHOSEN = attacks.chosen(EXHAUST)
each = attacks.each(CHOSEN)
HONEST = [f"honest-student-{number}" for number in range(1, 4)]
PARTS = [course.PARTS[number] for number in sorted({attack.part.number for attack in CHOSEN} | {1, 3, 6})]


class Storm:
    """What the service did, and what it showed to whom."""

    def __init__(self, root: Path, service: watched.Service, submitted: dict[str, watched.Submitted]) -> None:
        self.service, self.submitted = service, submitted
        with course_folder.gradebook(root) as book:
            self.parts = {row.student: row.parts for row in marks.read(book, course_folder.course(root))}
        self.healthy = service.ask("health", token=False)[0] == 200

    def shown(self, name: str) -> dict[str, str]:
        """All that a student is shown, by file."""
        pages = {part.stem: self.submitted[name].feedback(part.stem) for part in PARTS}
        return {stem: html.unescape(page) for stem, page in pages.items() if page}


@pytest.fixture(scope="module")
def storm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storm]:
    """All of them graded; the service still runs."""
    if reason := bubblewrap.available():
        pytest.fail(reason)
    root = tmp_path_factory.mktemp("storm")
    lean.new(root, *PARTS)
    attacks.without_rules(root)
    with (root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write(f"\nc.Exchange.root = {str(root / 'exchange')!r}\nc.Watch.release = True\n")
        file.write(
            "c.CourseDirectory.max_dir_size = 10**8  # kB; one attack is a file of 20 GB, of which nothing is written\n"
        )
    (root / "exchange" / COURSE.name / "inbound").mkdir(parents=True)
    (root / "home").mkdir()
    (root / "home" / "diary.txt").write_text(SECRETS["a file in the home folder"])
    names = [*HONEST[:1], *(attack.name for attack in CHOSEN), *HONEST[1:]]
    submitted = {name: _submit(root, name) for name in names}
    limits = {f"GRADING_{name}": str(value) for name, value in LIMITS.items()}
    own = {"ATTENTION_COURSE_SECRET": SECRETS["the course's secret"], "HOME": str(root / "home")}
    with watched.running(root, workers=2, **limits, **own) as service:
        for name in names:
            service.wait(
                lambda name=name: service.said(rf" {name}: graded(,|$)"), SLACK_S + 2 * LIMITS["NOTEBOOK_LIMIT_S"]
            )
        service.wait(lambda: all("of 10 points" in submitted[name].feedback("part03") for name in HONEST))
        yield Storm(root, service, submitted)


def _submit(root: Path, name: str) -> watched.Submitted:
    """Submits an attack, or an honest student's work; written elsewhere first, where its links lead somewhere."""
    written = root / "outbox" / name / COURSE.name
    if name in ATTACKS:
        attacks.submit(written, ATTACKS[name])
    else:
        written.mkdir(parents=True)
        lean.write(written, course.PARTS[3], handed_in.model(course.PARTS[3]))
    submitted = watched.place(root, name, COURSE.name)
    written.rename(submitted.folder)
    submitted.end()
    return submitted


@each
def test_an_attack_earns_what_its_honest_content_earns(attack: Attack, storm: Storm):
    assert storm.parts[attack.name][attack.part.number] == attack.earns


def test_honest_students_among_them_keep_every_point(storm: Storm):
    assert {storm.parts[name][3] for name in HONEST} == {10.0}
    assert storm.healthy and not storm.service.said("waiting:")


@each
def test_an_attack_learns_no_secret_and_no_line_of_a_hidden_test(attack: Attack, storm: Storm):
    shown = storm.shown(attack.name)
    assert f"of {attack.part.points:g} points" in shown[attack.part.stem]
    for stem, text in shown.items():
        assert attacks.let_out(text) == [], stem


def test_log_queue_and_metrics_hold_nothing_of_it_either(storm: Storm):
    pages = [storm.service.ask(page)[1] for page in ("", "health", "metrics")]
    for text in ("\n".join(storm.service.lines), *pages):
        assert attacks.let_out(text) == []
    assert json.loads(pages[0])["counts"]["graded"] == len(CHOSEN) + len(HONEST)


def test_no_submission_is_taken_with_a_link_that_leads_somewhere(storm: Storm):
    submitted = storm.service.root / "submitted"
    links = [path for path in submitted.rglob("*") if path.is_symlink()]
    assert links and not [path for path in links if path.exists()]
    assert course_folder.students(storm.service.root) == sorted([*HONEST, *(attack.name for attack in CHOSEN)])
