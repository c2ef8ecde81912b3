"""What a student sees of `python -m grading check`: each part in the words that fit, within its time, nothing left."""

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import busy
import jsonschema
import psutil
import pytest

from attention import course
from attention.course import COURSE
from dev import handed_in
from dev.packages import REPOSITORY
from grading.__main__ import main
from grading.core import limits
from grading.own_work import check_json, table, visible_checks
from grading.own_work.visible_checks import Result, State

# An answer cell a part; what its row must say, and what the line below the row must begin with.
ANSWERS = {
    2: ("raise NotImplementedError()", "not finished", "NotImplementedError is still raised: the answer cell, line 1."),
    3: ("def attention_logits(q, K, D_qk):\n    return K", "does not pass yet",
        "3 keys give 3 logits: expected shape (3,), got (3, 2)"),
    5: ("class MyMHA(nn.Module):\n    def __init__(self, *sizes):\n        1 / 0", "does not pass yet",
        "MyMHA(10, 12, 4, 3, 2) makes an nn.Module: line 3 of your answer, `1 / 0`, raised ZeroDivisionError"),
    6: ("import os\nos._exit(0)", "does not pass yet", "the process that ran it ended."),
    7: ("class MyGQA(nn.Module:\n    pass", "does not pass yet", "the answer cell, line 1: SyntaxError: invalid"),
    4: ("torch.softmax(torch.ones(3).long(), 0)", "does not pass yet",
        "the answer cell, line 1: NotImplementedError: \"softmax_lastdim_kernel_impl\" not implemented for 'Long'"),
    13: ("def reduced_matrices(*_):\n    raise NotImplementedError()", "not finished",
        "reduced_matrices is not written yet: the answer cell, line 2."),
    14: ("kv_cache_MHA = '\\x1b[2J'\nprint('noise')", "does not pass yet", "kv_cache_MHA is one expression: expected"),
}  # fmt: skip


