"""Part 14's visible checks, pictures and calculator: what they print for right answers, and for each wrong kind; and
what is taken in of its optional step.
"""

import json
import re
from collections.abc import Iterator

import course_module
import nbformat
import pictures
import pytest
import sympy
import torch
from attention_course import figure, part14_data
from attention_course import part14_calculator as calculator
from attention_course.table import ChecksFailed, Unwritten
from hidden_tests import model_answer
from matplotlib.text import Text

from attention import course
from attention.course import COURSE
from dev import handed_in
from dev.packages import REPOSITORY
from grading.submission import clean_copy

part14 = course_module.of(14)
D, r, H, G, d = sympy.symbols("D r H G d", positive=True, integer=True)
MODEL = {"kv_cache_MHA": 2 * D, "kv_cache_MLA": r}
STEP = handed_in.sources(course.PARTS[14])["part14-decode-step"]


def printed(check: object, names: dict, capsys: pytest.CaptureFixture) -> list[str]:
    """The lines of a check, and its error as the last one."""
    try:
        check(names)
    except (ChecksFailed, Unwritten) as error:
        return [*capsys.readouterr().out.splitlines(), f"{type(error).__name__}: {error}"]
    return capsys.readouterr().out.splitlines()


def test_the_model_answer_passes(capsys: pytest.CaptureFixture):
    names: dict = {}
    exec(handed_in.sources(course.PARTS[14])["part14-setup"] + "\n" + model_answer(course.PARTS[14]), names)
    *lines, last = printed(part14.check_part14, names, capsys)
    assert [line[:4] for line in lines] == ["  ✓ "] * 4 and last == "Part 14: the visible checks pass."


@pytest.mark.parametrize("answer", [2 * H * d, 2.0 * D, D + D, sympy.symbols("D") * 2, G * d, "2*D"])
def test_any_expression_in_the_symbols_has_the_right_form_whatever_its_value(answer: object, capsys):
    lines = printed(part14.check_part14, MODEL | {"kv_cache_MHA": answer}, capsys)
    assert lines[-1] == "Part 14: the visible checks pass."


@pytest.mark.parametrize(
    ("answer", "line", "text"),
    [
        ("2 D", 0, "expected an expression in the symbols, such as D + r, got '2 D'"),
        ("2*D*n", 1, "expected D, r, H, G or d, got n"),
        ((2, D), 0, "got a tuple"),
        (None, 0, "got None"),
        (True, 0, "got a bool"),
        (2048, 0, "such as D + r, got 2048. A number fits a single model. Has one of the symbols been given a value?"),
        (sympy.Integer(3), 0, "got 3. A number fits a single model."),
        (torch.ones(2), 0, "got a torch tensor"),
        (2 * D * sympy.symbols("n"), 1, "expected D, r, H, G or d, got n"),
    ],
)
def test_an_answer_of_the_wrong_form_gets_its_line(answer: object, line: int, text: str, capsys):
    lines = printed(part14.check_part14, MODEL | {"kv_cache_MHA": answer}, capsys)
    assert lines[line].startswith("  ✗ kv_cache_MHA ") and text in lines[line]
    assert lines[-1].startswith("ChecksFailed: kv_cache_MHA ") and lines[2].startswith("  ✓ kv_cache_MLA ")


@pytest.mark.parametrize("there", [{"kv_cache_MHA": 2 * D}, {}, {"cache_MLA": r}])
def test_an_answer_that_is_missing_may_be_misspelled_or_its_cell_may_have_stopped(there: dict, capsys):
    asked = "there is no `kv_cache_MLA` yet. Is it spelled like this, and has the answer cell run?"
    assert f"  ✗ kv_cache_MLA is one expression: {asked}" in printed(part14.check_part14, there, capsys)


def stepped(step: str, capsys: pytest.CaptureFixture) -> list[str]:
    """What the check of cached_step prints about a step."""
    names = {"torch": torch, "nn": torch.nn}
    exec(step, names)
    return printed(part14.check_cached_step, names, capsys)


def test_a_right_step_matches_part_13_token_by_token(capsys: pytest.CaptureFixture):
    *lines, last = stepped(STEP, capsys)
    assert [line[:4] for line in lines] == ["  ✓ "] * 3
    assert last == "cached_step: 6 tokens generated from a cache of 5 numbers per token."


