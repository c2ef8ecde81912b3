"""The own time that all notebooks of one submission have together. Without it each could nap up to its own limit."""

from grading.core import limits


class Allowance:
    """What one submission's notebooks have used, in the fixed order in which they are graded."""

    def __init__(self) -> None:
        self.spent_s = 0.0

    @property
    def left_s(self) -> float:
        """Seconds of own time that the next notebook may take, within its own limit; never less than LEAST_S."""
        return max(limits.LEAST_S, limits.STUDENT_LIMIT_S - self.spent_s)
