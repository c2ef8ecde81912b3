"""A test's functions are compiled as they are written, and once, however many students they are sent to."""

import linecache
import marshal
from collections.abc import Callable

from grading.bridge import sent_code


def made(text: str, name: str = "f", file: str = "<a test of sent code>") -> Callable:
    """A function of a cell with this text, made anew."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict = {}
    exec(compile(text, file, "exec"), names)
    return names[name]


def value(code: bytes, name: str = "f") -> object:
    """What the function gives that was sent so."""
    names: dict = {}
    exec(marshal.loads(code), names)
    return names[name]()


def test_the_same_function_of_another_student_s_test_is_compiled_once():
    text = "def f(a=1):\n    return a\n"
    before = sent_code._at.cache_info().misses
    assert sent_code.compiled(made(text)) is sent_code.compiled(made(text))
    assert sent_code._at.cache_info().misses == before + 1


def test_a_function_that_differs_in_its_text_alone_is_compiled_as_it_is_written():
    first, second = (sent_code.compiled(made(f"def f(a={n}):\n    return a\n")) for n in (1, 2))
    assert (value(first), value(second)) == (1, 2)


def test_functions_that_use_one_another_go_together_without_decorators():
    text = "def of(f):\n    raise ValueError\ndef g():\n    return 7\n"
    used = made(text, "g")
    text = "of = lambda f: f\n@of\ndef f():\n    return g()\n"
    assert value(sent_code.compiled(used, made(text, file="<another>"))) == 7
