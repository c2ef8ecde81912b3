"""work/COURSE: put there where nothing is, renewed by a newer release, and never at the cost of an answer."""

import json
import shutil
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from attention.course import COURSE, PARTS
from dev.packages import REPOSITORY
from grading.core import errors, files
from grading.own_work import newer_release, work_folder
from grading.submission import kept_copies

PART = PARTS[6]
ANSWER, REASONING = f"{PART.stem}-answer", f"{PART.stem}-reasoning"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A course's folder with one released part and its module."""
    release = tmp_path / "release" / COURSE.name
    (release / COURSE.module).mkdir(parents=True)
    shutil.copyfile(REPOSITORY / "release" / COURSE.name / f"{PART.stem}.ipynb", release / f"{PART.stem}.ipynb")
    (release / COURSE.module / "__init__.py").write_text("VERSION = 1\n", encoding="utf-8")
    return tmp_path


def released(root: Path) -> Path:
    """The released notebook."""
    return root / "release" / COURSE.name / f"{PART.stem}.ipynb"


def worked(root: Path) -> Path:
    """The notebook that somebody works in."""
    return work_folder.folder(root, COURSE) / f"{PART.stem}.ipynb"


def change(path: Path, change) -> None:
    """Changes a notebook's cells, as JupyterLab or an author would."""
    notebook = nbformat.read(path, as_version=4)
    change({cell.id: cell for cell in notebook.cells}, notebook.cells)
    nbformat.write(notebook, path)


def texts(path: Path) -> list[str]:
    """The sources of a notebook's cells."""
    return [cell.source for cell in nbformat.read(path, as_version=4).cells]


def next_release(cells: dict, every: list) -> None:
    """What an author changes: a text, a stub, a new cell."""
    cells[f"{PART.stem}-task"].source = "Another task."
    cells[ANSWER].source = "# another stub"
    every.insert(2, new_markdown_cell("News.", id="news", metadata={"nbgrader": _locked("news")}))


def with_ends(cell: dict, end: str) -> None:
    """Ends a cell's lines otherwise, as an editor on another system does."""
    cell.source = "\n".join(cell.source.splitlines()).replace("\n", end)


def _locked(name: str) -> dict:
    return {"grade": False, "grade_id": name, "locked": True, "schema_version": 3, "solution": False, "task": False}


def copies(root: Path) -> list[Path]:
    """All copies that are kept."""
    return sorted(path for path in (root / kept_copies.FOLDER).rglob("*") if path.is_file())


def test_the_release_is_put_where_nothing_is_and_nothing_else_is_touched(root: Path):
    assert len(work_folder.begin(root, COURSE)) == 2
    assert worked(root).read_bytes() == released(root).read_bytes()
    worked(root).write_text("mine", encoding="utf-8")
    assert work_folder.begin(root, COURSE) == []
    assert worked(root).read_text(encoding="utf-8") == "mine"
    assert work_folder.newer(root, COURSE) == []


def test_a_newer_release_is_named_and_nothing_is_changed_until_somebody_takes_it(root: Path):
    work_folder.begin(root, COURSE)
    before = worked(root).read_bytes()
    change(released(root), next_release)
    assert work_folder.begin(root, COURSE) == []
    assert work_folder.newer(root, COURSE) == [f"{PART.stem}.ipynb"]
    assert worked(root).read_bytes() == before


def test_an_untouched_notebook_becomes_the_newer_one_and_needs_no_copy(root: Path):
    work_folder.begin(root, COURSE)
    change(released(root), next_release)
    (renewed,) = work_folder.renew(root, COURSE)
    assert worked(root).read_bytes() == released(root).read_bytes()
    assert renewed.copy is None and copies(root) == [] and work_folder.newer(root, COURSE) == []


def test_answers_and_own_cells_stay_in_their_places_and_the_rest_is_the_newer_release(root: Path):
    work_folder.begin(root, COURSE)
    picture = {"drawn.png": {"image/png": "aGk="}}

    def work(cells: dict, every: list) -> None:
        cells[ANSWER].source = "A = my(answer)"
        cells[ANSWER].outputs = [nbformat.v4.new_output("stream", text="seen")]
        cells[REASONING].source, cells[REASONING].attachments = "Because.", picture
        every.insert(every.index(cells[ANSWER]) + 1, new_code_cell("my_own(test)", id="news"))  # an id that is taken
        every.append(new_markdown_cell("My last note."))

    change(worked(root), work)
    old = worked(root).read_bytes()
    change(released(root), next_release)
    (renewed,) = work_folder.renew(root, COURSE)
    new = nbformat.read(worked(root), as_version=4)
    nbformat.validate(new)
    mine, theirs = texts(worked(root)), texts(released(root))
    assert [text for text in mine if text not in theirs] == [
        "A = my(answer)",
        "my_own(test)",
        "Because.",
        "My last note.",
    ]
    assert [text for text in theirs if text not in mine] == ["# another stub", "YOUR ANSWER HERE"]
    assert mine[mine.index("A = my(answer)") + 1] == "my_own(test)" and mine[-1] == "My last note."
    by_id = {cell.id: cell for cell in new.cells}
    assert len(by_id) == len(new.cells)
    assert by_id[REASONING].attachments == picture and by_id[ANSWER].outputs[0].text == "seen"
    assert by_id[ANSWER].metadata.nbgrader.solution and by_id[f"{PART.stem}-task"].source == "Another task."
    assert renewed.copy.read_bytes() == old and copies(root) == [renewed.copy]


