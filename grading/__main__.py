"""The commands for users: python -m grading COMMAND; `python -m grading --help` lists them.

Each command imports what it needs itself, so that --help needs nothing that is installed, and answers at once.
"""

import signal

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # until a command runs, which says that it was stopped

import argparse
import contextlib
import json
import sys
from pathlib import Path

from grading.core import command_line, names


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; reports what the user can fix in one line, with exit status 1."""
    parser = argparse.ArgumentParser(prog="python -m grading", description="Grades a course with nbgrader.")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="for students: which parts pass their visible checks")
    check.add_argument(
        "places", type=Path, nargs="*", metavar="FOLDER_OR_NOTEBOOK", help="to check (default: work/, or release/)"
    )
    grade = commands.add_parser("autograde", aliases=["grade"], help="grade everything in submitted/")
    grade.add_argument("--workers", type=command_line.positive, help="how many at once (default: by cores and memory)")
    grade.add_argument("--scheduler", metavar="ADDRESS", help="grade on the Dask cluster with this scheduler")
    grade.add_argument("--force", action="store_true", help="grade again what is graded and unchanged")
    grade.add_argument("--student", metavar="NAME", help="grade only this submission, even if it ended earlier runs")
    grade.add_argument("--quiet", action="store_true", help="print only what is not graded")
    report = commands.add_parser("report", help="write the class report, a page with pictures, to report.html")
    mark = commands.add_parser("mark", help="grade your own work in work/ with the hidden tests")
    mark.add_argument("--open", action="store_true", help="open the feedback in a browser")
    mark.add_argument("--no-sandbox", action="store_true", help="run your code without walls, with your own rights")
    stay = mark.add_mutually_exclusive_group()
    stay.add_argument("--watch", action="store_true", help="keep running, and grade again whenever you save")
    report.add_argument("folder", type=Path, nargs="?", help="the course folder, such as demo (default: this one)")
    for command in (check, grade, report, stay):
        command.add_argument("--json", action="store_true", help="print the result as JSON, all else to standard error")
    _export_options(
        commands.add_parser("export", help="write marks for Canvas, Moodle or Gradescope, or answers to compare")
    )
    lab = commands.add_parser("lab", help="open JupyterLab on your own copy of the release, in work/")
    lab.add_argument("--renew", action="store_true", help="take over a newer release first; your answers stay")
    _watch_options(commands.add_parser("watch", help="keep running, and grade each submission as it arrives"))
    commands.add_parser("release", help="for authors: make release/ and notebooks/ from source/")
    for command in dict.fromkeys(commands.choices.values()):
        command.add_argument(
            "--course", type=Path, default=Path(), metavar="FOLDER", help="the course's folder (default: this one)"
        )
        command.add_argument(
            "--assignment", default="", metavar="NAME", help="which assignment, where source/ holds several"
        )
    chosen = parser.parse_args(arguments)
    return command_line.run(chosen.command, _run, chosen)


def _export_options(export: argparse.ArgumentParser) -> None:
    export.add_argument("platform", choices=["canvas", "moodle", "gradescope", "answers"])
    export.add_argument("--roster", type=Path, help="CSV file: student, and lms_id, login or email")
    export.add_argument(
        "--from", type=Path, dest="exported", help="the file that the platform exports; its lines are kept"
    )
    export.add_argument("--to", type=Path, help="the file or folder to write (default: canvas.csv and so on)")
    export.add_argument("--student", metavar="NAME", help="only this student (gradescope and answers)")
    export.add_argument("--dry-run", action="store_true", help="say what the import would change, and write nothing")
    export.add_argument("--so-far", action="store_true", help="include parts whose written answer nobody has read yet")


def _watch_options(watch: argparse.ArgumentParser) -> None:
    watch.add_argument("--folder", metavar="FOLDER", help="take submissions from there, not from nbgrader's exchange")
    watch.add_argument("--release", action="store_true", default=None, help="show students the feedback at once")
    watch.add_argument("--port", type=int, help="port of the status page, on this machine only (default: 8765)")
    watch.add_argument(
        "--workers", type=command_line.positive, help="submissions graded at once (default: one per core)"
    )


def _run(chosen: argparse.Namespace) -> int:
    """Runs the command; with --json what is printed goes to standard error, so that the result stands alone.

    So does what the course's own code prints, such as its configuration, which each command reads.
    """
    chosen.out = sys.stdout
    with contextlib.redirect_stdout(sys.stderr) if getattr(chosen, "json", False) else contextlib.nullcontext():
        return COMMANDS[chosen.command](chosen)


def _print_json(chosen: argparse.Namespace, document: object) -> None:
    print(json.dumps(document, indent=1), file=chosen.out, flush=True)


def _check(chosen: argparse.Namespace) -> int:
    """Exit status 0 if every notebook could be checked, whether it passes or not."""
    with command_line.importing():
        from grading.core import find_course
        from grading.own_work import check_fork_server

        if (early := find_course.early(chosen.course)) is not None:
            check_fork_server.prepare(early[0].libraries)  # it imports for notebooks while the next lines import here
        from grading.gradebook import course_folder
        from grading.own_work import check_json, table, visible_checks, work_folder

    course = course_folder.own(chosen.course, chosen.assignment)
    work = work_folder.folder(chosen.course, course)
    place = work if work.is_dir() else chosen.course / "release" / course.name
    found = table.show(course, chosen.places or [place])
    if chosen.json:
        _print_json(chosen, check_json.document(course, found))
    return 1 if any(result.state is visible_checks.State.UNREAD for result in found) else 0


def _autograde(chosen: argparse.Namespace) -> int:
    from grading.classroom import worker_fork_server
    from grading.core import process_limits

    if chosen.scheduler is None:
        process_limits.suffice(1)  # how many workers there are is not known yet
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # What is started here first imports for the workers, or loads their sandbox, while this process imports.
    begun = worker_fork_server.begun(chosen.course, chosen.student, chosen.force) if chosen.scheduler is None else None
    with command_line.importing(), begun or contextlib.nullcontext():
        from grading.classroom import class_run
        from grading.gradebook import course_folder, marks_json
        from grading.judge import sandbox_check

    if chosen.scheduler is None:
        sandbox_check.stand(chosen.course)
    wanted = (chosen.workers, chosen.scheduler, chosen.quiet, chosen.force, chosen.student, chosen.assignment)
    results = class_run.grade_class(chosen.course, *wanted)
    if chosen.json:
        course = course_folder.course(chosen.course, chosen.assignment)
        about = ([n for r in results for n in r.notices], {r.student: class_run.problem(r) for r in results})
        with course_folder.gradebook(chosen.course) as book:
            found = marks_json.document(book, course, chosen.course, sorted(r.student for r in results), *about)
        _print_json(chosen, found)
    return 1 if any(map(class_run.problem, results)) else 0


def _mark(chosen: argparse.Namespace) -> int:
    with command_line.importing():
        from grading.own_work import mark

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    own, graded = mark.run(chosen.course.resolve(), chosen.assignment, chosen.watch, chosen.open, chosen.no_sandbox)
    if chosen.json:
        _print_json(chosen, own.document())
    return 0 if graded else 1


def _report(chosen: argparse.Namespace) -> int:
    from grading.gradebook import course_folder
    from grading.pages import class_data, class_report, report_json

    folder = chosen.folder or chosen.course
    course_folder.own(folder, chosen.assignment)
    if chosen.json:
        _print_json(chosen, report_json.document(class_data.read(folder)))
    else:
        print(f"report     {names.path(class_report.write(folder))}")
    return 0


def _export(chosen: argparse.Namespace) -> int:
    from grading.lms import command

    return command.run(chosen)


def _lab(chosen: argparse.Namespace) -> int:
    from grading import pages
    from grading.own_work import lab

    return lab.run(chosen.course.resolve(), chosen.assignment, chosen.renew, Path(pages.__file__).with_name("lab"))


def _watch(chosen: argparse.Namespace) -> int:
    from grading.classroom import worker_fork_server

    with command_line.importing(), worker_fork_server.begun(chosen.course, ahead=False):
        from grading.classroom.service import command
        from grading.gradebook import course_folder
        from grading.judge import sandbox_check

    root = chosen.course.resolve()
    course_folder.course(root, chosen.assignment)  # also sets PATH and PYTHONPATH for the workers
    sandbox_check.stand(root)
    options = {name: getattr(chosen, name) for name in ("folder", "release", "port", "workers")}
    command.run(root, chosen.assignment, **options)
    return 0


def _release(chosen: argparse.Namespace) -> int:
    from grading.gradebook import release

    def say(line: str) -> None:
        print(line, flush=True)

    for line in release.make(chosen.course, chosen.course, assignment=chosen.assignment, say=say):
        print(line)
    print("release/ and notebooks/ are made from source/.")
    return 0


COMMANDS = {
    "check": _check,
    "autograde": _autograde,
    "grade": _autograde,
    "report": _report,
    "export": _export,
    "lab": _lab,
    "mark": _mark,
    "release": _release,
    "watch": _watch,
}

if __name__ == "__main__":
    sys.exit(command_line.alone(main))
