"""What is plugged into nbgrader: the configuration that each of its commands reads, for any course.

    c = get_config()
    configuration.plug_in(c, "PACKAGE.MODULE:NAME", Path(__file__).parent)

A course's own nbgrader_config.py says no more than that, and what its instructors want otherwise, after it. In a course
that was written for nbgrader alone the last line is `configuration.wall_in(c, Path(__file__).parent)`.
"""

import importlib.util
import os
import sys
from pathlib import Path

from traitlets.config import Config

from grading.core import cells, limits, pictures

ENGINE = Path(__file__).resolve().parents[1]
# Of each walled kernel; with any others it makes a shell of its own: see grading/sandbox/child.py.
KERNEL_ARGUMENTS = ["--HistoryManager.enabled=False", "--IPKernelApp.log_level=40"]
# What pages show of an output, the first that it has. No SVG: 2 kB of it, each piece made of ten of the last, hold a
# browser up for good; and nothing that runs.
_SHOWN = ("text/html", "text/markdown", "text/latex", *pictures.KINDS, "text/plain")
_AFTER_THE_RUN = (
    "nbgrader.preprocessors.IgnorePattern",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "nbgrader.preprocessors.LimitOutput",
)


def plug_in(c: Config, course: str, folder: Path) -> None:
    """Makes nbgrader's commands grade the course of this name, which is imported from `folder`, with the judge."""
    _find_programs(folder.resolve(), ENGINE.parent)
    _guard(c)
    c.Course.found, c.Course.below = course, str(folder.resolve())
    c.CourseDirectory.solution_directory = "notebooks"
    c.ClearSolutions.code_stub = {"python": "# YOUR CODE HERE\nraise NotImplementedError()"}
    c.ClearSolutions.text_stub = cells.TEXT_STUB
    _grading(c)
    _feedback(c)


def wall_in(c: Config, folder: Path) -> None:
    """Makes nbgrader's commands grade the course in `folder` as its authors wrote it, but behind the walls.

    Each notebook's cells and tests run together in one walled kernel. What nbgrader does before and after that, and
    so what a mark is, stays nbgrader's; so do the limits and pages that are not set here.
    """
    _find_programs(ENGINE.parent)
    _guard(c)
    c.Course.folder = str(folder.resolve())
    c.Autograde.autograde_preprocessors = [
        "grading.judge.plain_execution.PlainJudge",
        *_AFTER_THE_RUN,
        "nbgrader.preprocessors.SaveAutoGrades",
        "grading.judge.save_marks.ZeroForMissing",
        "grading.gradebook.preprocessors.AssignLatePenalties",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
    if "timeout" not in c.Execute:
        c.Execute.timeout = limits.NBGRADER_CELL_LIMIT_S
    _kernels(c)
    c.GenerateFeedback.exporter_class = "grading.pages.feedback.NbgraderPages"
    _no_scripts(c)


def _guard(c: Config) -> None:
    if "nbgrader" in sys.modules:  # else this process has nothing to guard: see `find_course.early`
        from grading.gradebook import engines, source_checks
        from grading.submission import nbgrader_patches

        nbgrader_patches.guard()  # before it looks for submissions, copies what lies in them, or reads their times
        source_checks.guard()
        engines.keep_engines()  # before it opens the gradebook
        engines.guard_formgrader()
    c.Autograde.exporter_class = "grading.judge.one_student.Exporter"
    c.ExchangeFactory.collect = "grading.submission.exchange_collect.Collect"  # notes when a submission was made
    c.ExchangeFactory.release_feedback = "grading.submission.exchange_collect.ReleaseFeedback"
    if "plugin_class" not in c.ExportApp:
        c.ExportApp.plugin_class = "grading.gradebook.grades_table.GradesTable"


def _find_programs(*places: Path) -> None:
    """Lets this process, and what it starts, import what lies in these places, and find Python's programs."""
    sys.path[:0] = [str(place) for place in dict.fromkeys(places) if str(place) not in sys.path]
    paths = [*map(str, places), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
    programs = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]  # nbgrader looks for its own there
    os.environ["PATH"] = os.pathsep.join(dict.fromkeys(programs))


def _grading(c: Config) -> None:
    """A submission is read as a clean copy, run and settled by the judge, and saved with three outcomes.

    The clean copy's cells, ids, metadata and kernel are the release's own, so that of nbgrader's steps before the run
    only the one that puts the hidden tests in is left, and its checks of metadata, a third of its time, are not needed.
    """
    c.Autograde.sanitize_preprocessors = ["grading.gradebook.preprocessors.OverwriteCells"]
    c.Autograde.autograde_preprocessors = [
        "grading.judge.execution.Judge",
        *_AFTER_THE_RUN,
        "grading.judge.save_marks.SaveMarks",
        "grading.gradebook.preprocessors.AssignLatePenalties",
    ]
    c.Autograde.post_convert_hook = "grading.judge.save_marks.put_back_unmarked"
    c.Execute.timeout = limits.now("CELL_LIMIT_S")
    _kernels(c)


def _kernels(c: Config) -> None:
    c.Execute.iopub_timeout = limits.now("OUTPUTS_LIMIT_S")
    c.Execute.extra_arguments = KERNEL_ARGUMENTS[:]


def _feedback(c: Config) -> None:
    """Feedback shows what each test found, and no line of a hidden test: a page per part, and an index per student.

    In feedback and in the Formgrader no student's text runs in a grader's browser, and nothing is loaded from the
    network: without templates of ours the Formgrader fetches MathJax, and its keys wait for that.
    """
    c.GenerateFeedback.exporter_class = "grading.pages.student_pages.PageExporter"
    c.GenerateFeedback.preprocessors = ["nbgrader.preprocessors.GetGrades", "grading.pages.feedback.HideTests"]
    _no_scripts(c)
    formgrader = Path(importlib.util.find_spec("nbgrader").origin).parent / "server_extensions" / "formgrader"
    c.HTMLExporter.extra_template_basedirs.insert(0, str(ENGINE / "pages" / "lab" / "templates"))
    c.HTMLExporter.extra_template_paths.insert(0, str(formgrader / "templates"))  # its template_path; ours extends it
    c.HTMLExporter.preprocessors.insert(0, "grading.pages.written_answers.ShowCriteria")


def _no_scripts(c: Config) -> None:
    """No student's text runs in the browser of somebody who reads it, be it in feedback or in the Formgrader."""
    c.HTMLExporter.sanitize_html = True
    for which in (c.DataTypeFilter, c.WidgetsDataTypeFilter):  # of all steps, nbgrader's would warn of it each time
        which.display_data_priority = list(_SHOWN)
    c.HTMLExporter.filters = {
        "markdown2html": "grading.pages.feedback.markdown2html",
        "clean_html": "grading.pages.feedback.clean_html",
        "highlight_code": "grading.pages.feedback.highlight_code",
        "ansi2html": "grading.pages.feedback.ansi2html",
        "strip_files_prefix": "grading.pages.feedback.unchanged",
    }
