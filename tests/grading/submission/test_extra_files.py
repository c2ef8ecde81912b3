"""Files submitted next to the notebooks: data and modules go along, what a browser runs or shows as a page does not."""

import os
import shutil
from pathlib import Path

import graded_here
import pytest
from jupyter_client.manager import start_new_kernel

from attention import course
from attention.course import COURSE
from dev import handed_in
from dev.packages import REPOSITORY
from grading.core import limits
from grading.gradebook import course_folder, generate_assignment
from grading.submission import bundle, extra_files, nbgrader_patches, notices

ONE = course.PARTS[1]
SHOWN = [  # what a browser runs, or shows as a page with scripts or frames of its own
    *"evil.html evil.htm EVIL.HTML evil.xhtml evil.xht evil.shtml evil.svg evil.svgz evil.xml evil.xsl".split(),
    *"evil.rss evil.js evil.mjs evil.css evil.pdf evil.mht evil.mhtml evil.swf evil.webmanifest evil.wasm".split(),
    *"evil.hta evil.vtt index.html part01.html part06.html README evil.unknown evil.txt.html evil.html.gz".split(),
    *".html page.html/x.csv index.html/x.csv part06.ipynb/x.csv tools.py/x.csv timestamp.txt/x.csv".split(),
    *"other.csv/x.csv sub/evil.html".split(),
]
RUN = [  # what Jupyter, nbgrader, Python or pytest run, or take for their settings, in a folder that they start in
    *"nbgrader_config.py nbgrader_config.json jupyter_config.json jupyter_server_config.json".split(),
    *"jupyter_lab_config.json ipython_config.json sub/ipython_kernel_config.json sitecustomize.py x.pth".split(),
    *"conftest.py pyproject.toml pytest.toml torch.py sub/numpy/tools.py test_it.py sub/it_test.py".split(),
]
LISTENER = """
import os, sys

class Listener:  # is asked last, for what nobody has found
    @staticmethod
    def find_spec(name, path=None, target=None):
        if path is None and {{"", os.getcwd()}} & {{*sys.path}}:
            with open({seen!r}, "a") as file:
                print(name, file=file)

sys.meta_path.append(Listener)
"""
HONEST = [
    *"data.csv table.tsv notes.txt about.md numbers.json rows.jsonl w.npy w.npz w.pt model.safetensors".split(),
    *"plot.png photo.JPG anim.gif helpers.py sub/more.csv sub/deeper/tools.py settings.yaml v1.2/data.csv".split(),
    *"model_config.json sub/params.toml".split(),
]


def _submit(root: Path) -> Path:
    folder = root / "submitted" / "ada" / COURSE.name
    folder.mkdir(parents=True)
    handed_in.write(folder, ONE, handed_in.model(ONE))
    for name in (*HONEST, *sorted(SHOWN, key=lambda name: -name.count("/"))):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_text("<script>parent.hit=1</script>")
    for part in ("part01", "part06"):
        (folder / f"{part}.html").write_text("10 of 10 points")
    (folder / "submission_secret.txt").write_text("as nbgrader's exchange leaves it")
    return folder


def _course(root: Path) -> Path:
    for step in ("source", "release"):
        path = Path(step) / COURSE.name / f"{ONE.stem}.ipynb"
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / path, root / path)
    course_folder.configure(root, REPOSITORY)
    _submit(root)
    generate_assignment.register(root)
    return root


@pytest.fixture(scope="module", params=["make grade", "nbgrader"])
def graded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course, graded by either; nbgrader finds a page in autograded/ that an earlier version has left there."""
    root = _course(tmp_path_factory.mktemp("files"))
    if request.param == "make grade":
        result = graded_here.grade_student(root, "ada")
        assert not result.error and not result.unmarked
        return root
    nbgrader_patches.guard()
    api = course_folder.api(root)
    assert (done := api.autograde(COURSE.name, "ada", force=True))["success"], done
    (root / "autograded" / "ada" / COURSE.name / "from-before.html").write_text("<script>")
    assert (done := api.generate_feedback(COURSE.name, "ada", force=True))["success"], done
    (root / "autograded" / "ada" / COURSE.name / "from-before.html").unlink()
    return root


def test_a_notebook_larger_than_another_file_system_holds_costs_its_student_that_part_alone(tmp_path: Path):
    bundle.Submission("ada", (("part01.ipynb", 2**62), ("part02.ipynb", b"{}"))).write(tmp_path / "written")
    assert (tmp_path / "written" / "part01.ipynb").stat().st_size > limits.NOTEBOOK_BYTES
    assert (tmp_path / "written" / "part02.ipynb").read_bytes() == b"{}"


def _files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_next_to_the_graded_notebook_is_nothing_that_a_browser_would_run(graded: Path):
    found = _files(graded / "autograded" / "ada" / COURSE.name)
    assert found == {"part01.ipynb", "submission_secret.txt", *HONEST}


def test_feedback_is_the_grader_s_own_pages_and_what_the_exchange_needs(graded: Path):
    pages = graded / "feedback" / "ada" / COURSE.name
    others = {f"{stem}.html" for stem in COURSE.others}
    assert _files(pages) == {"part01.html", "index.html", "submission_secret.txt", "timestamp.txt"} | others
    assert "<strong>5</strong> of 5 points" in (pages / "part01.html").read_text(encoding="utf-8")
    assert "part01.html" in (pages / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SHOWN)
def test_what_a_browser_would_run_or_what_stands_where_a_file_of_ours_belongs_is_left_out(name: str, tmp_path: Path):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    assert extra_files.admitted(tmp_path, COURSE) == ([], [name])


@pytest.mark.parametrize("name", RUN)
def test_what_a_program_takes_for_its_settings_or_runs_by_its_name_is_left_out(name: str, tmp_path: Path):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    assert extra_files.admitted(tmp_path, COURSE) == ([], [name])


def test_no_module_is_admitted_that_a_kernel_looks_for_as_it_starts(tmp_path: Path):
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(LISTENER.format(seen=str(tmp_path / "seen")))
    (folder := tmp_path / "ada").mkdir()
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "hook")}
    kernel, client = start_new_kernel(kernel_name="python3", cwd=str(folder), env=environment)  # as Jupyter's
    client.stop_channels()
    kernel.shutdown_kernel(now=True)
    names = {*(tmp_path / "seen").read_text().split()}
    assert "storemagic" in names  # so that the listener heard
    for name in names:
        (folder / f"{name}.py").write_text("x")
    assert extra_files.admitted(folder, COURSE)[0] == []


@pytest.mark.parametrize("name", HONEST)
def test_data_and_modules_are_admitted(name: str, tmp_path: Path):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    assert extra_files.admitted(tmp_path, COURSE) == ([str(path)], [])


def test_what_is_left_out_is_reported_on_this_machine_and_on_a_worker(tmp_path: Path):
    folder, sent = tmp_path / "ada", tmp_path / "sent"
    (folder / "attention_course.py").mkdir(parents=True)
    for name in ("EVIL.HTML", "attention_course.py/x.csv", "data.csv"):
        (folder / name).write_text("x")
    bundle.read("ada", folder, COURSE).write(sent)
    release = REPOSITORY / "release" / COURSE.name
    for place in (folder, sent):
        told = {notice.part: notice.text for notice in notices.found("ada", place, release, COURSE)}
        assert "docs/submissions.md" in told["EVIL.HTML"] and "docs/submissions.md" in told["attention_course.py/x.csv"]
        assert "data.csv" not in told
