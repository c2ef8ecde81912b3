"""The engine: how a mark is found, and what a student reads about it.

Python of any age can read this file, and so learns here that it is too old.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  (ruff believes pyproject.toml, which an old Python never reads)
    this = sys.version.split()[0]
    sys.exit("Python 3.11 or newer is needed, this is " + this + ". Name another: make PYTHON=python3.12 demo")
