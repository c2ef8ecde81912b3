"""The class report: one page with pictures, for the instructor; `python -m grading report` writes report.html.

The page brings all it needs and runs nothing. Whatever a student wrote is escaped.
"""

import base64
import re
from datetime import datetime
from pathlib import Path

import jinja2
import numpy as np

from grading.core import errors, files, names
from grading.core.course import Part
from grading.pages import class_data, class_figures
from grading.pages.class_data import ClassResults, Student

PAGE = "report.html"


def write(root: Path) -> Path:
    """Writes the report of the class in the course folder `root`, and returns where.

    Errors  CourseError if nothing is graded, or the page cannot be written.
    """
    text = page(class_data.read(root), datetime.now().strftime("%Y-%m-%d, %H:%M"))
    try:
        files.rewrite(root / PAGE, text)
    except OSError as error:
        raise errors.CourseError(f"{names.path(root / PAGE)} cannot be written: {error.strerror}.") from None
    return root / PAGE


def page(results: ClassResults, date: str) -> str:
    """The report of a class of one student or more, as HTML."""
    templates = jinja2.FileSystemLoader(Path(__file__).with_name("templates"))
    environment = jinja2.Environment(
        loader=templates, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, finalize=_printable
    )
    rest = class_figures.item_rest(results)
    makers, items = results.makers(), results.items
    return environment.get_template("class_report.html").render(
        date=date,
        course=results.course,
        facts=_facts(results),
        heat=_picture(*class_figures.heat_map(results)),
        parts=[_part_row(results, part) for part in results.course.parts],
        students=_student_rows(results),
        items=_item_rows(results, rest),
        item_picture=_picture(*class_figures.item_figure(results, rest)) if items else None,
        item_caption=_item_caption(rest),
        note=_note(rest),
        mistakes_said=_mistakes_said(results),
        mistakes=[{"mistake": m, "name": class_figures.named(m.key), "who": who} for m, who in makers.items()],
        mistake_picture=_picture(*class_figures.mistake_figure(results)) if makers else None,
        breaches=_breach_rows(results),
        unread=_unread_rows(results),
        not_graded=[
            {"why": _sentence(why), "who": [(name, _numbers(parts, results)) for name, parts in who]}
            for why, who in results.not_graded()
        ],
    )


def _facts(results: ClassResults) -> list[tuple[str, str]]:
    """The numbers at the top of the page, each with its words."""
    totals = [student.total for student in results.students]
    unmarked = sum(mark is None for student in results.students for mark in student.marks.values())
    unread = sum(len(student.unread) for student in results.students)
    facts = [(f"{len(totals)}", "student" if len(totals) == 1 else "students")]
    if len(totals) > 1:
        lower, middle, upper = np.percentile(totals, [25, 50, 75])
        facts.append((f"{np.mean(totals):.1f}", f"of {results.course.points} points, the mean"))
        facts.append((f"{middle:.3g}", f"the median; half the class has {lower:.3g} to {upper:.3g}"))
        facts.append((f"{min(totals):.3g} to {max(totals):.3g}", "lowest to highest"))
    else:
        facts.append((f"{totals[0]:.3g}", f"of {results.course.points} points"))
    facts.append((f"{unmarked}", "parts not marked"))
    facts.append((f"{unread}", "written answers to read"))
    return facts


def _part_row(results: ClassResults, part: Part) -> dict:
    marks = [s.marks[part.number] for s in results.students if s.marks[part.number] is not None]
    quarters = " · ".join(f"{value:.3g}" for value in np.percentile(marks, [25, 50, 75])) if len(marks) > 1 else "–"
    return {
        "part": part,
        "mean": f"{np.mean(marks):.1f}" if marks else "–",
        "quarters": quarters,
        "full": sum(mark == part.points for mark in marks),
        "none": sum(mark == 0 for mark in marks),
        "unmarked": len(results.students) - len(marks),
        "unread": sum(part.number in student.unread for student in results.students),
    }


