"""A notebook that CUDA failed runs once more on the processor, and that run counts; the driver is imitated."""

import glob
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from kernel_runs import rewritten, with_a_gpu
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output

from dev import handed_in
from dev.course_copy import CONFIGURED
from dev.packages import REPOSITORY
from grading.core.part_report import Line, Report
from grading.gradebook import course_folder
from grading.judge import execution, gpu_failures
from grading.sandbox import gpu_trial, kept_sandboxes
from grading.sandbox.kept_sandboxes import SANDBOXES, Pool

FULL = "CUDA out of memory. Tried to allocate 2.00 GiB"
ON_THE_GPU = f"import os\nhidden = os.environ.get('{gpu_trial.VISIBLE}') == ''\n"


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Sandboxes without the course's libraries, which take no part here."""
    monkeypatch.setattr(kept_sandboxes, "Pool", lambda walled, libraries: Pool(walled))
    SANDBOXES.close()
    yield
    SANDBOXES.close()


@pytest.fixture
def a_gpu(bare: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine with a GPU, which a trial finds to compute: a PyTorch that is built for one would find no driver."""
    if not glob.glob("/dev/nvidia*"):
        head = "def product() -> str:\n"
        rewritten(monkeypatch, tmp_path, "gpu_trial.py", head, f'{head}    return ""\n')
    with_a_gpu(monkeypatch)


def run(folder: Path, *sources: str) -> list[list[NotebookNode]]:
    """The outputs of cells that the judge has run."""
    course_folder.config(REPOSITORY)
    folder = Path(tempfile.mkdtemp(dir=folder))
    handed_in.equip(folder)
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    judge = execution.Judge(timeout=60, config=CONFIGURED)
    judge.preprocess(notebook, {"metadata": {"path": str(folder), "name": "part13"}})
    return [cell.outputs for cell in notebook.cells]


def shown(outputs: list[NotebookNode]) -> str:
    return "".join(output.get("text", "") or output.get("evalue", "") for output in outputs).strip()


def test_where_the_gpu_s_memory_is_full_the_notebook_runs_once_more_on_the_processor(a_gpu: None, tmp_path: Path):
    first, second = run(
        tmp_path,
        f"{ON_THE_GPU}print(hidden)\nif not hidden:\n    raise RuntimeError({FULL!r})",
        "import pathlib\nprint(pathlib.Path('left').exists())\npathlib.Path('left').touch()",
    )
    assert shown(first) == "True" and shown(second) == "False"


def test_a_notebook_that_fails_otherwise_runs_once_and_the_next_one_has_the_gpu(a_gpu: None, tmp_path: Path):
    for error in ("a matrix is missing", FULL):
        outputs = run(tmp_path, f"{ON_THE_GPU}raise RuntimeError(f'{error}: {{hidden}}')")
        assert shown(outputs[0]) == f"{error}: {error == FULL}"
    assert shown(run(tmp_path, f"{ON_THE_GPU}print(hidden)")[0]) == "False"


def test_without_a_gpu_no_word_has_a_notebook_run_again(bare: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv(gpu_trial.VISIBLE, "")
    assert shown(run(tmp_path, f"raise RuntimeError({FULL!r})")[0]) == FULL


def report(text: str) -> NotebookNode:
    """What the test cell leaves where an item of its report says this."""
    return Report(13, 5.0, 4.0, items=(Line(1.0, 0.0, "equal", text),)).output()


def error(name: str, text: str) -> NotebookNode:
    return new_output("error", ename=name, evalue=text, traceback=[])


@pytest.mark.parametrize(
    ("output", "by_the_gpu"),
    [
        (error("OutOfMemoryError", FULL), True),
        (error("AcceleratorError", "CUDA error: unspecified launch failure"), True),
        (error("RuntimeError", "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"), True),
        (error("RuntimeError", "cuDNN error: CUDNN_STATUS_NOT_INITIALIZED"), True),
        (error("MemoryError", "Unable to allocate 2.00 GiB"), False),
        (error("AssertionError", "Torch not compiled with CUDA enabled"), False),
        (report(f"the answer stopped with OutOfMemoryError: {FULL}"), True),
        (report("the relative error is 1.7e-02"), False),
    ],
    ids=lambda value: str(value)[:60] if isinstance(value, dict) else str(value),
)
def test_errors_by_the_gpu_are_told_from_others(output: NotebookNode, by_the_gpu: bool):
    notebook = new_notebook(cells=[new_code_cell("x", outputs=[output])])
    assert gpu_failures.failed(notebook) == by_the_gpu
    assert list(gpu_failures.runs(notebook, SimpleNamespace(gpu=True))) == [True, False][: 1 + by_the_gpu]
    assert list(gpu_failures.runs(notebook, SimpleNamespace(gpu=False))) == [True]
