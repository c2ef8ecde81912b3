"""The commands for developers: python -m dev COMMAND; `python -m dev --help` lists them.

Each command imports what it needs itself, so that --help needs nothing that is installed, and answers at once.
"""

import argparse
import os
import sys
from pathlib import Path

from dev.packages import REPOSITORY
from grading.core import command_line


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; reports what the user can fix in one line, with exit status 1."""
    parser = argparse.ArgumentParser(prog="python -m dev", description="Makes and tests the attention course.")
    commands = parser.add_subparsers(dest="command", required=True)
    demo = commands.add_parser("demo", help="grade the sample class in demo/")
    demo.add_argument("--workers", type=command_line.positive, help="students graded at once (default: one per core)")
    commands.add_parser("gpu", help="run part 13 on a GPU, where there is one, and say what TF32 does to it")
    commands.add_parser("test", help="run all tests; with arguments, hand these to pytest and run nothing else")
    commands.add_parser("quick", help="lint, unit tests and one notebook through the judge, in a minute or so")
    commands.add_parser("site", help="make the web edition in site/: the notebooks and documents as pages")
    text = commands.add_parser("text", help="print a notebook as text, for diffs")
    text.add_argument("notebook", type=Path)
    chosen, chosen.pytest = parser.parse_known_args(arguments)
    if chosen.pytest and chosen.command != "test":
        parser.error(f"unrecognized arguments: {' '.join(chosen.pytest)}")
    return command_line.run(chosen.command, COMMANDS[chosen.command], chosen)


def _demo(chosen: argparse.Namespace) -> int:
    from dev import course_copy, sample_class
    from grading.classroom import class_run
    from grading.judge import sandbox_check

    sandbox_check.stand(REPOSITORY)
    root = REPOSITORY / "demo"
    course_copy.new(root)
    print(f"The sample class: {', '.join(sample_class.build(root))}.\n", flush=True)
    return 1 if any(r.error or r.unmarked for r in class_run.grade_class(root, chosen.workers)) else 0


def _gpu(_: argparse.Namespace) -> int:
    from dev import gpu
    from grading.judge import sandbox_check

    if gpu.unavailable() is None:
        sandbox_check.stand(REPOSITORY)
    return gpu.demo()


def _test(chosen: argparse.Namespace) -> int:
    from dev import installation, suite

    installation.for_tests()
    return suite.run(chosen.pytest)


def _quick(_: argparse.Namespace) -> int:
    from dev import suite
    from grading.judge import sandbox_check

    sandbox_check.stand(REPOSITORY)
    return suite.quick()


def _site(_: argparse.Namespace) -> int:
    from dev import site

    site.make()
    return 0


def _text(chosen: argparse.Namespace) -> int:
    from dev import notebook_text

    print(notebook_text.as_text(chosen.notebook), flush=True)
    return 0


COMMANDS = {
    "demo": _demo,
    "gpu": _gpu,
    "test": _test,
    "quick": _quick,
    "site": _site,
    "text": _text,
}

if __name__ == "__main__":
    os.chdir(REPOSITORY)
    sys.exit(command_line.alone(main))
