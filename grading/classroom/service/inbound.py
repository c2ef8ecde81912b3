"""The folders in nbgrader's exchange that submissions are, read in turns: any student may make a million there.

A look goes on where the last one had no time left. Of one account it keeps no more than anybody submits in good faith,
those that come first; a later turn finds the others, once these have arrived.
"""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

READ_S = 0.1  # that a look may take for reading names
KEPT = 500  # folders of one account that are kept, or up to twice as many
MANY = 10_000  # of one account that an instructor should know of


@dataclass
class Folder:
    """A folder: its number in the file system, the account that it counts for, and the turn in which it was there."""

    number: int
    owner: int
    turn: int


class Inbound:
    """The folders of one exchange that have not arrived yet."""

    def __init__(self, owner: Callable[[int], int], order: Callable[[str], object]) -> None:
        """`owner` says for whom an account's folders count, and `order` by what a name comes before others."""
        self._owner, self._order = owner, order
        self._found: dict[str, Folder] = {}
        self._kept, self._seen = Counter(), Counter()  # by owner: folders of `_found`, and all of this turn
        self._last: dict[int, object] = {}  # by an owner of more: the order of the last one that was kept
        self._entries: Iterator[os.DirEntry] | None = None
        self._own: int | None = None  # a descriptor for the whole turn: entries ask by its number, look after look
        self._place, self._turn = None, 0
        self.many: dict[int, int] = {}  # by owner: how many there were in the last turn, where that is too many

    def read(self, opened: int, wanted: Callable[[str], bool]) -> dict[str, int]:
        """The wanted folders in the open one that are kept by now, each with its owner.

        Errors  OSError if it can't be read.
        """
        end = time.monotonic() + READ_S
        self._found = {name: folder for name, folder in self._found.items() if wanted(name)}
        self._kept = Counter(folder.owner for folder in self._found.values())
        self._begin(os.fstat(opened), opened)
        try:
            for entry in self._entries:
                if wanted(entry.name) and _is_folder(entry):
                    self._note(entry)
                if time.monotonic() > end:
                    break
            else:
                self._end_turn()
        except OSError:
            self._leave()
            raise
        return {name: folder.owner for name, folder in self._found.items()}

    def _begin(self, status: os.stat_result, opened: int) -> None:
        """Begins a turn, unless one goes on in the same folder."""
        place = status.st_dev, status.st_ino
        if self._entries is None or self._place != place:
            self._leave()
            self._own = os.dup(opened)
            self._entries, self._place = os.scandir(self._own), place
            self._turn, self._seen = self._turn + 1, Counter()

    def _leave(self) -> None:
        """Lets go of what is read: another file may take a closed descriptor's number, and would be asked instead."""
        self._entries = None
        if self._own is not None:
            os.close(self._own)
            self._own = None

    def _end_turn(self) -> None:
        """Forgets what wasn't there in this turn, and what was too much in it."""
        self._leave()
        self._last = {}
        self._found = {name: folder for name, folder in self._found.items() if folder.turn == self._turn}
        self.many = {owner: number for owner, number in self._seen.items() if number > MANY}

    def _note(self, entry: os.DirEntry) -> None:
        """Notes a folder that is there, and keeps it if it is among its owner's first."""
        name, number = entry.name, entry.inode()
        if (known := self._found.get(name)) is not None and known.number == number:
            known.turn = self._turn
            self._seen[known.owner] += 1
            return
        if (account := account_of(entry)) is None:
            return
        owner = self._owner(account)
        self._seen[owner] += 1
        if owner in self._last and self._order(name) > self._last[owner]:
            return
        self._found[name] = Folder(number, owner, self._turn)
        self._kept[owner] += 1
        if self._kept[owner] > 2 * KEPT:
            self._keep_first(owner)

    def _keep_first(self, owner: int) -> None:
        """Lets all but the first ones of an owner go."""
        names = sorted((name for name, folder in self._found.items() if folder.owner == owner), key=self._order)
        for name in names[KEPT:]:
            del self._found[name]
        self._kept[owner], self._last[owner] = KEPT, self._order(names[KEPT - 1])


def account_of(entry: os.DirEntry) -> int | None:
    """The account on the system that a folder is of; None if it is gone by now, or closed to everybody else."""
    try:
        return entry.stat(follow_symlinks=False).st_uid
    except OSError:
        return None


def _is_folder(entry: os.DirEntry) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)  # which most file systems say with the name
    except OSError:
        return False
