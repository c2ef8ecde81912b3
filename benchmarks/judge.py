"""What the judge adds to a notebook: the model answers run plainly and through the judge, in turns, in one run.

    python benchmarks/judge.py [--rounds 5] [--parts 1 3 5 10]

Plainly is nbgrader's own Execute with an ordinary kernel, which runs the hidden tests next to the answer. Through the
judge is what grading does. Prints the medians of the wall time a notebook, and what the judge adds.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import ways  # first, because it finds `grading`

# isort: split
import nbformat
from nbgrader.preprocessors import Execute

from attention import course
from attention.course import COURSE
from dev.course_copy import CONFIGURED
from dev.packages import REPOSITORY
from grading.core.course import Part
from grading.gradebook import course_folder
from grading.judge import execution

HERE = REPOSITORY


def seconds(make: type, part: Part, folder: Path) -> float:
    """The wall time of one run of a part's model answer; RuntimeError if it does not earn full marks."""
    notebook = nbformat.read(folder / f"{part.stem}.ipynb", as_version=4)
    execute = make(
        timeout=120,
        shutdown_kernel="immediate",
        extra_arguments=["--IPKernelApp.log_level=40"],
        config=CONFIGURED,
    )
    started = time.perf_counter()
    execute.preprocess(notebook, {"metadata": {"path": str(folder), "name": "notebook"}})
    taken = time.perf_counter() - started
    test = next(cell for cell in notebook.cells if cell.get("id") == f"{part.stem}-test")
    results = [o.data["text/plain"] for o in test.outputs if o.output_type == "execute_result"]
    if results != [repr(float(part.automatic))]:
        raise RuntimeError(f"{part.stem} earned {results} with {make.__name__}")
    return taken


def main() -> None:
    """Runs the rounds and prints the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    ways.choose_parts(parser, [1, 3, 5, 10])
    chosen = parser.parse_args()
    course_folder.config(HERE)  # so that ordinary kernels find `grading`
    print("part   plainly   judge   judge adds   (medians, in seconds)")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in (HERE / "source" / COURSE.name).glob("*.ipynb"):
            (folder / path.name).write_bytes(path.read_bytes())
        seconds(execution.Judge, course.PARTS[1], folder)  # starts the sandbox that a student's notebooks share
        for number in chosen.parts:
            taken = {make: [] for make in (Execute, execution.Judge)}
            for _ in range(chosen.rounds):
                for make, times in taken.items():
                    times.append(seconds(make, course.PARTS[number], folder))
            plain, judged = (statistics.median(times) for times in taken.values())
            print(f"{number:4} {plain:9.2f} {judged:7.2f} {judged - plain:+12.2f}", flush=True)


if __name__ == "__main__":
    main()
