"""Runs notebooks without judge or walls, as JupyterLab does, each in a fork of a process that has torch loaded."""

import functools
import json
import multiprocessing
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from unittest import mock

from lean import fewer_samples

from dev import handed_in
from grading.core.course import Part
from grading.sandbox import instruction_sets

LIMIT_S = 300  # one notebook


def marks(submissions: list[tuple[Part, str]], lean: bool) -> Iterator[float | str]:
    """The marks of each answer, in order, or the error that its test ended with; `lean` runs part 13 with 2 samples."""
    run = functools.partial(_marks, lean=lean)
    context = multiprocessing.get_context("spawn")
    alike = mock.patch.dict(os.environ, instruction_sets.settings())  # rounds as the sandbox does
    with alike, ProcessPoolExecutor(os.cpu_count(), mp_context=context, initializer=_preload) as pool:
        yield from pool.map(run, submissions, chunksize=4)


def _preload() -> None:
    import gc

    import matplotlib.pyplot
    import sympy  # noqa: F401
    import torch
    from IPython.core.interactiveshell import InteractiveShell
    from threadpoolctl import threadpool_limits
    from traitlets.config import Config

    matplotlib.use("agg")
    os.environ["TORCHDYNAMO_DISABLE"] = "1"  # a compiler would take half a minute, for the same numbers
    threadpool_limits(1)  # as several run at once
    torch.set_num_threads(1)  # a fork of a process that has started threads of torch's hangs

    class Shell(InteractiveShell):
        def enable_gui(self, gui=None):
            """Takes `%matplotlib inline`, as a kernel's shell does."""

    Shell.instance(config=Config(HistoryManager={"enabled": False}))  # a history would be a thread, too
    gc.freeze()


def _marks(submission: tuple[Part, str], lean: bool) -> float | str:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        signal.alarm(LIMIT_S)
        try:
            said = _run(*submission, lean)
        except BaseException as error:  # noqa: BLE001  (told to the parent)
            said = repr(error)
        os.write(writing, json.dumps(said).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    os.waitpid(pid, 0)
    return json.loads(said) if said else "the process ended"


def _run(part: Part, answer: str, lean: bool) -> float | str:
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        handed_in.equip(Path(folder))
        sys.path.insert(0, "")  # as in a kernel
        notebook = handed_in.submission(part, answer)
        handed_in.write(Path(folder), part, notebook)
        test = handed_in.sources(part)[f"{part.stem}-test"]
        shell = InteractiveShell.instance()
        for cell in notebook["cells"]:
            name = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
            if cell["cell_type"] != "code" or name.endswith("-figure"):
                continue
            source = test if name.endswith("-test") else "".join(cell["source"])
            with capture_output():
                result = shell.run_cell(fewer_samples(source) if lean and part.number == 13 else source)
            if name.endswith("-test"):
                return result.result if result.success else repr(result.error_in_exec or result.error_before_exec)
        raise ValueError(f"{part.stem} has no test")
