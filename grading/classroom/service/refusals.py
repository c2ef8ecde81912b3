"""Why a submission is not graded, or what an instructor should know of it, in a sentence each."""

from pathlib import Path

from grading.core import names


def of_name(student: str, folder: Path) -> str:
    """Of a name that was found in a folder; empty for one that a student may have."""
    return names.trouble(student, names.whole_path(folder)) or ""


def unreadable(why: str) -> str:
    """Of one that could not be read, several times."""
    return f"the submission can't be read: {why}. Submit it again."


def owned_by(account: str) -> str:
    """Of one under another name than its account's."""
    return (
        f"the submission belongs to the account {account}, not to the student in its name. If accounts and names "
        "differ here, set c.ExchangeCollect.check_owner = False."
    )


def owned_by_grader(account: str) -> str:
    """Of one that could be anybody's, where all have one account."""
    return f"the submission belongs to the account {account}, the grader's own, so nobody can tell who submitted it."


def linked(where: str) -> str:
    """Of a submission in a folder that is not itself a folder."""
    return f"{where} is a link, and no link is followed. Put the files themselves there."


def closed(place: str, why: str) -> str:
    """Of a student's folder that can't be looked into."""
    return f"{place} cannot be read: {why}. Make it readable for this account."
