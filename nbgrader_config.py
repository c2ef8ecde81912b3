"""The course's configuration of nbgrader: where things lie, and what is plugged in. Read by every nbgrader command."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Hidden tests import `grading`, here and in the kernels; nbgrader looks for its programs beside Python.
sys.path[:0] = [str(HERE)] if str(HERE) not in sys.path else []
os.environ["PYTHONPATH"] = os.pathsep.join(
    dict.fromkeys([str(HERE), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
)
os.environ["PATH"] = os.pathsep.join(dict.fromkeys([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))

from grading import books, gate, limits  # noqa: E402  (found through the lines above)

gate.guard()  # before nbgrader looks for submissions, copies what lies in them, or reads when they were submitted
books.keep_engines()  # before nbgrader opens the gradebook

c = get_config()  # noqa: F821  (given by traitlets)

c.CourseDirectory.course_id = "attention"
c.CourseDirectory.solution_directory = "notebooks"

c.ClearSolutions.code_stub = {"python": "# YOUR CODE HERE\nraise NotImplementedError()"}
c.ClearSolutions.text_stub = "YOUR ANSWER HERE"

# A submission is read through the front gate, run and settled by the judge, and saved with three outcomes.
# The clean copy's cells, ids, metadata and kernel are the release's own, so that of nbgrader's steps before the run
# only the one that puts the hidden tests in is left, and its checks of metadata, a third of its time, are not needed.
c.Autograde.exporter_class = "grading.intake.CleanExporter"
c.Autograde.sanitize_preprocessors = ["nbgrader.preprocessors.OverwriteCells"]
c.Autograde.autograde_preprocessors = [
    "grading.judge.Judge",
    "nbgrader.preprocessors.IgnorePattern",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "nbgrader.preprocessors.LimitOutput",
    "grading.outcomes.SaveMarks",
    "nbgrader.preprocessors.AssignLatePenalties",
]
c.Autograde.post_convert_hook = "grading.outcomes.put_back_unmarked"
c.Execute.timeout = limits.now("CELL_LIMIT_S")
c.Execute.iopub_timeout = limits.now("OUTPUTS_LIMIT_S")
c.Execute.extra_arguments = ["--HistoryManager.hist_file=:memory:", "--IPKernelApp.log_level=40"]

c.ExchangeFactory.collect = "grading.gate.Collect"  # notes when a submission was made, in times.csv

# Feedback shows what each test found, and no line of a hidden test: a page a part, and an index a student.
c.GenerateFeedback.exporter_class = "grading.pages.PageExporter"
c.GenerateFeedback.preprocessors = ["nbgrader.preprocessors.GetGrades", "grading.feedback.HideTests"]
c.GenerateFeedback.post_convert_hook = "grading.pages.write_index_after"
# In feedback and in the Formgrader no student's text runs in the reader's browser.
c.HTMLExporter.sanitize_html = True
c.HTMLExporter.filters = {
    "markdown2html": "grading.feedback.markdown2html",
    "clean_html": "grading.feedback.clean_html",
    "strip_files_prefix": "grading.feedback.unchanged",
}
# The Formgrader loads nothing from the network: without this line it fetches MathJax, and its keys wait for that.
c.HTMLExporter.extra_template_basedirs.insert(0, str(HERE / "grading" / "lab" / "templates"))
