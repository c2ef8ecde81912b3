"""How often our grader failed on a submission, or couldn't read or copy it, and when to try again."""

import errno
import time

from grading.core import errors

MOST = 3
PUT_OFF_S = 2.0  # until one that could not be read is read again
# Until one is copied again that had no place, as in a folder that is another account's: at first, and at most.
NO_PLACE_S, NO_PLACE_LONGEST_S = 10.0, 300.0
_OF_ALL = (*errors.FULL, errno.EROFS, errno.EIO, errno.ESTALE)  # what no submission has a place for


class Attempts:
    """The attempts of one service, by the numbers of the submissions."""

    def __init__(self) -> None:
        self._failed: dict[int, int] = {}
        self._not_before: dict[int, float] = {}
        self._waits: dict[int, float] = {}

    def failed(self, number: int, put_off: bool = False) -> bool:
        """Counts a failed attempt; returns whether there will be another, which comes after a moment if it is
        `put_off`.
        """
        self._failed[number] = self._failed.get(number, 0) + 1
        if put_off:
            self._not_before[number] = time.monotonic() + PUT_OFF_S
        return self._failed[number] < MOST

    def kept_from(self, number: int, error: Exception) -> None:
        """Puts off a submission that can't be copied, unless the disk is to blame."""
        if isinstance(error, OSError) and error.errno not in _OF_ALL:
            self.put_off(number)

    def put_off(self, number: int) -> None:
        """Puts off a submission for which there is no place now, twice as long each time."""
        wait_s = self._waits.get(number, NO_PLACE_S)
        self._waits[number] = min(2 * wait_s, NO_PLACE_LONGEST_S)
        self._not_before[number] = time.monotonic() + wait_s

    def may_begin(self, number: int) -> bool:
        """Whether a submission may be tried now: it isn't put off."""
        return time.monotonic() >= self._not_before.get(number, 0.0)

    def forget(self, number: int) -> None:
        """Forgets a submission that has come to its end."""
        self._failed.pop(number, None)
        self._not_before.pop(number, None)
        self._waits.pop(number, None)
