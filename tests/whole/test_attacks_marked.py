"""Hostile answers of somebody who learns alone: `mark` gives them no point, shows no hidden test, and ends in time.

All that forges or steals, and some of what exhausts (with ALL_ATTACKS=1 all), goes through the command round by round,
each time with attacks on different parts in one folder. The rules are taken out of the tests, so that the walls and the
judge hold alone.
"""

import html
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import attacks
import lean
import pytest
from attacks import ATTACKS, LIMITS, SECRETS, SLACK_S, Attack

from attention import course
from attention.course import COURSE
from dev.packages import REPOSITORY
from grading.core import limits
from grading.sandbox import bubblewrap

EXHAUST = (
    "exhaust-endless-call-that-swallows-interrupts",
    "exhaust-judge-products",
    "exhaust-judge-repr",
    "exhaust-kills-everyone",
    "exhaust-reader-of-text",
)
CHOSEN = attacks.chosen(EXHAUST)
each = attacks.each(CHOSEN)
WRITTEN = {attack.part.number for attack in CHOSEN} | {1, 4, 5, 6, 7}  # the parts whose notebooks attacks write
# As if the command were typed once a round, without the seconds in which Python starts.
MARK = """
import contextlib, json, os, shutil, sys, time
from pathlib import Path
from grading.__main__ import main

root, rounds = Path(sys.argv[1]), int(sys.argv[2])
work, pages = root / "work" / "attention", root / "work" / "marked" / "feedback" / "me" / "attention"
for place in (root / "rounds" / str(number) for number in range(rounds)):
    (place / "attention").rename(work)
    started = time.monotonic()
    with (place / "marks.json").open("w") as found, (place / "table.txt").open("w") as shown:
        with contextlib.redirect_stdout(found), contextlib.redirect_stderr(shown):
            status = main(["mark", "--json", "--course", str(root)])
    seconds, slowness = time.monotonic() - started, max(1, os.getloadavg()[0] / os.cpu_count())
    (place / "status.json").write_text(json.dumps([status, seconds, slowness]))
    shutil.copytree(pages, place / "pages")
    work.rename(place / "attention")
"""


@dataclass(frozen=True)
class Round:
    """What the command left of one round: the folder with what it showed, its exit status, its time, and how many
    programs shared a core."""

    place: Path
    status: int
    seconds: float
    slowness: float

    def part(self, attack: Attack) -> dict:
        """What the JSON says of an attack's part."""
        found = json.loads((self.place / "marks.json").read_text(encoding="utf-8"))
        return found["students"][0]["parts"][attack.part.number - 1]

    def shown(self) -> dict[str, str]:
        """Everything that was printed and written for the learner, by file."""
        paths = [self.place / "marks.json", self.place / "table.txt", *sorted((self.place / "pages").glob("*.html"))]
        return {path.name: html.unescape(path.read_text(encoding="utf-8")) for path in paths}


def rounds_of(chosen: list[Attack]) -> list[list[Attack]]:
    """The attacks, in each round one on a part; one that writes other parts' notebooks is alone in its round.

    The first one takes every notebook that it finds next to its own for a stolen one, so there must be none yet.
    """
    first, *others = sorted(chosen, key=lambda attack: attack.name != "steal-environment")
    alone = [attack for attack in others if attack.tamper and attack.part.number == 3]
    by_part = [[a for a in others if a.part is part and a not in alone] for part in course.PARTS.values()]
    return [[first], *([*filter(None, each)] for each in zip_longest(*by_part)), *([attack] for attack in alone)]


@pytest.fixture(scope="module")
def rounds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Round]:
    """Each attack's round, marked."""
    if reason := bubblewrap.available():
        pytest.fail(reason)
    root = tmp_path_factory.mktemp("alone")
    lean.new(root, *(part for part in course.PARTS.values() if part.number in WRITTEN))
    attacks.without_rules(root)
    (root / "home").mkdir()
    (root / "home" / "diary.txt").write_text(SECRETS["a file in the home folder"])
    (root / "work").mkdir()
    planned = rounds_of(CHOSEN)
    for number, attacking in enumerate(planned):
        for attack in attacking:
            attacks.submit(root / "rounds" / str(number) / COURSE.name, attack)
    small = {f"GRADING_{name}": str(value) for name, value in LIMITS.items()}
    own = {"ATTENTION_COURSE_SECRET": SECRETS["the course's secret"], "HOME": str(root / "home")}
    done = subprocess.run(
        [sys.executable, "-c", MARK, str(root), str(len(planned))],
        cwd=REPOSITORY,
        env={**os.environ, **small, **own},
        capture_output=True,
        text=True,
        timeout=len(CHOSEN) * (LIMITS["NOTEBOOK_LIMIT_S"] + SLACK_S),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = {}
    for number, attacking in enumerate(planned):
        place = root / "rounds" / str(number)
        one = Round(place, *json.loads((place / "status.json").read_text(encoding="utf-8")))
        found |= {attack.name: one for attack in attacking}
        print(f"{one.seconds:5.1f} s  {', '.join(attack.name for attack in attacking)}", flush=True)
    return found


def test_there_are_enough():
    assert len(CHOSEN) >= 35 and {name.partition("-")[0] for name in ATTACKS} == {"forge", "steal", "exhaust", "honest"}


@each
def test_an_attack_earns_what_its_honest_content_earns(attack: Attack, rounds: dict[str, Round]):
    one = rounds[attack.name]
    assert one.status == 0 and one.part(attack)["mark"] == attack.earns
    of = f"{attack.part.number:>2}  {attack.part.title} *  {attack.earns:g} of {attack.part.points:g}"
    assert re.search(of, (one.place / "table.txt").read_text(encoding="utf-8"))
    page = (one.place / "pages" / f"{attack.part.stem}.html").read_text(encoding="utf-8")
    assert f"<strong>{attack.earns:g}</strong> of {attack.part.points:g} points" in page


@each
def test_an_attack_learns_no_secret_and_no_line_of_a_hidden_test(attack: Attack, rounds: dict[str, Round]):
    for file, text in rounds[attack.name].shown().items():
        assert attacks.let_out(text) == [], file


def test_what_looks_for_hidden_tests_does_look_at_a_notebook_that_was_graded_before(rounds: dict[str, Round]):
    assert re.search(r"\blooked through \d+", rounds["steal-hidden-tests-in-the-folder"].shown()["part03.html"])


@each
def test_an_attack_takes_no_longer_than_notebooks_may(attack: Attack, rounds: dict[str, Round]):
    one = rounds[attack.name]
    notebooks = sum(other is one for other in rounds.values()) + len(attack.tamper)  # some of which write another one
    own_s = notebooks * (LIMITS["NOTEBOOK_LIMIT_S"] + LIMITS["SILENCE_LIMIT_S"]) + SLACK_S
    assert one.seconds < own_s * min(one.slowness, limits.BUSY_FACTOR)
