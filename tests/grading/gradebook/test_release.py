"""release/ and notebooks/ are what source/ makes, hold what each part promises, and give nothing away.

That the outputs in notebooks/ are those of a new run is what nbval finds out, for every part; here two are solved.
"""

import json
import re
import shutil
from pathlib import Path

import course_module
import full_disk
import nbformat
import pytest
from nbgrader.apps import NbGraderAPI

from attention import course
from attention.course import COURSE
from dev import handed_in
from dev.packages import REPOSITORY
from grading.core import errors
from grading.core.course import Part
from grading.gradebook import course_folder, generate_assignment, release

PARTS = pytest.mark.parametrize("part", course.PARTS.values(), ids=lambda part: part.stem)
ROLES = {  # grade id's ending: kind, grade, solution, locked
    "": ("markdown", False, False, True),
    "-setup": ("code", False, False, True),
    "-answer": ("code", False, True, False),
    "-check": ("code", True, False, True),
    "-figure": ("code", False, False, True),
    "-reasoning": ("markdown", True, True, False),
    "-test": ("code", True, False, True),
    "-beyond": ("markdown", False, False, True),
}
TEXT, CODE, OWN = ("markdown", False, False, True), ("code", False, False, True), ("code", False, False, False)
# Cells that earn nothing, by their ids' endings or by their ids: kind, grade, solution, locked.
STEPS = re.compile(r"part\d\d-steps(-\w+)*")
STEP = (TEXT, CODE, OWN, ("code", False, True, False))
OPTIONAL = {
    "part14-handle": CODE,
    "part13-own-mha": ("code", False, False, False),
    "part14-decode-step": ("code", False, True, False),
    "part14-decode-check": ("code", False, False, True),
}
# Lines of solutions and hidden tests that a task gives word for word, or that say nothing of its answer.
GIVEN = {
    "product = W_UM_MLA @ W_DKV_MLA",
    "model_MHA_vanilla = MyMHA(D, D, D_qkv, D_qkv, H)",
    "model_MHA_reduced = MyMHA(D, D, r, r, H)",
    "with torch.no_grad():",
    'for name in ("W_Q", "W_K", "W_V", "W_O"):',
    "layer = getattr(model, name, None)",
}
VARIES = re.compile(r"relative_error = \S+")
SOLVED = (course.PARTS[1], course.PARTS[5])
FULL_MARKS = "### BEGIN HIDDEN TESTS\n5.0\n### END HIDDEN TESTS"  # a test in no time, of part 1


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """release/, made anew from source/."""
    folder = tmp_path_factory.mktemp("made")
    release.make(REPOSITORY, folder, solve=False)
    return folder


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """notebooks/ of two parts, made anew from source/, and what was said meanwhile."""
    folder, said = tmp_path_factory.mktemp("solved"), []
    release.make(small_course(folder / "small", SOLVED), folder, say=said.append)
    (folder / "said.txt").write_text("\n".join(said))
    return folder


def small_course(folder: Path, parts: tuple[Part, ...]) -> Path:
    """A course folder with the sources of a few parts."""
    (folder / "source" / COURSE.name).mkdir(parents=True)
    course_folder.configure(folder, REPOSITORY)
    for part in parts:
        name = f"source/{COURSE.name}/{part.stem}.ipynb"
        shutil.copy(REPOSITORY / name, folder / name)
    handed_in.equip(folder / "source" / COURSE.name)
    return folder


def notebook(step: str, part: Part, root: Path = REPOSITORY) -> dict:
    path = root / step / COURSE.name / f"{part.stem}.ipynb"
    return json.loads(path.read_text(encoding="utf-8"))


def text(cell: dict) -> str:
    return "".join(cell["source"])


def hidden(cell: dict) -> str:
    found = re.search(r"BEGIN HIDDEN TESTS\n(.*)### END HIDDEN TESTS", text(cell), re.DOTALL)
    return found.group(1) if found else ""


def test_points_are_81_automatic_and_19_by_hand():
    assert sum(part.automatic for part in course.PARTS.values()) == 81
    assert sum(part.by_hand for part in course.PARTS.values()) == 19


