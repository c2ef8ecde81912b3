"""Part 13 on a GPU: its model answer and hidden tests, directly and behind the walls, without and with TF32.

    python -m dev gpu

Part 13 computes on "cuda" where PyTorch sees one. TF32 lets a GPU round the factors of a product in float32 to 10 bits
behind the leading one, for speed; PyTorch leaves it off for products. With the scores of this part, in the thousands,
that is more than rounding: the answer is right and its numbers are not, and the part's bound says so.
"""

import ast
import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell
from nbgrader.preprocessors import Execute

from attention import course, part13
from attention.course import COURSE
from dev import handed_in
from dev.course_copy import CONFIGURED
from dev.packages import REPOSITORY
from grading.core import limits, part_report
from grading.gradebook import course_folder
from grading.judge import execution

PART = course.PARTS[13]
DIRECTLY, JUDGE = "directly", "judge"
TF32_ON = "torch.backends.cuda.matmul.allow_tf32 = True"
# Runs as a cell of the student's own, after the answer, so that it imports nothing: the part's rules hold for it too.
_LOOK = """
print({
    "device": str(output_reduced.device),
    "name": torch.cuda.get_device_name(output_reduced.device) if output_reduced.is_cuda else "CPU",
    "dtype": str(output_reduced.dtype).removeprefix("torch."),
    "tf32": torch.backends.cuda.matmul.allow_tf32,
    "error": float(relative_error),
})
"""


class Failed(Exception):
    """A run that gave no figures: one line that says which and why."""


@dataclass(frozen=True)
class Run:
    """One run of part 13: what the answer computed on, its relative error, its marks, and the report on them."""

    way: str
    device: str
    name: str
    dtype: str
    tf32: bool
    error: float
    marks: float
    report: str


def unavailable() -> str | None:
    """None where PyTorch can compute on a GPU, else one line that says why not."""
    import torch

    if torch.version.cuda is None:
        return f"no GPU is used here: this PyTorch, {torch.__version__}, is built without CUDA."
    if not torch.cuda.is_available():
        return f"no GPU is used here: PyTorch {torch.__version__} sees none."
    return None


def demo(say: Callable[[str], object] = print) -> int:
    """Runs part 13 in both ways, without and with TF32, and says what it gave.

    Returns  0, also where there is no GPU; 1 if a run fails, is on another device, or is not marked as it should be.
    """
    if reason := unavailable():
        say(f"gpu: {reason}")
        return 0
    status = 0
    for setting, before in (("off", "torch.backends.cuda.matmul.allow_tf32 = False"), ("on", TF32_ON)):
        for way in (DIRECTLY, JUDGE):
            try:
                found = run(way, before)
            except Failed as failed:
                say(f"gpu: {failed}")
                return 1
            for line in summary(found):
                say(line)
            if not found.device.startswith("cuda") or found.tf32 != (setting == "on"):
                say(f"gpu: expected a run on cuda with TF32 {setting}.")
                status = 1
            if setting == "off" and found.marks != PART.automatic:
                say("gpu: the model answer lost marks without TF32.\n" + found.report)
                status = 1
    return status


def summary(found: Run) -> list[str]:
    """What a run gave, in lines for people."""
    verdict = f"{'below' if found.error < part13.BOUND else 'NOT below'} the bound {part13.BOUND:.0e}"
    lines = [
        f"part 13 {found.way:8}  {found.name} ({found.device}), {found.dtype}, TF32 {'on' if found.tf32 else 'off'}",
        f"    relative error {found.error:.1e}, {verdict}: {found.marks:g} of {PART.automatic}",
    ]
    return lines + [f"    {line}" for line in found.report.splitlines()[1:] if re.match(r"\s*0/", line)]


def run(way: str, before: str = "", look: str = _LOOK) -> Run:
    """Runs part 13's model answer and hidden tests, directly in a kernel or through the judge with its walls.

    `before` is a cell that runs before the answer. Errors  Failed if there is no result; SystemExit without walls.
    """
    course_folder.config(REPOSITORY)  # so that ordinary kernels find `grading`
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        handed_in.equip(folder)
        source = REPOSITORY / "source" / COURSE.name / f"{PART.stem}.ipynb"
        shutil.copyfile(source, folder / source.name)
        notebook = nbformat.read(folder / f"{PART.stem}.ipynb", as_version=4)
        _put(notebook, f"{PART.stem}-answer", before, after=False)
        _put(notebook, f"{PART.stem}-answer", look, after=True)
        notebook.cells = [cell for cell in notebook.cells if cell.get("id") != f"{PART.stem}-figure"]
        make = Execute if way == DIRECTLY else execution.Judge
        execute = make(
            timeout=limits.CELL_LIMIT_S,
            shutdown_kernel="immediate",
            extra_arguments=["--IPKernelApp.log_level=40"],
            config=CONFIGURED,
        )
        execute.preprocess(notebook, {"metadata": {"path": str(folder), "name": PART.stem}})
    cells = {cell.get("id"): cell for cell in notebook.cells}
    looked, test = cells["own-look"], cells[f"{PART.stem}-test"]
    printed = _printed(looked)
    results = [o.data["text/plain"] for o in test.outputs if o.output_type == "execute_result"]
    if not printed or len(results) != 1:
        errors = [o.evalue for cell in notebook.cells for o in cell.get("outputs", []) if o.output_type == "error"]
        raise Failed(f"part 13 {way} gave no result. {(errors or ['No cell says why.'])[0].splitlines()[0]}")
    found = part_report.read(test)  # the judge's; in a kernel of its own the test prints it
    report = found.text() if found else _printed(test)
    return Run(way, **ast.literal_eval(printed), marks=float(results[0]), report=report)


def _printed(cell: nbformat.NotebookNode) -> str:
    return "".join(o.text for o in cell.outputs if o.output_type == "stream" and o.name == "stdout")


def _put(notebook: nbformat.NotebookNode, anchor: str, source: str, after: bool) -> None:
    """Puts a cell of one's own next to another, if there is something in it."""
    if source.strip():
        at = next(n for n, cell in enumerate(notebook.cells) if cell.get("id") == anchor)
        notebook.cells.insert(at + after, new_code_cell(source.strip(), id="own-look" if after else "own-before"))
