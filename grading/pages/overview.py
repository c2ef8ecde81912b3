"""What an index says of all parts: which to look at first, and what was not graded."""

from collections.abc import Collection

from grading.core import names
from grading.gradebook.results import Result
from grading.pages import wording

_FIRST = 5  # parts that an index names to look at first
_FOUND = 4  # findings that it lists of each


def first(found: list[Result], said: wording.Setting) -> tuple[list[dict], int]:
    """The parts that lost most, with what cost the points, and how many more lost any.

    Whoever learns alone has lost nothing in a part that they have not begun.
    """
    lost = [r for r in found if r.lost > 0 and (r.here or not said.not_begun)]
    lost.sort(key=lambda r: (-r.lost, r.part.number))
    return [{"result": r, "lines": _findings(r)} for r in lost[:_FIRST]], len(lost[_FIRST:])


def ungraded(
    found: list[Result], begun: Collection[str], said: wording.Setting, others: Collection[str] = ()
) -> list[dict[str, str]]:
    """Which parts, or pieces of them, have no marks yet, and why: a line a reason; `begun` are stems of parts.

    `others` are names of notebooks that are called like no part.
    """
    lines: dict[str, list[int]] = {}
    for result in found:
        if why := _why_ungraded(result, result.part.stem in begun, said):
            lines.setdefault(why, []).append(result.part.number)
    reasons = [(wording.parts(numbers), why) for why, numbers in lines.items()]
    reasons += [(names.short(name), wording.OTHER_NAME) for name in others]
    return [{"parts": parts, "why": why} for parts, why in reasons]


def _findings(result: Result) -> list[dict[str, str]]:
    """What cost the points of a part: a rule, a fault, or the items lost, the largest first, alike ones in one line."""
    report = result.report
    if report is None:
        return [{"what": "", "found": wording.NOT_SUBMITTED if not result.here else wording.SEE_PAGE}]
    if whole := report.fault or report.breach:
        return [{"what": "", "found": whole}]
    lines: dict[str, list[str]] = {}
    for item in sorted(report.items, key=lambda item: item.won - item.points):
        if item.won < item.points:
            lines.setdefault(item.found or wording.NOT_AS_ASKED, []).append(item.what)
    return [{"what": ", ".join(what), "found": found} for found, what in list(lines.items())[:_FOUND]]


def _why_ungraded(result: Result, is_begun: bool, said: wording.Setting) -> str:
    """Why a part, or a piece of it, has no marks yet; an empty text if it has all."""
    if said.not_begun and not result.here:
        return said.not_marked if is_begun else said.not_begun
    if not result.entered:
        return wording.NOT_GRADED
    if result.unmarked:
        return said.not_marked
    if not result.here:
        return wording.NOT_SUBMITTED
    return wording.NOT_READ if result.unread else ""