@PARTS
def test_a_part_has_its_cells_in_order_with_their_roles_and_points(part: Part):
    cells = notebook("source", part)["cells"]
    wanted = [ending for ending in ROLES if ending != "-reasoning" or part.by_hand]
    listed = [cell for cell in cells if cell["id"].removeprefix(part.stem) in ROLES]
    assert [cell["id"] for cell in listed] == [part.stem + ending for ending in wanted]
    for cell in listed:
        meta, ending = cell["metadata"]["nbgrader"], cell["id"].removeprefix(part.stem)
        assert (cell["cell_type"], meta["grade"], meta["solution"], meta["locked"]) == ROLES[ending], cell["id"]
        assert meta["grade_id"] == cell["id"]
    points = {cell["id"]: cell["metadata"]["nbgrader"].get("points") for cell in listed}
    assert points[f"{part.stem}-test"] == part.automatic
    assert points[f"{part.stem}-check"] == 0
    assert not part.by_hand or points[f"{part.stem}-reasoning"] == part.by_hand
    for cell in cells:
        if cell not in listed:
            meta = cell["metadata"]["nbgrader"]
            role = cell["cell_type"], meta["grade"], meta["solution"], meta["locked"]
            allowed = STEP if STEPS.fullmatch(cell["id"]) else (OPTIONAL.get(cell["id"], TEXT),)
            assert role in allowed, cell["id"]
            assert meta["grade_id"] == cell["id"] and "points" not in meta


@PARTS
def test_hints_come_before_the_answer_in_three_closed_steps(part: Part):
    cells = {cell["id"]: text(cell) for cell in notebook("source", part)["cells"]}
    hints = cells[f"{part.stem}-hints"]
    found = re.findall(r"<details>\s*<summary>[^<]+</summary>\n\n[^<]+\n\n</details>", hints)
    assert len(found) == 3 == hints.count("<details") == hints.count("</details>")
    assert list(cells).index(f"{part.stem}-hints") < list(cells).index(f"{part.stem}-answer")


@pytest.mark.parametrize("stem", [*COURSE.stems, *COURSE.others])
def test_no_code_cell_of_ours_is_too_long_to_be_read(stem: str):
    cells = json.loads((REPOSITORY / "release" / COURSE.name / f"{stem}.ipynb").read_text(encoding="utf-8"))["cells"]
    lengths = {cell["id"]: len(text(cell).splitlines()) for cell in cells if cell["cell_type"] == "code"}
    assert {name: length for name, length in lengths.items() if length > 25} == {}


@PARTS
def test_a_part_is_titled_with_its_number_and_points(part: Part):
    first = text(notebook("source", part)["cells"][0]).splitlines()[0]
    assert first == f"# {part.number} · {part.title} ({part.points} points)"


@PARTS
def test_source_holds_no_outputs_and_no_counts(part: Part):
    for cell in notebook("source", part)["cells"]:
        assert cell.get("outputs", []) == [] and cell.get("execution_count") is None


@PARTS
def test_written_answers_end_with_a_criterion_for_each_point(part: Part):
    answers = [text(cell) for cell in notebook("source", part)["cells"] if cell["id"].endswith("-reasoning")]
    criteria = [answer.split("Marking, a point each")[1] for answer in answers]
    points = [len(re.findall(r"^\s*(?:[-*]|\d+\.) ", each, re.MULTILINE)) for each in criteria]
    assert points == [part.by_hand] * bool(part.by_hand)


@PARTS
def test_the_release_is_what_source_makes_byte_for_byte(part: Part, made: Path):
    name = f"release/{COURSE.name}/{part.stem}.ipynb"
    assert (REPOSITORY / name).read_bytes() == (made / name).read_bytes(), f"{name} is stale: run `make release`"


