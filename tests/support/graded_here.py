"""One submission, graded in the process that asks: no workers, no processes of theirs to wait for."""

from pathlib import Path

from grading.classroom import crash_notes, inputs, merge, worker
from grading.classroom.task_queue import Graded, Task, TaskQueue
from grading.gradebook import course_folder


def grade_student(root: Path, student: str, feedback: bool = True) -> Graded:
    """Grades one submission, whether it is graded already or not."""
    with course_folder.engine(root) as engine:
        given = inputs.read(root, engine)
        queue = TaskQueue(root, course_folder.course(root), engine, given, feedback, True, crash_notes.Notes(root))
        found = queue.begin(student)
        while isinstance(found, Task):
            read = merge.written(found.note)
            found = queue.settled(found, worker.grade(given, found.submission, found.before, feedback, read))
        return found
