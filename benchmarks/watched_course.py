"""A course whose exchange the service watches, the service as a process, and the students' side of the exchange.

Students submit the sample class's notebooks, honest and wrong ones in turns, as `nbgrader submit` does: the secret is
written last, and from then on the submission is whole. What they see is what they fetch: their pages in the exchange.
"""

import contextlib
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psutil
import ways  # finds `grading`
from nbgrader.utils import notebook_hash

from attention import course
from attention.course import COURSE
from grading.gradebook import course_folder

SETTINGS = """
c.Exchange.root = {exchange!r}
c.ExchangeCollect.check_owner = False  # all submissions are this account's
c.Watch.release = True
"""
PATIENCE_S = 120.0  # for the service to start, and to end
MARKS = re.compile(r"</strong> of \d+ points")
TOLD = re.compile(r"it was number (\d+) in line(?:, with its feedback expected within (\d+) s)?")


@dataclass(frozen=True)
class Told:
    """The place in line on a student's page, the seconds until feedback that it promises, and when it was written."""

    place: int
    expected_s: float
    at: float


class Submitted:
    """A submission in the exchange, and what its student has seen of it so far; times in seconds since 1970."""

    def __init__(self, student: str, at: float, page: Path) -> None:
        self.student, self.at = student, at
        self.told: Told | None = None
        self.feedback_at: float | None = None
        self._page, self._seen = page, 0

    def fetch(self) -> bool:
        """Whether the page of its last notebook has marks; that page is written last."""
        if self.feedback_at is not None:
            return True
        with contextlib.suppress(FileNotFoundError), self._page.open(encoding="utf-8") as file:
            status = os.fstat(file.fileno())
            if status.st_mtime_ns != self._seen:
                self._seen, text = status.st_mtime_ns, file.read()
                if MARKS.search(text):
                    self.feedback_at = status.st_mtime
                elif found := TOLD.search(text):
                    self.told = Told(int(found[1]), float(found[2] or 0), status.st_mtime)
        return self.feedback_at is not None


def build(root: Path, parts: list[int]) -> None:
    """Makes a course with an empty exchange; in made/ lies a submission of each kind of student."""
    ways.build(root, len(ways.KINDS), parts)
    (root / "submitted").rename(root / "made")
    (root / "submitted").mkdir()
    ways.reset(root, ways.JUDGE)
    with (root / course_folder.CONFIGURATION).open("a", encoding="utf-8") as file:
        file.write(SETTINGS.format(exchange=str(root / "exchange")))
    for step in ("inbound", "outbound"):
        (root / "exchange" / COURSE.name / step).mkdir(parents=True)


def submit(
    root: Path, number: int, parts: list[int], kinds: tuple[str, ...] = ways.KINDS, secret: str = ""
) -> Submitted:
    """Submits these parts to the exchange, as the student of this number; the secret is drawn unless given."""
    kind = kinds[number % len(kinds)]
    made = root / "made" / f"{ways.KINDS.index(kind):03d}-{kind}" / COURSE.name
    student, secret = f"{number:05d}-{kind}", secret or secrets.token_hex(64)
    moment = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f} UTC"
    folder = root / "exchange" / COURSE.name / "inbound" / f"{student}+{COURSE.name}+{moment}+{secrets.token_hex(4)}"
    left_out = [f"{part.stem}.ipynb" for part in course.PARTS.values() if part.number not in parts]
    shutil.copytree(made, folder, ignore=shutil.ignore_patterns(*left_out))
    (folder / "timestamp.txt").write_text(moment, encoding="utf-8")
    (folder / "submission_secret.txt").write_text(secret, encoding="utf-8")
    at = (folder / "submission_secret.txt").stat().st_mtime
    page = notebook_hash(secret=secret, notebook_id=course.PARTS[max(parts)].stem)
    return Submitted(student, at, root / "exchange" / COURSE.name / "feedback" / f"{page}.html")


class Service:
    """A running service of a course."""

    def __init__(self, process: psutil.Popen, log: Path) -> None:
        self.process, self._log = process, log
        self._address = ""

    def lines(self) -> list[str]:
        """What it has printed so far."""
        return self._log.read_text(encoding="utf-8", errors="replace").splitlines()

    def queue(self) -> dict:
        """The queue as its status page has it."""
        with urllib.request.urlopen(f"{self._address}&format=json") as answer:
            return json.load(answer)

    def wait(self, ready: Callable[[], object], limit_s: float = PATIENCE_S, every_s: float = 0.05) -> None:
        """Waits until `ready` says so.

        Errors  RuntimeError if the service ends, or it takes longer.
        """
        end = time.monotonic() + limit_s
        while not ready():
            if self.process.poll() is not None or time.monotonic() > end:
                why = "takes too long" if self.process.poll() is None else "has ended"
                raise RuntimeError(f"the service {why}: {(self.lines() or ['no word'])[-1]}")
            time.sleep(every_s)

    def is_up(self) -> bool:
        """Whether a worker of its is warm."""
        if not self._address:
            self._address = next(iter(re.findall(r"the queue: (\S+)", "\n".join(self.lines()))), "")
        return bool(self._address) and self.queue()["status"] == "ok"


@contextlib.contextmanager
def running(root: Path, workers: int) -> Iterator[Service]:
    """Runs the service until it grades, and within; at the end nothing of it is left.

    Errors  RuntimeError if it doesn't start, or doesn't end well.
    """
    words = f"watch --port 0 --workers {workers} --course".split()
    log = root / "watch.log"
    with log.open("w", encoding="utf-8") as output:
        process = psutil.Popen(
            [sys.executable, "-m", "grading", *words, str(root)],
            cwd=root, env=ways.environment(), stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
    service = Service(process, log)
    try:
        service.wait(service.is_up)
        yield service
        process.terminate()
        if status := process.wait(PATIENCE_S):
            raise RuntimeError(f"the service ended with {status}: {service.lines()[-1]}")
    finally:
        if process.poll() is None:
            left = [*process.children(recursive=True), process]
            for each in left:
                with contextlib.suppress(psutil.NoSuchProcess):
                    each.kill()
            process.wait()
