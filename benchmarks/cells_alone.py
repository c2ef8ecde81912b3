"""What the cells of the model answers compute without any kernel: a process of its own, for benchmarks/account.py.

    python cells_alone.py FOLDER

FOLDER holds submitted notebooks and the course's module. The process loads what a sandbox loads. Each notebook's cells
then run in forks of it, by exec and by an IPython shell. A fork that computes nothing is given as many pages of memory
as the first run was. At last the process itself runs all notebooks, and forks again: what is faster then was slow
because a fork starts without what libraries remember. And it runs them with their hidden tests, as floor.py does.
Prints JSON, {measure: {part: milliseconds}}, the number of cells, and the pages.
"""

import contextlib
import gc
import importlib
import io
import json
import mmap
import os
import resource
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import forked
import matplotlib

matplotlib.use("agg")

from attention.course import COURSE
from grading.sandbox import cell_reading, package_ahead, zygote

MEASURES = ("cells", "first", "pages", "given", "again", "undrawn", "shell", "remembered", "floor")
OWN_PAGES = 50_000  # more than any part is given


def main() -> None:
    """Measures, and prints what was found."""
    os.chdir(sys.argv[1])
    sys.path.insert(0, "")
    for name in [*COURSE.libraries.modules, *zygote.PRELOAD]:
        importlib.import_module(name)
    sys.modules["torch"].set_num_threads(1)
    zygote.module(str(COURSE.libraries.warmup)).warm()
    with tempfile.TemporaryDirectory() as folder:
        package_ahead.Package(os.path.abspath(COURSE.module)).load(folder)
    warnings.simplefilter("ignore")
    notebooks = {path.stem: _sources(path) for path in sorted(Path().glob("part*.ipynb"))}
    own = mmap.mmap(-1, OWN_PAGES * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE)
    own.madvise(mmap.MADV_NOHUGEPAGE)
    write_to(own, OWN_PAGES)
    gc.freeze()
    found = {name: {} for name in MEASURES}
    for stem, named in notebooks.items():
        every = list(named.values())
        undrawn = [source for name, source in named.items() if not name.endswith("-figure")]
        found["cells"][stem] = len(every)
        found["first"][stem], found["pages"][stem] = in_fork(partial(by_exec, every))
        found["given"][stem], _ = in_fork(partial(write_to, own, min(found["pages"][stem], OWN_PAGES)))
        found["again"][stem], _ = in_fork(partial(by_exec, every), partial(by_exec, every))
        found["undrawn"][stem], _ = in_fork(partial(by_exec, undrawn), partial(by_exec, every))
        found["shell"][stem], _ = in_fork(partial(by_shell, every), shell)
    for named in notebooks.values():
        by_exec(list(named.values()))
    gc.collect()
    gc.freeze()
    for stem, named in notebooks.items():
        found["remembered"][stem], _ = in_fork(partial(by_exec, list(named.values())))
    for stem in notebooks:
        found["floor"][stem] = at_the_floor(Path(f"{stem}.ipynb").resolve())
    print(json.dumps(found), file=sys.__stdout__)


def in_fork(
    measured: Callable, before: Callable = lambda: None, fork: Callable[[Callable], int] = zygote.fork
) -> tuple[float, int]:
    """The milliseconds that a call computes in a fork of this process, and the pages that it had to be given.

    Errors  RuntimeError if the fork ended without an answer.
    """

    def taken() -> tuple[float, int]:
        before()
        pages, own = resource.getrusage(resource.RUSAGE_SELF).ru_minflt, time.process_time()
        measured()
        took = 1000 * (time.process_time() - own)
        return took, resource.getrusage(resource.RUSAGE_SELF).ru_minflt - pages

    said = forked.result(taken, fork=fork)
    if said is None:
        raise RuntimeError("a fork ended before it had run its cells")
    took, pages = said
    return took, pages


def write_to(memory: mmap.mmap, pages: int) -> None:
    """Writes to so many pages of memory: a fork is given a copy of each."""
    for page in range(pages):
        memory[page * mmap.PAGESIZE] = 1


def at_the_floor(path: Path) -> float:
    """The milliseconds that a notebook with its hidden test computes here, as floor.py runs it, for a second time."""
    import floor

    floor.draw_when_shown()
    part = COURSE.part_of(path.stem)
    run = partial(floor.run, path, floor.test(part), part.automatic)
    names, clock, freeze = vars(sys.modules["__main__"]), time.process_time, gc.freeze
    kept = dict(names)
    run()  # which empties `__main__`
    freeze()  # floor.py has imported nbgrader
    before = clock()
    run()
    took = 1000 * (clock() - before)
    names.clear()
    names.update(kept)
    return took


def by_exec(sources: list[str]) -> None:
    """Runs cells in an empty `__main__`."""
    names = vars(sys.modules["__main__"])
    kept = dict(names)
    names.update(display=print)
    with contextlib.redirect_stdout(io.StringIO()):
        for source in sources:
            exec(source, names)
    names.clear()
    names.update(kept)


def shell() -> None:
    """Makes the shell that `by_shell` uses, which reads cells as a kernel's does."""
    from IPython.core.interactiveshell import InteractiveShell

    cell_reading.Reader(InteractiveShell.instance(history_manager=None)).take_over()


def by_shell(sources: list[str]) -> None:
    """Runs cells as IPython does.

    Errors  RuntimeError if one fails: then it isn't a model answer that was measured.
    """
    from IPython.core.interactiveshell import InteractiveShell

    with contextlib.redirect_stdout(io.StringIO()):
        for source in sources:
            done = InteractiveShell.instance().run_cell(source, store_history=False)
            if not done.success:
                raise RuntimeError(f"a cell fails: {done.error_in_exec or done.error_before_exec}")


def _sources(path: Path) -> dict[str, str]:
    """The student's cells that run, by their ids; those that draw the part's figure end in `-figure`."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code" and not cell["id"].endswith("-test")]
    return {cell["id"]: source for cell in code if (source := "".join(cell["source"])).strip()}


if __name__ == "__main__":
    main()