@pytest.mark.parametrize("stem", COURSE.others)
def test_a_notebook_that_is_no_part_is_released_as_source_makes_it(stem: str, made: Path):
    name = f"release/{COURSE.name}/{stem}.ipynb"
    assert (REPOSITORY / name).read_bytes() == (made / name).read_bytes(), f"{name} is stale: run `make release`"


@pytest.mark.parametrize("step", ["release", "notebooks"])
def test_the_module_that_notebooks_import_lies_next_to_them_as_it_is_in_source(step: str):
    name = f"{COURSE.name}/{COURSE.module}"
    folder = REPOSITORY / step / name
    kept = {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "__pycache__"}
    assert kept == course_module.FILES, f"{step}/{name} is stale: run `make release`"


def test_of_files_next_to_the_notebooks_only_the_course_s_module_is_released(made: Path, solved: Path):
    for folder in (REPOSITORY / "release", REPOSITORY / "notebooks", made / "release", solved / "notebooks"):
        found = {path.name for path in (folder / COURSE.name).iterdir() if not path.name.startswith((".", "__"))}
        assert {name for name in found if not name.endswith(".ipynb")} == {COURSE.module}


@PARTS
def test_the_solved_notebook_has_the_cells_of_source(part: Part):
    def cells(step: str) -> list[dict]:
        found = notebook(step, part)["cells"]
        return [(cell["id"], cell["cell_type"], cell["metadata"]["nbgrader"], cell["source"]) for cell in found]

    assert cells("notebooks") == cells("source"), f"notebooks/…/{part.stem}.ipynb is stale: run `make release`"


def test_whoever_waits_for_a_release_is_told_which_notebook_is_executed(solved: Path):
    assert (solved / "said.txt").read_text().splitlines() == ["[1/2] part01 is executed", "[2/2] part05 is executed"]


@pytest.mark.parametrize("part", SOLVED, ids=lambda part: part.stem)
def test_the_solved_notebook_is_what_source_makes_pictures_aside(part: Part, solved: Path):
    def comparable(found: dict) -> dict:
        for cell in found["cells"]:
            for output in cell.get("outputs", []):
                output.get("data", {}).pop("image/png", None)
                if "text" in output:
                    output["text"] = VARIES.sub("relative_error = …", "".join(output["text"]))
        return found

    kept, new = (comparable(notebook("notebooks", part, root)) for root in (REPOSITORY, solved))
    assert kept == new, f"notebooks/{COURSE.name}/{part.stem}.ipynb is stale: run `make release`"


