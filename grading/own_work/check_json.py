"""What the visible checks found as JSON, for other programs; docs/schemas/check-1.json has its form."""

from grading.core.course import Course
from grading.own_work.visible_checks import Result

SCHEMA, VERSION = "grading.check", 1


def document(course: Course, found: list[Result]) -> dict:
    """Each notebook that was checked, in order."""
    return {"schema": SCHEMA, "version": VERSION, "course": course.name, "notebooks": [_notebook(r) for r in found]}


def _notebook(result: Result) -> dict:
    """`written` is null where the part asks for no written answer."""
    return {
        "path": str(result.path),
        "part": result.part.number if result.part else None,
        "state": result.state.name.lower(),
        "message": result.message,
        "written": result.written,
    }
