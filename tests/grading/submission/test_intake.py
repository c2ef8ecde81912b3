"""nbgrader's exporter of notebooks, as submissions go through it."""

from nbgrader.preprocessors import Execute, LimitOutput
from traitlets.config import Config

from grading.gradebook.preprocessors import AssignLatePenalties
from grading.judge.execution import Judge
from grading.submission.intake import Exporter

STEPS = ["nbgrader.preprocessors.LimitOutput", AssignLatePenalties]


class Plain:
    """A step without settings."""

    def __call__(self, notebook: object, resources: dict) -> tuple[object, dict]:
        return notebook, resources


def registered(exporter: Exporter) -> list:
    """The steps of an exporter that nbgrader has told of them, as it does before each notebook."""
    exporter._preprocessors = []
    for step in STEPS:
        exporter.register_preprocessor(step)
    return exporter._preprocessors


def test_each_step_is_made_once_however_often_it_is_registered():
    exporter = Exporter(config=Config({"LimitOutput": {"max_lines": 7}}))
    first, second = registered(exporter), registered(exporter)
    assert [type(step) for step in first] == [LimitOutput, AssignLatePenalties]
    assert all(one is other for one, other in zip(first, second, strict=True))
    assert first[0].max_lines == 7 and first[0].parent is exporter


def test_what_runs_a_notebook_is_made_again_for_each():
    exporter = Exporter()
    for step in (Execute, "nbgrader.preprocessors.Execute", Judge, Judge, str.upper, Plain, Plain):
        exporter.register_preprocessor(step)
    made = exporter._preprocessors[-7:]
    assert len({id(step) for step in made}) == 7
    assert [type(step) for step in made[:4]] == [Execute, Execute, Judge, Judge]


def test_two_exporters_share_no_step():
    first, second = (registered(Exporter(config=Config({"LimitOutput": {"max_lines": n}}))) for n in (1, 2))
    assert [first[0].max_lines, second[0].max_lines] == [1, 2]
    assert not {id(step) for step in first} & {id(step) for step in second}


def test_a_step_that_is_enabled_is_not_the_one_that_is_off_by_default():
    exporter = Exporter()
    registered(exporter)
    exporter._preprocessors = []
    for enabled in (False, True):
        exporter.register_preprocessor(LimitOutput, enabled)
    off, on = exporter._preprocessors
    assert on is not off and on.enabled
