"""The own time that all notebooks of one submission have together.

Without it each notebook could nap up to its own limit. The allowance belongs to one student in one run of nbgrader: in
the exporter that nbgrader makes for a run, so that the next run, in whatever process, begins with a full one.
"""

from weakref import WeakKeyDictionary

from grading.core import limits


class Allowance:
    """What one submission's notebooks have used, in the fixed order in which they are graded."""

    def __init__(self) -> None:
        self.spent_s = 0.0

    @property
    def left_s(self) -> float:
        """Seconds of own time that the next notebook may take, within its own limit; never less than LEAST_S."""
        return max(limits.LEAST_S, limits.STUDENT_LIMIT_S - self.spent_s)


_current: WeakKeyDictionary[object, tuple[str, Allowance]] = WeakKeyDictionary()


def of_student(run: object, folder: str) -> Allowance:
    """The allowance of the student whose notebooks are in a folder; nbgrader grades one student after the other.

    `run` is nbgrader's exporter, one a run; None: nobody knows, and the allowance is this notebook's alone.
    """
    if run is None:
        return Allowance()
    if run not in _current or _current[run][0] != folder:
        _current[run] = folder, Allowance()
    return _current[run][1]
