"""A notebook that failed by the GPU runs once more without it, and that run counts.

A GPU's memory is shared by all who compute on it: what a neighbour, another worker or a program of the grader's takes
is missing to a submission through no fault of its own. On the processor it computes the same.
"""

import re
from collections.abc import Iterator

from nbformat import NotebookNode

from grading.sandbox.kept_sandboxes import Pool

# What PyTorch's errors by CUDA say: their classes' names, CUDA's own words, and those of its libraries.
BY_THE_GPU = re.compile(r"OutOfMemoryError|AcceleratorError|CUDA (error|out of memory)|\bCU(BLAS|DNN|SOLVER)_STATUS_")


def runs(nb: NotebookNode, pool: Pool) -> Iterator[bool]:
    """Whether the GPU may be used, for each run of a notebook; it is looked at after the first one."""
    yield True
    if pool.gpu and failed(nb):
        yield False


def failed(nb: NotebookNode) -> bool:
    """Whether an error of a cell, or a line of the test's report, names CUDA.

    A notebook that prints or raises such words itself is run once more for nothing.
    """
    outputs = (output for cell in nb.cells for output in cell.get("outputs", []))
    return any(BY_THE_GPU.search(repr(output)) for output in outputs)
