"""A kernel reads cells as IPython does: the same Python comes of them, with the same warnings and errors."""

import atexit
import json
import warnings
from collections.abc import Callable

import kernel_runs
import pytest
from IPython.core import inputtransformer2
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

from dev.packages import REPOSITORY
from grading.sandbox.cell_reading import Reader

NOTEBOOKS = sorted((REPOSITORY / "notebooks" / "attention").glob("*.ipynb"))
PYTHON = {
    "nothing": "",
    "spaces": "   \n",
    "a comment": "# 100 % right?",
    "one line": "a = 5 % 3",
    "an expression": "1 + 1",
    "no end of line": "a = 1\nb = 2",
    "indented": "    a = 1\n    print(a)",
    "a prompt": ">>> a = 1\n... print(a)\n",
    "continued lines": "a = 7 \\\n  % 4\nprint(a)",
    "within brackets": "print(\n    7\n    % 4,\n)",
    "compared": "print(1 != 2, not 1)",
    "an f-string": "a = 1\nprint(f'{a=!r} {a % 2}?')",
    "other ends of lines": "a = 1\r\nprint(a)\r\n",
    "awaits": "import asyncio\nawait asyncio.sleep(0)\nprint('slept')",
    "warns": "print(1 is 1, '\\d')",
    "warns on two lines": "a = 1\nprint(a is 1, '\\d')",
    "warns and awaits": "import asyncio\nawait asyncio.sleep(0)\nprint(1 is 1)",
    "fails": "print(1)\n1 / 0",
}
MORE = {
    "a text like a magic": 'text = """\n%time 1\n!ls\nmean?\n"""\nprint(text)',
    "a magic after a warning": "print('\\d', 1 is 1)\n%pwd\n",
    "a magic's name before a warning": "who (1 is 1)",
    "no Python after a warning": "print('\\d', 1 is 1)\na = = 1",
    "help after a warning": "print('\\d', 1 is 1)\nlen?\n",
    "nothing but a backslash": "def f():\n\\\n    if True:\n        a = 1\n    return a\nprint(f())",
    "a form feed within": "def f():\n    if\x0c True:\n        a = 1\n    return a\nprint(f())",
    "a line magic": "%pwd",
    "a magic's value": "a = %pwd\nprint(type(a))",
    "a magic below": "a = 1\n%pinfo a\n",
    "a cell magic": "%%capture out\nprint(1)",
    "a command": "!echo 1",
    "a command's output": "a = !echo 1\nprint(a)",
    "help": "len?",
    "help in the middle": "print(1)\nlen?\nprint(2)",
    "called without brackets": "/print 1",
    "quoted": ",print a b",
    "a magic in a function": "def f():\n    %pwd\nprint(f())\n",
    "unfinished": "print(1",
    "an open text": "print('a",
    "help in what is unfinished": "print(a ? b",
    "no Python": "a = = 1",
    "indented wrongly": "if True:\n        a = 1\n    b = 2",
    "tabs and spaces": "if True:\n        a = 1\n\tb = 2",
    "a return": "return 1",
    "a form feed": "a = 1\n\x0cprint(a)",
    "a text with a separator": "print('a\u2028b'.split())",
    "a null": "a = '\0'",
    "deep": "(" * 500 + ")" * 500,
}
CELLS = {**PYTHON, **MORE}


@pytest.fixture
def shells():
    """A function that makes a shell, with our reader or as IPython is."""
    made = []

    def shell(read: bool) -> InteractiveShell:
        one = InteractiveShell(config=Config(HistoryManager={"enabled": False}))
        atexit.unregister(one.atexit_operations)
        made.append(one)
        if read:
            Reader(one).take_over()
        return one

    yield shell
    for one in made:
        one.restore_sys_module_state()


def transformed(read: Callable[[str], str], cell: str) -> str:
    try:
        return read(cell)
    except Exception as error:  # noqa: BLE001  (whichever, it must be the same one)
        return repr(error)


def as_in_a_kernel(shell: InteractiveShell, cell: str) -> tuple:
    """What ipykernel asks a shell before it has it run a cell, what it shows then, and what becomes of it."""
    with capture_output() as shown, warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("default")
        asked = transformed(shell.transform_cell, cell)
        shell.should_run_async(cell, transformed_cell=asked)
        result = shell.run_cell(cell)
    found = result.error_before_exec or result.error_in_exec
    return asked, shown.stdout, shown.stderr, [str(each) for each in warned], repr(result.result), repr(found)


