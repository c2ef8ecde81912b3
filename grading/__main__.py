"""The commands for users: python -m grading COMMAND; `python -m grading --help` lists them."""

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

try:
    from grading.core import command_line, errors, names
    from grading.core.course import Course
    from grading.gradebook import course_folder
except ModuleNotFoundError as missing:
    sys.exit(f"grading: the package {missing.name} is not installed. Run `make demo`, or use .venv/bin/python.")


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; what the user can mend is told in one line, with exit status 1."""
    parser = argparse.ArgumentParser(prog="python -m grading", description="Grades a course with nbgrader.")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="for students: which parts pass their visible checks")
    check.add_argument(
        "places", type=Path, nargs="*", metavar="FOLDER_OR_NOTEBOOK", help="default: all of work/, or of release/"
    )
    grade = commands.add_parser("autograde", aliases=["grade"], help="grade what lies in submitted/")
    grade.add_argument("--workers", type=command_line.positive, help="students graded at once (default: one a core)")
    grade.add_argument("--scheduler", metavar="ADDRESS", help="grade on the Dask cluster that is there")
    grade.add_argument("--force", action="store_true", help="grade again what is graded and unchanged")
    grade.add_argument("--student", metavar="NAME", help="grade only this submission, even if it ended earlier runs")
    grade.add_argument("--quiet", action="store_true", help="print only what is not graded")
    report = commands.add_parser("report", help="write the class report, a page with pictures, to report.html")
    report.add_argument("folder", type=Path, nargs="?", help="the course folder, such as demo (default: this one)")
    export = commands.add_parser("export", help="write the marks as a file that Canvas or Moodle imports")
    export.add_argument("platform", choices=["canvas", "moodle"])
    export.add_argument("--roster", type=Path, help="CSV file: student, and lms_id, login or email")
    export.add_argument(
        "--from", type=Path, dest="exported", help="the file that the platform exports; its lines are kept"
    )
    export.add_argument("--to", type=Path, help="the file to write (default: canvas.csv or moodle.csv)")
    export.add_argument("--dry-run", action="store_true", help="say what the import would change, and write nothing")
    export.add_argument("--so-far", action="store_true", help="also parts whose written answer nobody has read yet")
    lab = commands.add_parser("lab", help="open JupyterLab on your own copy of the release, in work/")
    lab.add_argument("--renew", action="store_true", help="take a newer release over first; your answers stay")
    mark = commands.add_parser("mark", help="grade your own work in work/ with the hidden tests")
    mark.add_argument("--watch", action="store_true", help="stay, and grade again whenever you save")
    mark.add_argument("--open", action="store_true", help="open the feedback in a browser")
    mark.add_argument("--no-sandbox", action="store_true", help="run your code with your own rights")
    commands.add_parser("release", help="for authors: make release/ and notebooks/ from source/")
    for command in dict.fromkeys(commands.choices.values()):
        command.add_argument(
            "--course", type=Path, default=Path(), metavar="FOLDER", help="the course's folder (default: this one)"
        )
        command.add_argument("--assignment", default="", metavar="NAME", help="which one, where source/ holds several")
    chosen = parser.parse_args(arguments)
    return command_line.run(chosen.command, COMMANDS[chosen.command], chosen)


def _check(chosen: argparse.Namespace) -> int:
    """Exit status 0 if every notebook could be checked, whether it passes or not."""
    from grading.selfcheck import table, work_folder

    course = course_folder.own(chosen.course, chosen.assignment)
    work = work_folder.folder(chosen.course, course)
    place = work if work.is_dir() else chosen.course / "release" / course.name
    return 0 if table.show(course, chosen.places or [place]) else 1


def _autograde(chosen: argparse.Namespace) -> int:
    from grading.classroom import class_run
    from grading.judge import sandbox_check

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if chosen.scheduler is None:
        sandbox_check.stand(chosen.course)
    wanted = (chosen.workers, chosen.scheduler, chosen.quiet, chosen.force, chosen.student, chosen.assignment)
    results = class_run.grade_class(chosen.course, *wanted)
    return 1 if any(r.error or r.unmarked for r in results) else 0


def _report(chosen: argparse.Namespace) -> int:
    from grading.pages import class_report

    folder = chosen.folder or chosen.course
    course_folder.own(folder, chosen.assignment)
    print(f"report     {names.path(class_report.write(folder))}")
    return 0


def _export(chosen: argparse.Namespace) -> int:
    from grading.lms import exports, roster

    people = roster.read(chosen.roster) if chosen.roster else None
    path = course_folder.gradebook_file(chosen.course)
    if path is not None and not path.exists():
        raise errors.CourseError("there are no marks yet. Grade first: make grade.")
    to = chosen.to or Path(f"{chosen.platform}.csv")
    with course_folder.gradebook(chosen.course) as book:
        platform = exports.PLATFORMS[chosen.platform]
        course = course_folder.course(chosen.course, chosen.assignment)
        made = exports.run(platform, book, course, to, people, chosen.exported, chosen.dry_run, chosen.so_far)
    return 1 if made.unmatched else 0


def _lab(chosen: argparse.Namespace) -> int:
    from grading import pages
    from grading.selfcheck import work_folder

    root = chosen.course.resolve()
    # Reading the course also sets PATH and PYTHONPATH for the kernels.
    course = course_folder.course(root, chosen.assignment)
    work = work_folder.folder(root, course)
    _begin_work(root, course, chosen.renew)
    # Not the folder as an argument: it would become the root, and the Formgrader must find the course below the root.
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={root}"]
    command += [f"--ServerApp.preferred_dir={work}"]
    for first in filter(Path.is_file, (work / f"{stem}.ipynb" for stem in (*course.others[:1], course.stems[0]))):
        command += [f"--LabApp.default_url=/lab/tree/{quote(first.relative_to(root).as_posix())}"]
        break
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    # grading/pages/lab/ holds settings by which JupyterLab neither fetches news nor looks for updates.
    paths = [str(Path(pages.__file__).with_name("lab")), *filter(None, [os.environ.get("JUPYTER_CONFIG_PATH")])]
    env = {**os.environ, "JUPYTER_CONFIG_PATH": os.pathsep.join(paths)}
    return subprocess.call(command + ["--allow-root"] * as_root, env=env, cwd=root)


def _begin_work(root: Path, course: Course, renew: bool) -> None:
    """Puts the release into work/ where it isn't yet, and offers a newer one."""
    from grading.selfcheck import work_folder

    place = names.path(work_folder.folder(root, course))
    if put := work_folder.begin(root, course):
        print(f"work       {place}: {len(put)} files of the release are there now")
    newer = work_folder.newer(root, course)
    if not newer:
        return
    print(f"release    newer than {place}: {', '.join(newer[:5])}{' and others' * (len(newer) > 5)}")
    if not renew and sys.stdin.isatty():
        renew = input("Take it over? Your answers stay, and a copy of each old notebook, too. [y/N] ").lower() in (
            "y",
            "yes",
        )
    if not renew:
        print("           Nothing is changed. Take it over with: make lab ARGS=--renew")
        return
    for each in work_folder.renew(root, course):
        kept = f"; the old one: {names.path(each.copy)}" if each.copy else ""
        print(f"           {names.path(each.path)}: {each.left or 'renewed'}{kept}")


def _mark(chosen: argparse.Namespace) -> int:
    from grading.classroom import mark

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return mark.run(chosen.course.resolve(), chosen.assignment, chosen.watch, chosen.open, chosen.no_sandbox)


def _release(chosen: argparse.Namespace) -> int:
    from grading.gradebook import release

    for line in release.make(chosen.course, chosen.course, assignment=chosen.assignment):
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
}

if __name__ == "__main__":
    sys.exit(main())
