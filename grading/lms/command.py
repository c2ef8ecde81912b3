"""What `python -m grading export` does: marks and answers out, in the form that each platform takes."""

import argparse
from pathlib import Path

from grading.core import command_line, errors, names
from grading.gradebook import course_folder, marks_json, results
from grading.lms import answers, exports, gradescope, roster


def run(chosen: argparse.Namespace) -> int:
    """Writes what the options ask for; exit status 1 if anything had to be left out."""
    _refuse_options_of_others(chosen)
    course = course_folder.course(chosen.course, chosen.assignment)
    if chosen.platform == "answers":
        written, left_out = answers.write(chosen.course, course, chosen.to or Path("answers"), chosen.student)
        for line in left_out:
            print(f"left out   {names.printable(line)}")
        print(f"written    {written} files to {names.path(chosen.to or Path('answers'))}")
        return 1 if left_out else 0
    people = roster.read(chosen.roster) if chosen.roster else None
    path = course_folder.gradebook_file(chosen.course)
    if path is not None and not path.exists():
        raise errors.CourseError(
            f"there are no marks yet. Grade first: {command_line.spelled('grade', chosen.course)}."
        )
    with course_folder.gradebook(chosen.course) as book:
        if chosen.platform == "gradescope":
            to = chosen.to or Path("results.json" if chosen.student else "gradescope")
            found = marks_json.document(book, course, chosen.course, results.of_class(book, course))
            written, failed = gradescope.write(found, to, chosen.student)
            for line in failed:
                print(f"not there  {names.printable(line)}")
            print(f"written    {len(written)} results to {names.path(to)}")
            return 1 if failed else 0
        platform, to = exports.PLATFORMS[chosen.platform], chosen.to or Path(f"{chosen.platform}.csv")
        made = exports.run(platform, book, course, to, people, chosen.exported, chosen.dry_run, chosen.so_far)
    return 1 if made.unmatched else 0


def _refuse_options_of_others(chosen: argparse.Namespace) -> None:
    """CourseError for an option that an export doesn't have: --dry-run, say, of one that would write all the same."""
    of_marks = {"--roster": chosen.roster, "--from": chosen.exported, "--dry-run": chosen.dry_run}
    of_marks["--so-far"] = chosen.so_far
    is_file = chosen.platform in ("canvas", "moodle")
    given = {"--student": chosen.student} if is_file else of_marks
    if wrong := [name for name, value in given.items() if value]:
        of = "gradescope and answers" if is_file else "canvas and moodle"
        raise errors.CourseError(f"{wrong[0]} is an option of {of}, not of {chosen.platform}. Nothing is written.")
