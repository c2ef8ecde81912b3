"""How many submissions without marks each account may have pages of, in the exchange: those last submitted.

Whoever submits without end would otherwise fill the instructor's disk, in the instructor's name, with pages that say
why nothing was graded.
"""

MOST_OF_STUDENT = 20  # submissions that one account on the system wrote in one student's name
MOST_OF_OWNER = 400  # and all of one account, in whatever names


class NotesLeft:
    """The submissions, by their secrets, that have pages without marks.

    A new start of the service counts from zero again.
    """

    def __init__(self, grader: int) -> None:
        """`grader` is the account of the grader, which may be all students' on a hub; then each name counts alone."""
        self._grader = grader
        self._of: dict[int | None, dict[str, str]] = {}  # by account: who each secret is of, the latest last

    def add(self, owner: int | None, student: str, secret: str) -> list[str]:
        """Notes a submission that has got pages; the secrets of those whose pages now make room."""
        mine = self._of.setdefault(owner, {})
        mine.pop(secret, None)
        mine[secret] = student
        gone = [old for old, name in mine.items() if name == student][:-MOST_OF_STUDENT]
        if not gone and owner != self._grader:
            gone = [*mine][:-MOST_OF_OWNER]
        for old in gone:
            del mine[old]
        return gone

    def has_marks(self, owner: int | None, secret: str) -> None:
        """Notes that a submission's pages are there to stay."""
        self._of.get(owner, {}).pop(secret, None)
