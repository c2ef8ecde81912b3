"""The accounts of the system, by whose names submissions are known; where these come from, LDAP say, may be away.

The system says the same of an account that it doesn't have and of one whose name it can't look up now: that it has
none. Time tells them apart, so nobody's submission is refused for a moment in which names can't be looked up.
"""

import time
from collections.abc import Callable

from grading.submission import exchange_folder

PATIENCE_S = 600.0  # for which an account may have no name before that is an answer
ASK_AGAIN_S = 10.0  # a student may have thousands of accounts without a name: each is asked for now and then


class Accounts:
    """The names of accounts by their numbers, as the system had them last."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say, self._said = say, float("-inf")
        self._names: dict[int, str] = {}
        self._nameless: dict[int, tuple[float, float]] = {}  # since when one has none, and when that was asked last

    def name(self, number: int | None) -> str | None:
        """An account's name, or the words for one that has none; None as long as its name may only be away."""
        if number is None:  # of a folder that is gone
            return exchange_folder.NAMELESS
        now, found = time.monotonic(), exchange_folder.name_of(number)
        if found is not None:
            self._names[number] = found
            self._nameless.pop(number, None)
            return found
        since, _ = self._nameless.get(number, (now, now))
        self._nameless[number] = since, now
        if now - since >= PATIENCE_S:
            return exchange_folder.NAMELESS
        if number not in self._names and now - self._said >= PATIENCE_S:
            self._said = now
            self._say(f"{unknown(number)}: it waits for up to {PATIENCE_S / 60:g} minutes")
        return self._names.get(number)

    def with_others(self, number: int) -> int:
        """The number of an account that has had a name; one for all others, of which one student may have many."""
        if number in self._names:
            return number
        if time.monotonic() - self._nameless.get(number, (0.0, float("-inf")))[1] >= ASK_AGAIN_S:
            self.name(number)
        return number if number in self._names else exchange_folder.NOBODY


def unknown(number: int | None) -> str:
    """Why nobody knows whose a submission is, in words."""
    return f"the system has no name for the account {number} now, so nobody knows whose its submission is"
