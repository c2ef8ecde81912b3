"""Why a submission is not graded, or what an instructor should know of it, in a sentence each."""

from pathlib import Path

from grading.core import names
from grading.submission import exchange_folder


def of_name(student: str, folder: Path) -> str:
    """Why nobody is graded under a name that was found in a folder; empty for a name that a student may have."""
    return names.trouble(student, names.whole_path(folder)) or ""


def unreadable(why: str) -> str:
    """The sentence about a submission that could not be read, several times."""
    return f"the submission can't be read: {why}. Submit it again."


def owned_by(account: str) -> str:
    """The sentence about a submission under another name than its account's, which students read, too."""
    return (
        f"the submission belongs to the account {account}, not to the student in its name. Submit it from your own "
        "account. Where accounts and names differ, an instructor can allow that: see docs/watch.md."
    )


def owned_by_grader(account: str) -> str:
    """The sentence about a submission that could be anybody's, because all have one account."""
    return f"the submission belongs to the account {account}, the grader's own, so nobody can tell who submitted it."


def closed(place: str, why: str) -> str:
    """The sentence about a student's folder that can't be read."""
    return f"{place} cannot be read: {why}. Make it readable for this account."


def many(number: int, account: int, folder: Path) -> str:
    """The line about somebody whose folders keep others waiting."""
    of = None if account == exchange_folder.NOBODY else exchange_folder.name_of(account)
    return (
        f"{number:,} folders of the account {of or exchange_folder.NAMELESS} wait in {names.whole_path(folder)}, and "
        "the submissions of others are found later because of them. Remove what isn't a submission."
    )