def _student_rows(results: ClassResults) -> list[dict]:
    ranks: dict[float, int] = {}
    for rank, student in enumerate(results.ranked, start=1):
        ranks.setdefault(student.total, rank)
    return [_student_row(student, ranks[student.total]) for student in results.students]


def _student_row(student: Student, rank: int) -> dict:
    marks = ["?" if mark is None else f"{mark:.3g}" for mark in student.marks.values()]
    return {"name": student.name, "marks": marks, "total": f"{student.total:.4g}", "rank": rank}


def _item_rows(results: ClassResults, rest: dict[class_data.Item, class_figures.Rest]) -> list[dict]:
    rows = []
    for column, (item, share) in enumerate(zip(results.items, class_figures.shares(results), strict=True)):
        looked_at = int((~np.isnan(results.won[:, column])).sum())
        known = rest[item]
        text = known.why if known.r is None else f"{known.r:+.2f}".replace("-", "−")
        points = f"{item.points:g}"
        rows.append(
            {"item": item, "points": points, "share": class_figures.percent(share), "students": looked_at, "rest": text}
        )
    return rows


def _item_caption(rest: dict[class_data.Item, class_figures.Rest]) -> str:
    text = "The share of an item's points that the class won; an item's points are in brackets."
    if all(one.r is None for one in rest.values()):
        return text
    return f"Left: {text[0].lower()}{text[1:]} Right: its correlation with all other marks."


def _note(rest: dict[class_data.Item, class_figures.Rest]) -> str:
    """How far the correlations can be believed for a class of this size."""
    counts = [one.students for one in rest.values() if one.r is not None]
    if not counts:
        return f"Correlations need at least {class_figures.LEAST} students with every part marked."
    chance = max(one.chance for one in rest.values() if one.r is not None)
    who = f"{min(counts)}" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
    return (
        f"Correlations are those of the {who} students with every part marked; in a class of this size, one between "
        f"−{chance:.2f} and {chance:.2f} may be chance."
    )


def _mistakes_said(results: ClassResults) -> str:
    """How much of what was lost has a name."""
    won = results.won
    full = np.array([item.points for item in results.items])
    tests = np.array([not item.by_hand for item in results.items], dtype=bool)
    lost = int((won[:, tests] < full[tests]).sum()) if len(full) else 0
    told = sum(len(student.mistakes) for student in results.students)
    if not lost:
        return "No item of the tests was lost."
    lost_items = "1 item of the tests was" if lost == 1 else f"{lost} items of the tests were"
    return f"{lost_items} lost, all students together; {told} of these by a mistake that has a name."


def _breach_rows(results: ClassResults) -> list[dict]:
    """Broken rules by part; one example stands for the part, with the students that broke its rules."""
    rows = []
    for part, who in results.breakers().items():
        rows.append({"part": part, "text": who[0][1], "who": [name for name, _ in who]})
    return rows


def _unread_rows(results: ClassResults) -> list[dict]:
    rows = []
    for part in results.course.parts:
        who = [student.name for student in results.students if part.number in student.unread]
        if who:
            rows.append({"part": part, "who": who})
    return rows


def _picture(svg: str, alt: str) -> dict:
    """A picture for the page: a data URI, which can neither run nor fetch anything; its words, and its size."""
    width, height = (float(n) for n in re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups())
    uri = "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()
    return {"uri": uri, "alt": alt, "width": round(width * 4 / 3), "height": round(height * 4 / 3)}


def _numbers(parts: list[int], results: ClassResults) -> str:
    return "all" if len(parts) == len(results.course.parts) else ", ".join(map(str, parts))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".")


def _printable(value: object) -> object:
    """Texts without the characters that no page may hold; what they hold else is escaped by the template."""
    if type(value) is not str or value.isprintable():
        return value
    return "".join(c if c.isprintable() or c in "\n\t" else "�" for c in value)
