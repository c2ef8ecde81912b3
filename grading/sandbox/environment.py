"""The environment that notebooks run in: nothing of the judge's own, and the same on all machines of a kind."""

import os
import sys

from grading.sandbox import instruction_sets


def of_kernel(home: str, temporary: str) -> dict[str, str]:
    """The environment variables of the preloaded process, and so of each kernel until Jupyter adds its own."""
    return {
        "PATH": f"{os.path.abspath(sys.prefix)}/bin:/usr/local/bin:/usr/bin:/bin",
        "HOME": home,
        "TMPDIR": temporary,
        "USER": "student",
        "LANG": "C.UTF-8",
        "TERM": "xterm-color",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "OMP_NUM_THREADS": "1",  # a process that has computed on several threads cannot be forked
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "TORCHDYNAMO_DISABLE": "1",  # what torch.compile would compile runs as written: no compiler works within walls
        "PYTHONDONTWRITEBYTECODE": "1",  # what a notebook imports from its folder is compiled for it alone
        "PYTHONHASHSEED": "0",  # sets of texts have the same order in every run
        **instruction_sets.settings(),
    }