@pytest.mark.parametrize(("came", "end"), [("\n", "\n"), ("\n", "\r\n"), ("\r\n", "\r\n"), ("\r\n", "\n")])
def test_an_answer_as_it_was_released_gives_way_to_the_newer_stub(root: Path, came: str, end: str):
    change(released(root), lambda cells, every: with_ends(cells[ANSWER], came))
    work_folder.begin(root, COURSE)
    change(worked(root), lambda cells, every: every.append(new_code_cell("1 + 1")))
    change(worked(root), lambda cells, every: with_ends(cells[ANSWER], end))
    change(released(root), next_release)
    list(work_folder.renew(root, COURSE))
    assert "# another stub" in texts(worked(root)) and "1 + 1" in texts(worked(root))


def test_an_answer_to_a_question_that_is_gone_stays_as_a_cell_of_ones_own(root: Path):
    work_folder.begin(root, COURSE)
    change(worked(root), lambda cells, _: cells[REASONING].update(source="Because."))
    change(released(root), lambda cells, every: every.remove(cells[REASONING]))
    list(work_folder.renew(root, COURSE))
    (cell,) = [cell for cell in nbformat.read(worked(root), as_version=4).cells if cell.source == "Because."]
    assert "nbgrader" not in cell.metadata and "deletable" not in cell.metadata


def test_of_an_answer_that_stands_there_twice_both_stay(root: Path):
    work_folder.begin(root, COURSE)

    def twice(cells: dict, every: list) -> None:
        again = nbformat.from_dict({**cells[ANSWER], "id": "again"})
        cells[ANSWER].source, again.source = "first()", "second()"
        every.insert(every.index(cells[ANSWER]) + 1, again)

    change(worked(root), twice)
    change(released(root), next_release)
    list(work_folder.renew(root, COURSE))
    mine = texts(worked(root))
    assert mine.index("second()") == mine.index("first()") + 1


def test_without_the_release_that_it_came_from_a_notebook_loses_nothing_either(root: Path):
    work_folder.begin(root, COURSE)
    change(worked(root), lambda cells, every: cells[ANSWER].update(source="A = my(answer)"))
    shutil.rmtree(work_folder.folder(root, COURSE) / work_folder.BASES)
    change(released(root), next_release)
    list(work_folder.renew(root, COURSE))
    assert "A = my(answer)" in texts(worked(root)) and "Another task." in texts(worked(root))


def test_a_file_of_the_module_that_somebody_changed_is_replaced_and_kept(root: Path):
    work_folder.begin(root, COURSE)
    mine = work_folder.folder(root, COURSE) / COURSE.module / "__init__.py"
    mine.write_text("VERSION = 'mine'\n", encoding="utf-8")
    (root / "release" / COURSE.name / COURSE.module / "__init__.py").write_text("VERSION = 2\n", encoding="utf-8")
    list(work_folder.renew(root, COURSE))
    assert mine.read_text(encoding="utf-8") == "VERSION = 2\n"
    assert [path.read_text(encoding="utf-8") for path in copies(root)] == ["VERSION = 'mine'\n"]


def test_what_is_no_notebook_stays_as_it_is_and_that_is_said(root: Path):
    work_folder.begin(root, COURSE)
    worked(root).write_text("{ half a notebook", encoding="utf-8")
    change(released(root), next_release)
    (renewed,) = work_folder.renew(root, COURSE)
    assert "it isn't a notebook any more" in renewed.left
    assert worked(root).read_text(encoding="utf-8") == "{ half a notebook"
    assert work_folder.newer(root, COURSE) == [f"{PART.stem}.ipynb"]


def test_stopped_in_the_middle_renewing_goes_on_and_no_answer_is_lost(root: Path, monkeypatch):
    work_folder.begin(root, COURSE)
    change(worked(root), lambda cells, _: cells[ANSWER].update(source="A = my(answer)"))
    change(released(root), next_release)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:  # the notebook is renewed, and nothing notes it yet
        patched.setattr(work_folder, "_note", stop)
        with pytest.raises(KeyboardInterrupt):
            list(work_folder.renew(root, COURSE))
    list(work_folder.renew(root, COURSE))
    assert texts(worked(root)).count("A = my(answer)") == 1
    assert json.loads(copies(root)[0].read_bytes()) and work_folder.newer(root, COURSE) == []


def test_a_full_disk_costs_nothing_and_is_one_line(root: Path, monkeypatch):
    work_folder.begin(root, COURSE)
    change(worked(root), lambda cells, _: cells[ANSWER].update(source="A = my(answer)"))
    change(released(root), next_release)
    before = worked(root).read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", str(worked(root)))

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(errors.CourseError, match=r"No space left on device\. Nothing is lost"):
        list(work_folder.renew(root, COURSE))
    assert worked(root).read_bytes() == before


def test_what_is_saved_while_a_notebook_is_renewed_stays(root: Path, monkeypatch):
    work_folder.begin(root, COURSE)
    change(released(root), next_release)
    merged = newer_release.merged

    def saving(*given: object) -> object:
        change(worked(root), lambda cells, _: cells[ANSWER].update(source="saved just now"))
        return merged(*given)

    change(worked(root), lambda cells, _: cells[ANSWER].update(source="A = my(answer)"))
    with monkeypatch.context() as patched:
        patched.setattr(newer_release, "merged", saving)
        (renewed,) = work_folder.renew(root, COURSE)
    assert "saved just now" in texts(worked(root)) and "run this again" in renewed.left
    list(work_folder.renew(root, COURSE))
    assert "saved just now" in texts(worked(root)) and "Another task." in texts(worked(root))


def test_without_a_release_one_line_says_how_to_make_it(tmp_path: Path):
    with pytest.raises(errors.CourseError, match="holds nothing to work on"):
        work_folder.begin(tmp_path, COURSE)
