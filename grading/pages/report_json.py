"""The class report as JSON, for other programs; docs/schemas/report-1.json has its form."""

import numpy as np

from grading.pages.class_data import ClassResults

SCHEMA, VERSION = "grading.report", 1


def document(found: ClassResults) -> dict:
    """Marks by student, what each item earned on average, who made which mistake, and what is not graded."""
    course = found.course
    students = [
        {
            "student": student.name,
            "total": student.total,
            "complete": student.complete,
            "marks": [student.marks.get(part.number) for part in course.parts],
            "unread": list(student.unread),
        }
        for student in found.students
    ]
    items = [
        {
            "part": item.part,
            "what": item.what,
            "points": item.points,
            "by_hand": item.by_hand,
            "students": int(np.sum(~np.isnan(won))),
            "mean": float(np.nanmean(won)),
        }
        for item, won in zip(found.items, found.won.T, strict=True)
    ]
    mistakes = [
        {"part": mistake.part, "mistake": mistake.key, "found": mistake.said, "students": makers}
        for mistake, makers in found.makers().items()
    ]
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "course": course.name,
        "students": students,
        "items": items,
        "mistakes": mistakes,
        "breaches": [
            {"part": part, "student": name, "breach": text}
            for part, who in found.breakers().items()
            for name, text in who
        ],
        "not_graded": [
            {"why": why, "student": name, "parts": parts} for why, who in found.not_graded() for name, parts in who
        ],
    }