@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS)
def test_a_cell_becomes_and_does_and_prints_and_warns_as_in_ipython(cell: str, shells):
    ours, theirs = (as_in_a_kernel(shells(read), cell) for read in (True, False))
    assert ours == theirs


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_each_cell_of_the_solved_notebooks_becomes_what_ipython_makes_of_it(path, shells):
    shell, ipython = shells(True), inputtransformer2.TransformerManager()
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert sources
    for source in sources:
        assert shell.input_transformer_manager.transform_cell(source) == ipython.transform_cell(source)


PLAIN = ["no end of line", "indented", "a prompt", "other ends of lines", "awaits", "warns on two lines", "fails"]


@pytest.mark.parametrize(
    ("cells", "tokenized"), [([PYTHON[name] for name in PLAIN], 0), (["a = 1\n%pwd\n"], 2)], ids=["python", "a magic"]
)
def test_only_a_cell_with_more_than_python_is_tokenized_and_once(cells, tokenized: int, shells, monkeypatch):
    asked, tokens = [], inputtransformer2.make_tokens_by_line
    monkeypatch.setattr(inputtransformer2, "make_tokens_by_line", lambda lines: asked.append(lines) or tokens(lines))
    shell = shells(True)
    for cell in cells:
        as_in_a_kernel(shell, cell)
    assert len(asked) == tokenized


def test_a_cell_is_read_in_the_way_that_another_one_has_chosen(shells):
    shell = shells(True)
    assert shell.transform_cell("one = 1\n") == "one = 1\n"
    shell.input_transformer_manager.cleanup_transforms.append(lambda lines: [line.replace("1", "2") for line in lines])
    assert shell.transform_cell("one = 1\n") == "one = 2\n"
    shell.input_transformer_manager.cleanup_transforms.pop()
    assert shell.transform_cell("one = 1\n") == "one = 1\n"
    shell.input_transformer_manager.token_transformers.clear()
    assert shell.transform_cell("a = %pwd\n") == "a = %pwd\n"
    shell.input_transformers_post.append(lambda lines: [*lines, "two = 2\n"])
    assert shell.transform_cell("one = 1\n") == "one = 1\ntwo = 2\n"


class Twos(inputtransformer2.TokenTransformBase):
    """Makes the first 1 that it finds a 2."""

    @classmethod
    def find(cls, tokens_by_line: list) -> "Twos | None":
        return next((cls(token.start) for line in tokens_by_line for token in line if token.string == "1"), None)

    def transform(self, lines: list[str]) -> list[str]:
        line = lines[self.start_line]
        return [*lines[: self.start_line], line.replace("1", "2", 1), *lines[self.start_line + 1 :]]


@pytest.mark.parametrize(
    ("ways", "way"),
    [("token_transformers", Twos), ("line_transforms", lambda lines: [line.replace("1", "2") for line in lines])],
)
def test_each_way_of_reading_is_heard_in_a_cell_that_is_python(ways: str, way: object, shells):
    shell = shells(True)
    assert shell.transform_cell("one = 1\ntwo = 1\n") == "one = 1\ntwo = 1\n"
    getattr(shell.input_transformer_manager, ways).append(way)
    assert shell.transform_cell("one = 1\ntwo = 1\n") == "one = 2\ntwo = 2\n"


def test_a_cell_that_awaits_only_after_it_was_changed_is_one_that_awaits(shells):
    shell = shells(True)
    shell.input_transformers_post.append(lambda lines: [*lines, "await two\n"])
    changed = shell.transform_cell("one = 1\ntwo = 2\n")
    assert shell.should_run_async("", transformed_cell=changed)


def test_where_nothing_may_await_a_cell_that_does_fails_as_in_ipython(shells):
    said = []
    for read in (True, False):
        shell = shells(read)
        shell.run_line_magic("autoawait", "off")
        said.append([as_in_a_kernel(shell, PYTHON[name]) for name in ("awaits", "warns", "one line")])
    assert said[0] == said[1] and "SyntaxError" in said[0][0][-1]


def test_a_kernel_reads_its_cells_in_this_way():
    who = "print(type(get_ipython().input_transformer_manager).__module__, get_ipython().should_run_async.__name__)"
    cells = [who, "import asyncio\nawait asyncio.sleep(0)\nprint('slept')", "%pwd\nprint('more')"]
    with kernel_runs.opened() as pool:
        run = kernel_runs.Run(pool, *cells)
    assert run.printed.splitlines() == ["cell_reading should_run_async", "slept", "more"]