@pytest.mark.parametrize(
    ("old", "new", "line", "text"),
    [
        ("cache.shape[2] ** 0.5", "1.0", 2, "What is a score divided by?"),
        ("cache.shape[2] ** 0.5", "4 ** 0.5", 2, "token 1: the output is "),
        ("dim=2) ", "dim=1) ", 1, "token 0: the output is "),
        ("(1, (H, cache.shape[2]))", "(1, (-1, H)).transpose(1, 2)", 2, "token 1: the output is "),
        ("latent = x_t @ W_K_hat.T", "latent = x_t @ W_K_hat.T.repeat(1, 2)", 0, "raised RuntimeError"),
        (
            ".T, cache",
            ".T, cache[:, :-1]",
            0,
            "token 0, cache: expected a torch tensor of shape (2, 1, 5), got (2, 0, 5)",
        ),
        (".T, cache", ".T, None", 0, "token 0, cache: expected a torch tensor of shape (2, 1, 5), got None"),
        ("return (weights", "return None; (weights", 0, "got None. Does the function end with a return?"),
        (".T, cache", ".T", 0, "expected two tensors, the output and the longer cache, got a torch tensor"),
        ("latent = x_t", "latent = nowhere", 0, "raised NameError"),
    ],
)
def test_a_wrong_step_gets_its_line_and_an_error_of_one_line(old: str, new: str, line: int, text: str, capsys):
    source = STEP.replace("dim=2)\n", "dim=2) \n")
    assert old in source
    lines = stepped(source.replace(old, new), capsys)
    assert lines[line].startswith("  ✗ ") and text in lines[line] and lines[-1].startswith("ChecksFailed: ")


def test_a_first_token_that_fails_is_not_held_against_the_next_ones(capsys: pytest.CaptureFixture):
    lines = stepped(STEP.replace("dim=2)\n", "dim=1)\n"), capsys)
    assert [line[:4] for line in lines[:3]] == ["  ✓ ", "  ✗ ", "  · "]


@pytest.mark.parametrize("step", ["", STEP.replace("### BEGIN SOLUTION", "raise NotImplementedError()")])
def test_a_step_left_out_is_no_error(step: str, capsys: pytest.CaptureFixture):
    lines = stepped(step, capsys)
    assert "not written yet" in lines[0] and lines[-1].endswith("leaving it out costs none.")


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple]]:
    """The figures that were shown, and the texts for whoever can't see them."""
    with pictures.kept(part14, monkeypatch) as found:
        yield found


def test_the_pictures_count_by_the_answer(shown: list, monkeypatch: pytest.MonkeyPatch, capsys):
    models = [("One", 2, 8, 8, 400, 0, 0, "a source"), ("Two", 2, 8, 2, 400, 0, 0, "another")]
    monkeypatch.setattr(part14_data, "MODELS", [*models, ("Three", 2, 8, None, 400, 1600, 400, "a third")])
    monkeypatch.setattr(part14_data, "SPEEDS", {"MHA": [1.0, 0.5], "MLA reduced": [2.0]})
    part14.draw_part14(MODEL)
    said = capsys.readouterr().out.splitlines()
    # 405e9 weights of 2 bytes; a token leaves 2 * 128 * 128 numbers of 2 bytes in each of 126 layers: 8,257,536 bytes.
    assert said[0].startswith("Llama 3 405B: the weights are 754 GiB.")
    assert said[1].split() == "with MHA, 128 key/value heads from 98,092 tokens on, for 1 user".split()
    assert re.findall(r"[\d,]+ tokens on", "\n".join(said[2:7])) == [
        "1,569,475 tokens on",  # a sixteenth of the heads
        "6,277,902 tokens on",  # 512 numbers in place of 2 * 128 * 128, a 64th
        "3,065 tokens on",  # 32 users
        "49,046 tokens on",
        "196,184 tokens on",
    ]
    # A token in 2 layers, 2 bytes per number: of MHA, 2 * 3200 numbers, 25 KiB; of G = 2 heads, a quarter of these; of
    # MLA, r = 1600 and 400 for positions, 7.8 KiB.
    assert [re.split("  +", line)[1:] for line in said[9:12]] == [
        ["MHA", "25.0 KiB per token; as MHA", "25.0 KiB", "a source"],
        ["GQA, G = 2", "6.2 KiB per token; as MHA", "25.0 KiB", "another"],
        ["MLA, r = 1600", "7.8 KiB per token; as MHA", "25.0 KiB", "a third"],
    ]
    assert said[-2:] == ["MHA                 1      0.5", "MLA reduced         2"]
    part14.draw_part14(MODEL | {"kv_cache_MHA": 1000})
    assert "3.9 KiB per token" in capsys.readouterr().out


def test_curves_differ_by_more_than_colour_and_no_legend_is_small(shown: list, capsys: pytest.CaptureFixture):
    part14.draw_part14(MODEL)
    (memory, alt), (models, other) = shown
    assert "weights" in alt and "published models" in other
    speeds = models.axes[1].get_lines()
    assert len({(line.get_linestyle(), line.get_marker()) for line in speeds}) == len(part14_data.SPEEDS)
    caches = [line for line in memory.axes[0].get_lines()[1:] if line.get_label().startswith("cache")]
    assert len({(line.get_linestyle(), line.get_marker()) for line in caches}) == 3
    legends = [*memory.legends, *(axes.get_legend() for axes in models.axes)]
    assert all(text.get_fontsize() >= figure.SMALLEST for legend in legends for text in legend.get_texts())


WRONG = [{}, {"kv_cache_MHA": 2 * D}, MODEL | {"kv_cache_MLA": None}, MODEL | {"kv_cache_MHA": sympy.symbols("n")}]


