"""The commands: python -m grading COMMAND; `python -m grading --help` lists them."""

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path

try:
    from grading import courses, names
except ModuleNotFoundError as missing:
    sys.exit(f"grading: the package {missing.name} is not installed. Run `make demo`, or use .venv/bin/python.")


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; what the user can mend is told in one line, with exit status 1."""
    parser = argparse.ArgumentParser(prog="python -m grading", description="The attention course.")
    commands = parser.add_subparsers(dest="command", required=True)
    demo = commands.add_parser("demo", help="grade the sample class in demo/")
    check = commands.add_parser("check", help="for students: which parts pass their visible checks")
    check.add_argument("places", type=Path, nargs="*", metavar="FOLDER_OR_NOTEBOOK", help="default: release/attention")
    grade = commands.add_parser("autograde", aliases=["grade"], help="grade what lies in submitted/")
    for command in (demo, grade):
        command.add_argument("--workers", type=_positive, help="students graded at once (default: one a core)")
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
    commands.add_parser("lab", help="open JupyterLab on release/")
    commands.add_parser("release", help="make release/ and notebooks/ from source/")
    commands.add_parser("gpu", help="run part 13 on a GPU, where there is one, and say what TF32 does to it")
    commands.add_parser("test", help="pass all tests; with arguments, hand them to pytest and run nothing else")
    commands.add_parser("quick", help="lint, unit tests and one notebook through the judge, in a minute or so")
    text = commands.add_parser("text", help="print a notebook as text, for diffs")
    text.add_argument("notebook", type=Path)
    chosen, chosen.pytest = parser.parse_known_args(arguments)
    if chosen.pytest and chosen.command != "test":
        parser.error(f"unrecognized arguments: {' '.join(chosen.pytest)}")
    try:
        return COMMANDS[chosen.command](chosen)
    except courses.CourseError as error:
        print(f"{chosen.command}: {names.printable_lines(str(error))}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # whoever read our output, such as head, has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt as stopped:
        print(f"\n{chosen.command}: stopped. {stopped} Run it again to go on.".replace("  ", " "), file=sys.stderr)
        return 130


def _release(_: argparse.Namespace) -> int:
    from grading import release

    release.make(courses.REPOSITORY)
    print("release/ and notebooks/ are made from source/.")
    return 0


def _demo(chosen: argparse.Namespace) -> int:
    from grading import autograde, sample_class

    _stand_walls()
    root = courses.REPOSITORY / "demo"
    courses.new(root)
    print(f"The sample class: {', '.join(sample_class.build(root))}.\n", flush=True)
    return 1 if any(r.error or r.unmarked for r in autograde.grade_class(root, chosen.workers)) else 0


def _autograde(chosen: argparse.Namespace) -> int:
    from grading import autograde

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if chosen.scheduler is None:
        _stand_walls()
    wanted = (chosen.workers, chosen.scheduler, chosen.quiet, chosen.force, chosen.student)
    results = autograde.grade_class(courses.REPOSITORY, *wanted)
    return 1 if any(r.error or r.unmarked for r in results) else 0


def _gpu(_: argparse.Namespace) -> int:
    from grading import gpu

    if gpu.unavailable() is None:
        _stand_walls()
    return gpu.demo()


def _check(chosen: argparse.Namespace) -> int:
    """Exit status 0 if every notebook could be checked, whether it passes or not."""
    from grading import check_table

    return 0 if check_table.show(chosen.places or [courses.REPOSITORY / "release" / "attention"]) else 1


def _report(chosen: argparse.Namespace) -> int:
    from grading import report

    print(f"report     {courses.shown(report.write(chosen.folder or courses.REPOSITORY))}")
    return 0


def _stand_walls() -> None:
    """Sees to it that student code can be walled in, or stops unless the configuration asks for no walls."""
    from grading import install, walls

    if courses.config(courses.REPOSITORY).Judge.get("sandbox") == "none":
        print('sandbox = "none": student code runs with your rights.')
        return
    install.bubblewrap()
    if reason := walls.available():
        raise courses.CourseError(str(reason))


def _lab(_: argparse.Namespace) -> int:
    courses.config(courses.REPOSITORY)  # sets PATH and PYTHONPATH for the kernels
    release = courses.REPOSITORY / "release" / "attention"
    # Not the folder as an argument: it would become the root, and the Formgrader must find the course below the root.
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={courses.REPOSITORY}"]
    command += [f"--ServerApp.preferred_dir={release}"]
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    # The folder lab/ holds settings by which JupyterLab neither fetches news nor looks for updates.
    paths = [str(courses.REPOSITORY / "grading" / "lab"), *filter(None, [os.environ.get("JUPYTER_CONFIG_PATH")])]
    env = {**os.environ, "JUPYTER_CONFIG_PATH": os.pathsep.join(paths)}
    return subprocess.call(command + ["--allow-root"] * as_root, env=env)


def _test(chosen: argparse.Namespace) -> int:
    from grading import checks, install

    install.for_tests()
    return checks.run(chosen.pytest)


def _quick(_: argparse.Namespace) -> int:
    from grading import checks

    _stand_walls()
    return checks.quick()


def _export(chosen: argparse.Namespace) -> int:
    from grading import exports, roster

    people = roster.read(chosen.roster) if chosen.roster else None
    if not (courses.REPOSITORY / "gradebook.db").exists():
        raise courses.CourseError("there are no marks yet. Grade first: make grade.")
    to = chosen.to or Path(f"{chosen.platform}.csv")
    with courses.gradebook(courses.REPOSITORY) as book:
        platform = exports.PLATFORMS[chosen.platform]
        made = exports.run(platform, book, to, people, chosen.exported, chosen.dry_run, chosen.so_far)
    return 1 if made.unmatched else 0


def _text(chosen: argparse.Namespace) -> int:
    from grading import notebook_text

    print(notebook_text.as_text(chosen.notebook), flush=True)
    return 0


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 1 or more")
    return int(text)


COMMANDS = {
    "demo": _demo,
    "check": _check,
    "autograde": _autograde,
    "grade": _autograde,
    "report": _report,
    "export": _export,
    "lab": _lab,
    "release": _release,
    "gpu": _gpu,
    "test": _test,
    "quick": _quick,
    "text": _text,
}

if __name__ == "__main__":
    os.chdir(courses.REPOSITORY)
    sys.exit(main())
