"""The hostile answers in tests/attacks, as submissions, and what grading them must not let out.

A file is a docstring (what it tries; what must hold), headers, and cells that begin with `# %%`:

    # part: 3                   the part it submits
    # earns: 2                  the marks of its honest content
    # tamper: tags, outputs     optional: functions of `tamper` that damage the notebook or the folder
    # %%
    # MODEL                     such a line stands for the part's model answer
"""

import ast
import functools
import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

import course_secrets
import lean
import pytest
import tamper

from attention import course
from attention.course import COURSE
from dev import handed_in
from dev.packages import REPOSITORY
from grading.core.course import Part

FOLDER = Path(__file__).parents[1] / "attacks"
# What the class may use. An honest notebook here needs 1 s and 0.4 GB.
LIMITS = {
    "CELL_LIMIT_S": 3,
    "CALL_LIMIT_S": 2.0,
    "TEST_LIMIT_S": 6.0,
    "TESTS_LIMIT_S": 8.0,
    "NOTEBOOK_LIMIT_S": 20.0,
    "GRACE_S": 2.0,
    "RESPONSE_LIMIT_S": 2.0,
    "OUTPUTS_LIMIT_S": 6,
    "SILENCE_LIMIT_S": 6.0,
    "MEMORY_BYTES": 1536 * 2**20,
    "SCRATCH_BYTES": 48 * 2**20,
    "SHARED_BYTES": 32 * 2**20,
}
SLACK_S = 40.0  # starting a sandbox and ending one, on a busy machine
SECRETS = {
    "the course's secret": "secret-of-the-owner-81723",
    "another student's submission": "peer-text-48213",
    "a file in the home folder": "home-text-77120",
    "the gradebook": "SQLite format 3",
    "a hidden test": "sheet.item(",
    "an oracle": "hashlib.sha256",
    "what an attack prints when it succeeds": "STOLEN",
}
IN_OTHER_WORDS = "in a student's own words"  # what an attack has the grader say when it succeeds


@dataclass(frozen=True)
class Attack:
    """One hostile student: the part, what its honest content earns, its cells, and the damage to its files."""

    name: str
    part: Part
    earns: float
    cells: str
    tamper: list[str] = field(default_factory=list)


def _read(path: Path) -> Attack:
    head, *cells = re.split(r"^# %%.*\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert ast.get_docstring(ast.parse(head)), f"{path.name} does not say what it tries"
    said = dict(re.findall(r"^# (\w+): (.*)$", head, flags=re.MULTILINE))
    part = course.PARTS[int(said["part"])]
    text = "# %%\n".join(cells).replace("# MODEL\n", handed_in.sources(part)[f"{part.stem}-answer"] + "\n")
    return Attack(path.stem, part, float(said["earns"]), text, re.findall(r"\w+", said.get("tamper", "")))


def chosen(exhausting: tuple[str, ...]) -> list[Attack]:
    """What forges or steals, and these of what exhausts; all of them where ALL_ATTACKS is set, which takes longer."""
    every = bool(os.environ.get("ALL_ATTACKS"))
    return [a for name, a in ATTACKS.items() if every or name.startswith(("forge-", "steal-")) or name in exhausting]


def each(attacks: list[Attack]) -> pytest.MarkDecorator:
    """Has a test try each of some attacks, under its name."""
    return pytest.mark.parametrize("attack", attacks, ids=lambda attack: attack.name)


ATTACKS = {path.stem: _read(path) for path in sorted(FOLDER.glob("*.py"))}


def submit(folder: Path, attack: Attack) -> None:
    """Writes an attack into a student's new folder, which lies three folders below the course's."""
    folder.mkdir(parents=True, exist_ok=True)
    notebook = handed_in.submission(attack.part, attack.cells)
    for name in attack.tamper:
        getattr(tamper, name)(notebook, folder)
    lean.write(folder, attack.part, notebook)


def without_rules(root: Path) -> None:
    """Takes the rules out of a course's tests, so that they stop nobody: walls and judge must hold alone."""
    for path in (root / "source" / COURSE.name).glob("*.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            lines = "".join(cell["source"]).splitlines(keepends=True)
            cell["source"] = "".join(line for line in lines if not line.startswith("sheet.require("))
        path.write_text(json.dumps(notebook), encoding="utf-8")


@functools.cache
def _hidden_lines() -> set[str]:
    """The lines of all hidden tests that stand in no release and in no attack."""
    known = course_secrets.plain(" ".join(text for _, text in course_secrets.texts(REPOSITORY / "release")))
    known += course_secrets.plain(" ".join(attack.cells for attack in ATTACKS.values()))
    regions = [
        region
        for path in (REPOSITORY / "source" / COURSE.name).glob("*.ipynb")
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        for kind, region in course_secrets.REGIONS.findall("".join(cell["source"]))
        if kind == "HIDDEN TESTS"
    ]
    lines = {course_secrets.plain(line) for region in regions for line in region.splitlines()}
    found = {line for line in lines if len(line) >= course_secrets.SHORTEST and line not in known}
    assert len(found) > 100
    return found


def let_out(text: str) -> list[str]:
    """What of the secrets and of the hidden tests' lines stands in a text that somebody is shown."""
    plain = course_secrets.plain(re.sub(r"<[^>]*>", "", text))
    secrets = [what for what, secret in SECRETS.items() if secret in text]
    return secrets + [line for line in _hidden_lines() if line in plain]