@pytest.mark.parametrize("names", [*WRONG, MODEL | {"kv_cache_MLA": (1, 2)}])
def test_without_answers_the_pictures_and_the_calculator_are_a_line(names: dict, shown: list, capsys):
    part14.draw_part14(names)
    calculator.calculator(names)
    assert capsys.readouterr().out.count("No picture yet: ") == 2 and shown == []


def test_the_calculator_without_a_front_end_prints_the_same_table_each_time(monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    calculator.calculator(MODEL)
    first = capsys.readouterr().out
    calculator.calculator(MODEL)
    assert capsys.readouterr().out == first
    # 2 * 32 * 128 numbers of 2 bytes in 32 layers are 512 KiB; of 8192 tokens, 4 GiB.
    assert re.search(r"^MHA, G = 32 +512\.0 KiB per token +4\.00 GiB in all  █{40}$", first, re.MULTILINE)
    assert re.search(r"^GQA, G = 8 +128\.0 KiB per token +1\.00 GiB in all  █{10}$", first, re.MULTILINE)
    assert re.search(r"^MLA, r = 512 +32\.0 KiB per token +0\.25 GiB in all  █{2}$", first, re.MULTILINE)


def test_where_a_front_end_shows_the_notebook_there_are_seven_sliders(monkeypatch: pytest.MonkeyPatch, capsys):
    import ipywidgets

    made: list = []
    monkeypatch.setenv("JPY_SESSION_NAME", "part14.ipynb")
    monkeypatch.setattr("IPython.display.display", made.append)
    calculator.calculator(MODEL)
    (box,) = made
    sliders = [child for child in box.children if isinstance(child, ipywidgets.SelectionSlider)]
    assert [slider.description for slider in sliders] == ["H", "G", "d", "r", "layers", "context", "users"]
    assert {slider.description: slider.value for slider in sliders} == calculator.START


def test_the_calculator_refuses_a_G_that_is_no_factor_and_answers_the_question_of_its_text():
    assert (
        calculator.report(2 * D, r, **calculator.START | {"H": 4}) == "G = 8 does not divide H = 4. Choose a smaller G."
    )
    many = {"context": 131072, "users": 32}  # into 80 GiB fit r = 256 and G = 1, of the sliders' values
    assert calculator.report(2 * D, r, **calculator.START | many | {"r": 256, "G": 1}).count(" 64.00 GiB") == 2


@pytest.mark.parametrize("answer", [0 * D, -D, sympy.zoo, sympy.nan, r - D])
def test_an_expression_that_counts_nothing_is_told_before_anything_is_drawn(answer: object, shown: list, capsys):
    part14.draw_part14(MODEL | {"kv_cache_MHA": answer})
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("No picture yet: kv_cache_MHA: ") and "expected" in line and not shown


@pytest.mark.parametrize(("answer", "text"), [(r, "67.5"), (H * r, "7688"), (r**9, "2.83e+23")])
def test_what_a_model_caches_is_written_as_people_write_it(answer: object, text: str, shown: list, capsys):
    part14.draw_part14(MODEL | {"kv_cache_MLA": answer})
    models, _ = shown[1]
    assert text in [label.get_text() for label in models.axes[0].findobj(Text)]


@pytest.mark.parametrize("answer", [r / 10**12, r**9])
def test_the_scales_of_a_very_wrong_answer_are_not_crowded(answer: object, shown: list, capsys):
    part14.draw_part14(MODEL | {"kv_cache_MLA": answer})
    for drawn, _ in shown:
        drawn.canvas.draw()
        for panel in drawn.axes[:1]:
            powers = [label for label in panel.findobj(Text) if label.get_text().startswith("10")]
            boxes = [label.get_window_extent() for label in powers]
            assert all(box.x0 >= 0 for box in boxes) and not any(
                one.overlaps(other) for n, one in enumerate(boxes) for other in boxes[:n]
            )


def test_the_section_of_cached_step_may_be_deleted_without_a_notice():
    released = nbformat.read(REPOSITORY / "release" / COURSE.name / "part14.ipynb", as_version=4)
    submitted = json.loads(json.dumps(released))
    submitted["cells"] = [c for c in submitted["cells"] if not c["id"].startswith("part14-decode")]
    assert clean_copy.clean_copy(released, submitted)[1] == []


def test_what_a_student_writes_for_cached_step_is_kept_after_the_test_where_it_can_cost_nothing():
    released = nbformat.read(REPOSITORY / "release" / COURSE.name / "part14.ipynb", as_version=4)
    submitted = json.loads(json.dumps(released))
    next(c for c in submitted["cells"] if c["id"] == "part14-decode-step")["source"] = "D = r = 0\nwhile True: pass"
    clean, findings = clean_copy.clean_copy(released, submitted)
    order = [c.id for c in clean.cells]
    assert order.index("part14-decode-step") > order.index("part14-test") and findings == []
    assert next(c.source for c in clean.cells if c.id == "part14-decode-step").startswith("D = r = 0")
