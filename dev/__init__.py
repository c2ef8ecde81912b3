"""For developers of the course: its tests, its release, its packages, its sample class."""

import grading  # noqa: F401  (which tells a Python that is too old what to do)
