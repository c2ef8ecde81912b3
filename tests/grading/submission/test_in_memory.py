"""A submission's notebooks are parsed once on their way through a process, and so is its folder."""

from pathlib import Path

import graded_here
import lean
import nbformat
import parses
import pytest
from nbconvert.writers import FilesWriter
from nbformat.v4 import new_markdown_cell, new_notebook

from attention import course
from attention.course import COURSE
from dev import handed_in
from grading.gradebook import course_folder, generate_assignment
from grading.submission import extra_files, folder_status, in_memory

ONE, EIGHT = course.PARTS[1], course.PARTS[8]
WORDS = ("word_of_part01", "word_of_part08")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of two parts; a student has submitted both, with a file."""
    root = tmp_path_factory.mktemp("memory")
    lean.new(root, ONE, EIGHT)
    folder = root / "submitted" / "ada" / COURSE.name
    folder.mkdir(parents=True)
    for part, word in zip((ONE, EIGHT), WORDS, strict=True):
        lean.write(folder, part, handed_in.submission(part, f"{word} = 1\n"))
    (folder / "data.csv").write_text("1,2\n")
    generate_assignment.register(root)
    return root


def test_a_class_run_parses_each_notebook_once_from_the_student_s_file_to_the_pages(root: Path):
    with parses.counted(*WORDS) as found:
        result = graded_here.grade_student(root, "ada")
    assert not result.error and not result.unmarked
    assert (root / "feedback" / "ada" / COURSE.name / "index.html").exists()
    assert found == dict.fromkeys(WORDS, 1)


@pytest.mark.parametrize(("changed_within_ns", "read"), [(-(10**18), 1), (10**18, 2)], ids=["long ago", "a moment ago"])
def test_a_class_run_reads_a_submission_s_folder_to_send_it_and_again_only_if_it_may_have_changed(
    changed_within_ns: int, read: int, root: Path, monkeypatch: pytest.MonkeyPatch
):
    walked, walk = [], extra_files._admitted
    monkeypatch.setattr(extra_files, "_admitted", lambda folder, of: walked.append(folder) or walk(folder, of))
    monkeypatch.setattr(folder_status, "TICK_NS", changed_within_ns)
    assert not graded_here.grade_student(root, "ada").error
    submitted = root / "submitted" / "ada" / COURSE.name
    ours = [folder for folder in walked if folder == submitted]
    assert len(walked) - len(ours) == 1, "on the worker, for notices and for what nbgrader copies"
    assert len(ours) == read


def test_each_of_nbgrader_s_commands_parses_each_notebook_once(root: Path):
    api = course_folder.api(root)
    with parses.counted(*WORDS) as found:
        result = api.autograde(COURSE.name, "ada", force=True, create=True)
    assert result["success"] and found == dict.fromkeys(WORDS, 1)
    with parses.counted(*WORDS) as found:
        result = api.generate_feedback(COURSE.name, "ada", force=True)
    assert result["success"] and found == dict.fromkeys(WORDS, 1)


def test_what_is_held_is_what_the_file_holds(root: Path):
    graded = root / "autograded" / "ada" / COURSE.name
    with in_memory.once():
        assert course_folder.api(root).autograde(COURSE.name, "ada", force=True, create=True)["success"]
        for part in (ONE, EIGHT):
            path = graded / f"{part.stem}.ipynb"
            held = in_memory.notebook(path)
            assert nbformat.writes(held, version=4) + "\n" == path.read_text(encoding="utf-8")


def test_a_clean_copy_is_written_short_and_the_graded_one_as_nbformat_writes_it(
    root: Path, monkeypatch: pytest.MonkeyPatch
):
    texts, write = {}, FilesWriter.write

    def noted(self: FilesWriter, output: str, resources: dict, notebook_name: str | None = None, **kw: object) -> str:
        texts.setdefault(notebook_name, []).append(output)
        return write(self, output, resources, notebook_name=notebook_name, **kw)

    monkeypatch.setattr(FilesWriter, "write", noted)
    assert course_folder.api(root).autograde(COURSE.name, "ada", force=True, create=True)["success"]
    assert texts.keys() == {ONE.stem, EIGHT.stem}
    for copy, graded in texts.values():
        notebooks = [nbformat.reads(text, as_version=4) for text in (copy, graded)]
        for notebook in notebooks:
            nbformat.validate(notebook)
        assert copy.count("\n") == 0 and nbformat.writes(notebooks[1], version=4) + "\n" == graded


def written(path: Path, text: str) -> Path:
    """A notebook's file with one text."""
    path.parent.mkdir(exist_ok=True)
    nbformat.write(new_notebook(cells=[new_markdown_cell(text, id="a")]), path)
    return path


def text(path: Path) -> str:
    return in_memory.notebook(path).cells[0].source


def test_outside_a_block_nothing_is_held(tmp_path: Path):
    path = written(tmp_path / "a.ipynb", "first")
    in_memory.keep(path, new_notebook())
    assert in_memory.notebook(path) is None
    with in_memory.once():
        assert text(path) == "first"
    with in_memory.once():
        written(path, "second")
        assert text(path) == "second"


def test_what_is_parsed_is_what_is_held_and_without_a_block_what_the_file_holds(tmp_path: Path):
    path = written(tmp_path / "a.ipynb", "first")
    with in_memory.once():
        assert in_memory.parsed(path) is in_memory.notebook(path)
        written(path, "second")
        assert in_memory.parsed(path)["cells"][0]["source"] == "first"
    assert "".join(in_memory.parsed(path)["cells"][0]["source"]) == "second"


def test_a_block_within_a_block_shares_what_the_outer_one_holds(tmp_path: Path):
    path = written(tmp_path / "a.ipynb", "first")
    with in_memory.once():
        with in_memory.once():
            assert text(path) == "first"
        written(path, "second")
        assert text(path) == "first"


def test_a_notebook_that_is_written_again_takes_the_place_of_the_one_that_was_read(tmp_path: Path):
    path = written(tmp_path / "a.ipynb", "first")
    with in_memory.once():
        assert text(path) == "first"
        in_memory.keep(path, new_notebook(cells=[new_markdown_cell("second")]))
        assert text(path) == "second"


def test_the_next_student_s_folder_takes_the_place_of_the_last_one_s(tmp_path: Path):
    ada, ben = written(tmp_path / "ada" / "a.ipynb", "ada's"), written(tmp_path / "ben" / "a.ipynb", "ben's")
    with in_memory.once():
        assert [text(ada), text(ben)] == ["ada's", "ben's"]
        written(ada, "changed")
        assert text(ada) == "changed", "or a class that one process grades would all be held"


def test_the_files_of_two_folders_are_told_apart(tmp_path: Path):
    for name in ("ada", "ben"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.csv").touch()
    with in_memory.once():
        found = [extra_files.admitted(tmp_path / name, COURSE)[0] for name in ("ada", "ben", "ada")]
    assert [Path(path).name for (path,) in found] == ["ada.csv", "ben.csv", "ada.csv"]
