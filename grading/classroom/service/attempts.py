"""How often a submission was tried in vain: our grader failed, or its files could not be read; and when again."""

import time

MOST = 3
PUT_OFF_S = 2.0  # until one that could not be read is read again


class Attempts:
    """Those of one service, by the submissions' numbers."""

    def __init__(self) -> None:
        self._failed: dict[int, int] = {}
        self._not_before: dict[int, float] = {}

    def failed(self, number: int, put_off: bool = False) -> bool:
        """Counts one more; whether there is another attempt, after a moment if it is `put_off`."""
        self._failed[number] = self._failed.get(number, 0) + 1
        if put_off:
            self._not_before[number] = time.monotonic() + PUT_OFF_S
        return self._failed[number] < MOST

    def may_begin(self, number: int) -> bool:
        """Whether it is not put off."""
        return time.monotonic() >= self._not_before.get(number, 0.0)

    def forget(self, number: int) -> None:
        """It has come to its end."""
        self._failed.pop(number, None)
        self._not_before.pop(number, None)