@PARTS
def test_the_solved_notebook_ran_from_top_to_bottom_for_full_marks(part: Part):
    cells = [cell for cell in notebook("notebooks", part)["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = {cell["id"]: cell["outputs"] for cell in cells}
    results = [o for o in outputs[f"{part.stem}-test"] if o["output_type"] == "execute_result"]
    assert ["".join(o["data"]["text/plain"]) for o in results] == [repr(float(part.automatic))]
    figure = outputs[f"{part.stem}-figure"]
    assert any("image/png" in output.get("data", {}) for output in figure)
    assert any(output["output_type"] == "stream" for output in figure), "it prints what it draws"
    kept = json.dumps(outputs) + json.dumps(notebook("notebooks", part)["metadata"])
    assert "widget" not in kept, "a slider leaves nothing in a notebook that nobody moves it in"


@PARTS
def test_the_release_holds_no_line_of_a_hidden_test_solution_or_model_reasoning(part: Part):
    released = {cell["id"]: text(cell) for cell in notebook("release", part)["cells"]}
    everything = "\n".join(released.values())
    secret = []
    for cell in notebook("source", part)["cells"]:
        secret += hidden(cell).splitlines()
        for block in re.findall(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", text(cell), re.DOTALL):
            secret += block.splitlines()
        if cell["id"].endswith("-reasoning"):
            secret += text(cell).splitlines()
            assert released[cell["id"]] == "YOUR ANSWER HERE"
    # Nothing is given away by what the setup cell imports, nor by a line as short as a bracket.
    setup = released[f"{part.stem}-setup"]
    leaked = [line.strip() for line in secret if len(line.strip()) > 12 and line.strip() not in setup]
    leaked = [line for line in leaked if line in everything and line not in GIVEN]
    assert leaked == []
    assert "HIDDEN TESTS" not in everything and "BEGIN SOLUTION" not in everything


@PARTS
def test_a_hidden_test_begins_with_a_comment_and_is_hidden_but_for_it(part: Part):
    cells = {cell["id"]: text(cell) for cell in notebook("release", part)["cells"]}
    lines = cells[f"{part.stem}-test"].strip().splitlines()
    assert lines and all(line.startswith("#") for line in lines)


@PARTS
def test_a_hidden_test_is_a_list_of_cases_items_and_points_that_fits_on_a_screen(part: Part):
    """Its machinery is in attention/, where it has tests of its own."""
    cells = {cell["id"]: text(cell) for cell in notebook("source", part)["cells"]}
    assert len(cells[f"{part.stem}-test"].splitlines()) <= 60


def test_making_twice_gives_the_same_bytes(made: Path, tmp_path: Path):
    release.make(REPOSITORY, tmp_path, solve=False)
    first, again = (
        {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        for root in (made / "release", tmp_path / "release")
    )
    assert len(first) > len(course.PARTS) and first == again


def test_a_change_of_source_is_noticed(tmp_path: Path):
    small = small_course(tmp_path / "small", (course.PARTS[3],))
    path = small / "source" / COURSE.name / "part03.ipynb"
    changed = nbformat.read(path, as_version=4)
    changed.cells[0].source += "\nOne more sentence."
    nbformat.write(changed, path)
    release.make(small, tmp_path / "made", solve=False)
    name = f"release/{COURSE.name}/part03.ipynb"
    assert (REPOSITORY / name).read_bytes() != (tmp_path / "made" / name).read_bytes()


def test_a_solution_that_is_stopped_is_told_so(tmp_path: Path):
    small = small_course(tmp_path / "small", SOLVED[:1])
    path = small / "source" / COURSE.name / "part01.ipynb"
    changed = nbformat.read(path, as_version=4)
    for cell in changed.cells:
        if cell.cell_type == "code":  # no other needs to run for that
            cell.source = {"part01-figure": "raise KeyboardInterrupt", "part01-test": FULL_MARKS}.get(cell.id, "pass")
    nbformat.write(changed, path)
    with pytest.raises(
        errors.CourseError, match="part01.ipynb, cell part01-figure: the solution fails: it was stopped"
    ):
        release.make(small, tmp_path)
    assert [place.name for place in tmp_path.iterdir()] == ["small"]  # nothing was replaced


def test_whoever_presses_ctrl_c_has_stopped_it(tmp_path: Path):
    """Which nbgrader takes for an error: "could not be executed: [ERROR] Canceled"."""

    def stop(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        release.make(small_course(tmp_path / "small", SOLVED[:1]), tmp_path, say=stop)
    assert [place.name for place in tmp_path.iterdir()] == ["small"]  # nothing was replaced


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("part06-test", "cell part06-test: expected 3 points, as part 6 of the course has it, got 4. Change one of"),
        ("part06-reasoning", "cell part06-reasoning: expected 2 points, as part 6 of the course has it, got 3. "),
        ("part06-check", "cell part06-check gives points that part 6 of the course doesn't have."),
        (None, "cell part06-test: expected 3 points, as part 6 of the course has it, got 0. Change one of the two."),
    ],
)
def test_points_that_differ_from_the_course_s_are_told_before_anything_runs(
    cell: str | None, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(release, "_solve", lambda *_: pytest.fail("notebooks are run"))
    small = small_course(tmp_path / "small", (course.PARTS[6],))
    path = small / "source" / COURSE.name / "part06.ipynb"
    changed = nbformat.read(path, as_version=4)
    changed.cells = [each for each in changed.cells if cell or each.id != "part06-test"]
    for each in changed.cells:
        each.metadata.nbgrader.points = each.metadata.nbgrader.get("points", 0) + (each.id == cell)
    nbformat.write(changed, path)
    with pytest.raises(errors.CourseError, match=f"part06.ipynb: {re.escape(said)}"):
        release.make(small, tmp_path)
    assert not (tmp_path / "release").exists()


def with_cells(folder: Path, sources: dict[str, str]) -> Path:
    """A course of part 1 whose code cells do nothing, but for those whose sources are given."""
    small = small_course(folder, (course.PARTS[1],))
    path = small / "source" / COURSE.name / "part01.ipynb"
    changed = nbformat.read(path, as_version=4)
    for cell in changed.cells:
        if cell.cell_type == "code":
            cell.source = sources.get(cell.id, "pass")
    nbformat.write(changed, path)
    return small


@pytest.mark.parametrize(
    ("test", "answer", "said"),
    [
        ("### BEGIN HIDDEN TESTS\nprint('  2/5  one')\n2.0\n### END HIDDEN TESTS", "pass", "got 2.0. 2/5 one"),
        ("### BEGIN HIDDEN TESTS\nmarks = 5.0\n### END HIDDEN TESTS", "pass", "got none. They must come last."),
        (FULL_MARKS, "{}['D']", "part01.ipynb, cell part01-answer: the solution fails: KeyError: 'D'"),
        ("5.0", "pass", "cell part01-test: students would read this test. Put it between `### BEGIN HIDDEN TESTS` and"),
    ],
)
def test_a_test_that_marks_the_solution_down_or_is_not_hidden_is_not_released(
    test: str, answer: str, said: str, tmp_path: Path
):
    small = with_cells(tmp_path / "small", {"part01-test": test, "part01-answer": answer})
    with pytest.raises(errors.CourseError, match=re.escape(said)):
        release.make(small, tmp_path)
    assert not (tmp_path / "release").exists()


def test_what_nbgrader_refuses_is_told_with_its_notebook(tmp_path: Path):
    small = small_course(tmp_path / "small", SOLVED)
    path = small / "source" / COURSE.name / "part05.ipynb"
    changed = nbformat.read(path, as_version=4)
    for cell in changed.cells:
        cell.metadata.nbgrader.solution = False
    nbformat.write(changed, path)
    with pytest.raises(
        errors.CourseError, match=r"source/attention/part05\.ipynb could not be released: .*Solution region"
    ):
        release.make(small, tmp_path, solve=False)


def test_in_a_notebook_without_ids_the_cell_is_named_as_nbgrader_has_it(tmp_path: Path):
    test = "### BEGIN HIDDEN TESTS\n2.0\n### END HIDDEN TESTS"
    small = with_cells(tmp_path / "small", {"part01-test": test})
    path = small / "source" / COURSE.name / "part01.ipynb"
    older = json.loads(path.read_text(encoding="utf-8")) | {"nbformat_minor": 4}
    for cell in older["cells"]:
        del cell["id"]
    path.write_text(json.dumps(older), encoding="utf-8")
    with pytest.raises(errors.CourseError, match=r"cell part01-test: expected 5 points for the solution, got 2\.0"):
        release.make(small, tmp_path)


def test_items_that_add_up_to_a_hair_less_lose_nothing(tmp_path: Path):
    test = "### BEGIN HIDDEN TESTS\nsum([0.1] * 50)\n### END HIDDEN TESTS"  # 4.999999999999998
    release.make(with_cells(tmp_path / "small", {"part01-test": test}), tmp_path)
    assert (tmp_path / "release" / COURSE.name / "part01.ipynb").exists()


@pytest.mark.parametrize(
    ("test", "copies", "said"),
    [
        ("5.0", (), "cell part01-test: students would read this test."),
        (FULL_MARKS, ("part01-Copy1.ipynb",), "part01-Copy1.ipynb is neither a part of the course nor one of its"),
        (FULL_MARKS, ("._part01.ipynb",), ""),  # macOS's own, which nbgrader passes over
    ],
)
def test_nbgrader_releases_nothing_that_our_own_command_refuses(
    test: str, copies: tuple[str, ...], said: str, tmp_path: Path
):
    """Nor does the Formgrader's button; grading goes on."""
    small = with_cells(tmp_path / "small", {"part01-test": test})
    source = small / "source" / COURSE.name
    for name in copies:
        shutil.copy(source / "part01.ipynb", source / name)
    result = course_folder.api(small).generate_assignment(COURSE.name, force=True, create=True)
    assert result["success"] == (not said) and said in result.get("log", ""), result
    assert (small / "release" / COURSE.name / "part01.ipynb").exists() == (not said)
    generate_assignment.register(small)
    assert (small / "release" / COURSE.name / "part01.ipynb").exists()


def test_nbgrader_looks_at_nothing_but_what_it_is_to_release(tmp_path: Path):
    """One notebook, or another assignment next to the course's, which nbgrader enters into the gradebook as ever."""
    small = with_cells(tmp_path / "small", {"part01-test": FULL_MARKS})
    source = small / "source" / COURSE.name
    shutil.copytree(source, source.with_name("hw2"))
    (source.with_name("hw2") / "part01.ipynb").rename(source.with_name("hw2") / "essay.ipynb")
    shutil.copy(source / "part01.ipynb", source / "draft.ipynb")
    for assignment, notebook, released in ((COURSE.name, "part01", "part01"), ("hw2", "*", "essay")):
        settings = course_folder.config(small, assignment)
        settings.CourseDirectory.notebook_id = notebook
        result = NbGraderAPI(config=settings).generate_assignment(assignment, force=True, create=True)
        assert result["success"], result
        assert [path.stem for path in (small / "release" / assignment).glob("*.ipynb")] == [released]
        with course_folder.gradebook(small) as book:
            assert [each.name for each in book.find_assignment(assignment).notebooks] == [released]


def test_a_notebook_that_is_no_part_is_not_released(tmp_path: Path):
    """A student who submitted it would not be graded."""
    small = with_cells(tmp_path / "small", {"part01-test": FULL_MARKS})
    source = small / "source" / COURSE.name
    shutil.copy(source / "part01.ipynb", source / "part01-Copy1.ipynb")
    with pytest.raises(errors.CourseError, match=r"part01-Copy1\.ipynb is neither a part of the course nor one of its"):
        release.make(small, tmp_path)
    assert not (tmp_path / "release").exists()


@PARTS
def test_no_notebook_names_a_path_of_a_machine_or_installs_anything(part: Part):
    for step in ("source", "release", "notebooks"):
        found = json.dumps(notebook(step, part))
        assert not re.search(r"/home/|/root/|/tmp/|/work/|C:\\\\|pip install|wget |curl ", found), step


def test_a_full_disk_is_one_line_and_the_release_stays_as_it_is(tmp_path: Path):
    ran = full_disk.run(FULL_DISK, tmp_path, 16, str(tmp_path))
    assert (ran.returncode, ran.stdout) == (0, "[1/1] part01 is executed\n1 True True\n"), ran.stderr
    assert ran.stderr.count("\n") == 1
    assert re.match(
        r"release: .*/release/\.attention\.new.* can't be read or written: No space left on device\.", ran.stderr
    )


FULL_DISK = """
import json, sys
from pathlib import Path
from attention import course
from dev import course_copy
from grading.__main__ import main

def content():
    return {path: path.read_bytes() for path in (root / "release").rglob("*") if path.is_file()}

root = Path(sys.argv[1])
course_copy.new(root, course.PARTS[1])
source = root / "source" / course.COURSE.name / "part01.ipynb"
notebook = json.loads(source.read_text(encoding="utf-8"))
for cell in notebook["cells"]:
    hidden = cell["id"] == "part01-test"
    if cell["cell_type"] == "code":  # solving takes long, and fills nothing
        cell["source"] = "### BEGIN HIDDEN TESTS\\n5.0\\n### END HIDDEN TESTS" if hidden else "pass"
source.write_text(json.dumps(notebook), encoding="utf-8")
before = content()
fill(root)
refused = main(["release", "--course", str(root)])
print(refused, content() == before, not list(root.glob("release/.*")))
"""