def solved(number: int) -> str:
    """The model answer of a part."""
    part = course.PARTS[number]
    (cell,) = [c for c in handed_in.model(part)["cells"] if c["id"] == f"{part.stem}-answer"]
    return "".join(cell["source"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Parts in every state: the answers above, model answers, untouched, damaged and missing ones."""
    place = tmp_path_factory.mktemp("work")
    for part in course.PARTS.values():
        notebook = handed_in.model(part) if part.number in (1, 8) else handed_in.released(part)
        if part.number in ANSWERS:
            notebook = handed_in.submission(part, ANSWERS[part.number][0])
        if part.number == 9:  # cells of the student's own that leave and fail, and a figure
            own = "# %%\nexit()\n# %%\n%matplotlib inline\n1 / 0\n# %%\nawait __import__('asyncio').sleep(0)"
            notebook = handed_in.submission(part, f"{solved(9)}\n{own}", " ")
        handed_in.write(place, part, notebook)
    handed_in.equip(place)
    (place / "part10.ipynb").write_text("{ no notebook")
    (place / "part12.ipynb").unlink()
    return place


@pytest.fixture(scope="module")
def shown(folder: Path) -> tuple[list[Result], str]:
    """What is found in that folder, and what is printed about it; the notebooks stay as they are."""
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.glob("*.ipynb")}
    out = io.StringIO()
    found = table.show(COURSE, [folder], out)
    assert before == {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.glob("*.ipynb")}
    return found, out.getvalue()


def row(text: str, number: int) -> tuple[str, str]:
    """The row of a part, and what stands below it."""
    lines = text.splitlines()
    (at,) = [n for n, line in enumerate(lines) if line.startswith(f"  {number:>2}  ")]
    below = lines[at + 1 :]
    return lines[at], " ".join(
        line.strip() for line in below[: next(n for n, b in enumerate(below) if b[:8].strip() or not b)]
    )


@pytest.mark.parametrize("number", ANSWERS)
def test_an_answer_is_told_what_its_check_found(number: int, shown: tuple[list[Result], str]):
    _, says, because = ANSWERS[number]
    line, below = row(shown[1], number)
    assert says in line
    assert below.startswith(because), below


def test_right_answers_pass_also_beside_cells_that_fail(shown: tuple[list[Result], str]):
    for number in (1, 8, 9):
        line, below = row(shown[1], number)
        assert "passes" in line and not below


def test_what_was_not_touched_is_not_started(shown: tuple[list[Result], str]):
    assert "not started" in row(shown[1], 11)[0]


def test_a_written_answer_is_there_or_to_do(shown: tuple[list[Result], str]):
    assert "written answer: there" in row(shown[1], 8)[0]
    for number in (6, 9, 11, 14):  # 9 holds a blank
        assert "written answer: to do" in row(shown[1], number)[0]
    assert "written" not in row(shown[1], 1)[0]


def test_a_damaged_and_a_missing_notebook_are_named_and_the_command_says_so(shown: tuple[list[Result], str]):
    found, text = shown
    assert [result.part.number for result in found if result.state is State.UNREAD] == [10, 12]
    assert "not checked" in row(text, 10)[0] and row(text, 10)[1].startswith("the file is not JSON (line 1)")
    assert "not checked" in row(text, 12)[0] and row(text, 12)[1] == "the notebook is not in this folder."
    assert "3 of 14 parts pass the visible checks; 1 of 5 written answers are there." in text


def test_as_json_it_has_the_documented_form(shown: tuple[list[Result], str]):
    document = json.loads(json.dumps(check_json.document(COURSE, shown[0])))
    jsonschema.validate(document, json.loads((REPOSITORY / "docs/schemas/check-1.json").read_text(encoding="utf-8")))
    states = {each["part"]: each["state"] for each in document["notebooks"]}
    assert (states[2], states[3], states[10], len(states)) == ("unfinished", "fails", "unread", 14)
    assert {each["part"] for each in document["notebooks"] if each["written"]} == {8}


def test_with_json_nothing_else_is_on_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture):
    handed_in.write(tmp_path, course.PARTS[1], handed_in.released(course.PARTS[1]))
    assert main(["check", "--json", str(tmp_path / "part01.ipynb")]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["notebooks"][0]["state"] == "not_started" and "0 of 1 part" in printed.err


def test_in_a_pipe_nothing_but_text_is_printed(shown: tuple[list[Result], str]):
    assert shown[1].replace("\n", "").isprintable()
    assert "noise" not in shown[1]


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_colour_comes_on_a_terminal_unless_it_is_refused(monkeypatch: pytest.MonkeyPatch):
    result = visible_checks.Result(Path("part03.ipynb"), course.PARTS[3], visible_checks.State.FAILS, "\x1b[2J3 keys")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    coloured = table.row(COURSE, result, Terminal())
    assert "\x1b[31mdoes not pass yet\x1b[0m" in coloured and "\x1b[2J" not in coloured
    assert "\x1b" not in table.row(COURSE, result, io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert table.row(COURSE, result, Terminal()) == table.row(COURSE, result, io.StringIO())


def test_no_message_is_longer_than_three_lines(monkeypatch: pytest.MonkeyPatch):
    result = visible_checks.Result(Path("part03.ipynb"), course.PARTS[3], visible_checks.State.FAILS, "word " * 5000)
    monkeypatch.setenv("COLUMNS", "60")
    lines = table.row(COURSE, result, io.StringIO()).splitlines()
    assert len(lines) == 4 and max(map(len, lines[1:])) < 60 and lines[-1].endswith(" …")


def test_an_endless_loop_is_stopped_with_all_that_it_started(
    folder: Path, tmp_path: Path, shown: tuple[list[Result], str], monkeypatch: pytest.MonkeyPatch
):
    loop = "import subprocess\nprint(subprocess.Popen(['sleep', '600']).pid, file=open('pid', 'w'), flush=True)"
    part = course.PARTS[1]
    handed_in.write(tmp_path, part, handed_in.submission(part, f"{loop}\nwhile True: pass"))
    monkeypatch.setattr(limits, "CHECK_LIMIT_S", 6.0)
    out = io.StringIO()
    assert table.show(COURSE, [tmp_path / "part01.ipynb"], out)
    line, below = row(out.getvalue(), 1)
    assert "does not pass yet" in line and below == "the answer cell was still running after 6 s."
    started = int((tmp_path / "pid").read_text())
    busy.wait_for(lambda: _has_ended(started))


def _has_ended(pid: int) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):  # it may be waited for while it is looked at
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    return True


def test_a_terminal_says_which_part_runs_and_for_how_long(
    tmp_path: Path, shown: tuple[list[Result], str], monkeypatch: pytest.MonkeyPatch
):
    part = course.PARTS[10]
    handed_in.write(tmp_path, part, handed_in.submission(part, "while True: pass"))
    for module, name, seconds in ((limits, "CHECK_LIMIT_S", 4.0), (visible_checks, "TICK_S", 0.2)):
        monkeypatch.setattr(module, name, seconds)
    said = re.compile(r"  0 of 1 … part 10 running for \d s, of \d+ s at most")
    monkeypatch.setattr(terminal := io.StringIO(), "isatty", lambda: True)
    for out in (terminal, io.StringIO()):
        table.show(COURSE, [tmp_path / "part10.ipynb"], out)
        assert bool(said.search(out.getvalue())) == out.isatty()
        assert "the answer cell was still running after 4 s." in out.getvalue()


def test_an_answer_cell_that_is_missing_or_of_another_type_is_read_as_in_grading(tmp_path: Path, shown: object):
    part = course.PARTS[1]
    notebook = handed_in.model(part)
    lost = notebook | {"cells": [cell for cell in notebook["cells"] if cell["id"] != f"{part.stem}-answer"]}
    handed_in.equip(tmp_path)
    raw = notebook | {"cells": [cell | {"cell_type": "raw"} for cell in notebook["cells"]]}
    for changed, state, message in ((lost, State.NOT_STARTED, visible_checks.LOST), (raw, State.PASSES, "")):
        handed_in.write(tmp_path, part, changed)
        (result,) = visible_checks.results(COURSE, [tmp_path / f"{part.stem}.ipynb"])
        assert (result.state, result.message) == (state, message)


def test_part_13_takes_MyMHA_from_the_course_s_own_module_next_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "path", [place for place in sys.path if not Path(place, COURSE.module).exists()])
    answer = "assert MyMHA.__module__ == 'attention_course.mha'\ndef reduced_matrices(*_):\n    return None"
    handed_in.write(tmp_path, course.PARTS[13], handed_in.submission(course.PARTS[13], answer))
    (alone,) = visible_checks.results(COURSE, [tmp_path / "part13.ipynb"])
    assert alone.message.startswith("the setup cell, line 4: ModuleNotFoundError: No module named 'attention_course'")
    handed_in.equip(tmp_path)
    (result,) = visible_checks.results(COURSE, [tmp_path / "part13.ipynb"])
    where = "D = 6, H = 3, r = 5: four torch tensors of the right shapes"
    assert result.message.startswith(f"{where}: expected four tensors, got None.")


def test_notebooks_share_what_was_loaded_for_all_of_them_and_collect_their_own_rubbish(tmp_path: Path):
    handed_in.equip(tmp_path)
    notebook = handed_in.model(course.PARTS[8])
    (cell,) = [cell for cell in notebook["cells"] if cell["id"] == "part08-answer"]
    look = (
        "import gc, pathlib\npathlib.Path('seen').write_text(f'{gc.isenabled()} {gc.get_freeze_count() > 100_000}')\n"
    )
    cell["source"] = [look, *cell["source"]]
    handed_in.write(tmp_path, course.PARTS[8], notebook)
    (result,) = visible_checks.results(COURSE, [tmp_path / "part08.ipynb"])
    assert result.state is visible_checks.State.PASSES
    assert (tmp_path / "seen").read_text() == "True True"


def test_processes_can_start_without_a_fork(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    handed_in.equip(tmp_path)
    handed_in.write(tmp_path, course.PARTS[8], handed_in.model(course.PARTS[8]))
    (result,) = visible_checks.results(COURSE, [tmp_path / "part08.ipynb"])
    assert result.state is visible_checks.State.PASSES


def test_the_command_passes_a_notebook_by_any_name_and_says_so(
    tmp_path: Path, shown: tuple[list[Result], str], capsys: pytest.CaptureFixture
):
    handed_in.equip(tmp_path)
    handed_in.write(tmp_path, course.PARTS[4], handed_in.model(course.PARTS[4]))
    (tmp_path / "part04.ipynb").rename(tmp_path / "my copy.ipynb")
    assert main(["check", str(tmp_path / "my copy.ipynb")]) == 0
    assert "passes" in row(capsys.readouterr().out, 4)[0]


@pytest.mark.parametrize("name", ["nowhere", "empty"])
def test_a_place_without_notebooks_is_one_clear_line(name: str, tmp_path: Path, capsys: pytest.CaptureFixture):
    (tmp_path / "empty").mkdir()
    assert main(["check", str(tmp_path / name)]) == 1
    printed = capsys.readouterr()
    assert not printed.out and printed.err.count("\n") == 1 and str(tmp_path / name) in printed.err


def test_processes_start_where_the_temporary_folder_s_path_is_too_long_for_a_socket(tmp_path: Path):
    handed_in.equip(tmp_path)
    handed_in.write(tmp_path, course.PARTS[8], handed_in.model(course.PARTS[8]))
    (long := tmp_path / ("long" * 25)).mkdir()
    command = [sys.executable, "-m", "grading", "check", tmp_path / "part08.ipynb"]
    env = {**os.environ, "TMPDIR": str(long)}
    run = subprocess.run(command, cwd=REPOSITORY, env=env, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "") and "1 of 1 part passes" in run.stdout


def test_a_notebook_without_its_checks_says_so(tmp_path: Path, capsys: pytest.CaptureFixture):
    (tmp_path / "part04.ipynb").write_text(json.dumps({"cells": [{"cell_type": "code", "source": ["1"]}]}))
    assert main(["check", str(tmp_path / "part04.ipynb")]) == 1
    assert row(capsys.readouterr().out, 4)[1].startswith("its cell of visible checks is missing.")


def test_a_notebook_with_data_of_any_depth_in_it_is_read(tmp_path: Path):
    notebook, deep = handed_in.model(course.PARTS[1]), []
    for _ in range(600):
        deep = [deep]
    next(c for c in notebook["cells"] if c["id"] == "part01-answer")["metadata"]["deep"] = deep
    (tmp_path / "part01.ipynb").write_text(json.dumps(notebook))
    assert not visible_checks.read(COURSE, tmp_path / "part01.ipynb").untouched


def test_the_release_as_it_is_needs_no_run(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(visible_checks.check_fork_server, "prepare", lambda _: pytest.fail("a process was started"))
    folder = REPOSITORY / "release" / COURSE.name
    states = {result.state for result in visible_checks.results(COURSE, visible_checks.notebooks(COURSE, folder))}
    assert states == {visible_checks.State.NOT_STARTED} and os.path.isdir(folder)


def test_the_command_has_libraries_imported_while_it_imports_nbgrader(tmp_path: Path):
    code = (
        "import sys\n"
        "from grading.own_work import check_fork_server\n"
        "check_fork_server.prepare = lambda wanted: sys.exit(f'{wanted.modules[0]} {\"nbgrader\" in sys.modules}')\n"
        "from grading.__main__ import main\n"
        "main(['check', *sys.argv[1:]])"
    )
    command = [sys.executable, "-c", code, "--course"]
    run = subprocess.run([*command, REPOSITORY], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert run.stderr == "torch False\n"
    elsewhere = subprocess.run([*command, tmp_path], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert "is not a course" in elsewhere.stderr and "Traceback" not in elsewhere.stderr
