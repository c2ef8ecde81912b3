"""A class that was graded with the course's secret is graded without one only if somebody asks for that."""

import os
import subprocess
import sys
from pathlib import Path

import lean

from attention import course
from attention.course import COURSE
from dev import sample_class

ONE = course.PARTS[1]


def grade(root: Path, secret: str, *options: str) -> subprocess.CompletedProcess[str]:
    return run(root, secret, "autograde", *options)


def run(root: Path, secret: str, name: str, *options: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, COURSE.secret: secret}
    command = [sys.executable, "-m", "grading", name, "--course", str(root), "--workers", "1", *options]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)


def graded_at(root: Path) -> int:
    return (root / "autograded" / "anna" / f".{COURSE.name}.json").stat().st_mtime_ns


def test_a_class_that_was_graded_with_a_secret_is_not_graded_without_it_by_mistake(tmp_path: Path):
    lean.new(tmp_path, ONE)
    folder = tmp_path / "submitted" / "anna" / COURSE.name
    folder.mkdir(parents=True)
    lean.write(folder, ONE, sample_class.released(ONE))
    assert grade(tmp_path, "").returncode == 0  # it never had one
    assert grade(tmp_path, "nine grey geese").returncode == 0
    first = graded_at(tmp_path)
    refused = grade(tmp_path, "")
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (1, "", 1)
    assert refused.stderr.startswith(f"autograde: {COURSE.secret} is not set here, but the last marks were made with a")
    assert "docs/instructors.md, Choose a secret" in refused.stderr and "grade --course" in refused.stderr
    assert "nine grey geese" not in refused.stderr + "".join(p.read_text() for p in tmp_path.glob("autograded/.*.json"))
    watched = run(tmp_path, "", "watch", "--folder", str(tmp_path / "submitted"))
    assert (watched.returncode, watched.stdout) == (1, "")
    assert watched.stderr == refused.stderr.replace("autograde:", "watch:")
    assert graded_at(tmp_path) == first
    assert grade(tmp_path, "", "--force").returncode == 0
    assert graded_at(tmp_path) != first
    assert grade(tmp_path, "").returncode == 0
