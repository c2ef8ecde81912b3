"""What an answer prints and displays is kept, and out of the cell that examines it."""

import subprocess
import sys
import warnings
from textwrap import dedent

import pytest

from dev.packages import REPOSITORY
from grading.bridge import capture


def in_ipython(code: str) -> str:
    """What a program prints that begins with an IPython shell of its own."""
    begin = "from IPython.core.interactiveshell import InteractiveShell\nshell = InteractiveShell.instance()\n"
    begin += "import sys\nfrom IPython.display import display\nfrom grading.bridge import capture\n"
    command = [sys.executable, "-c", begin + dedent(code)]
    run = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert run.returncode == 0 and not run.stderr, run.stderr
    return run.stdout


def test_each_time_what_is_displayed_follows_what_is_printed():
    printed = in_ipython("""
        for n in 1, 2:
            kept = capture.Shown(100)
            with capture.quiet(kept):
                display(None, raw=True)
                display(f"first {n}")
                sys.displayhook(n)
                print("printed")
                print("dropped", file=sys.stderr)
            print(repr(kept.text()))
    """)
    assert printed == "".join(f"\"printed\\n'first {n}'\\n{n}\\n\"\n" for n in (1, 2))


def test_what_is_displayed_within_something_within_it_is_kept_apart():
    printed = in_ipython("""
        outer, inner = capture.Shown(100), capture.Shown(100)
        with capture.quiet(outer):
            display("before")
            with capture.quiet(inner):
                display("within")
            display("after")
        print(repr([outer.text(), inner.text()]))
    """)
    assert printed == repr(["'before'\n'after'\n", "'within'\n"]) + "\n"


def test_the_publisher_has_all_that_one_with_a_configuration_has():
    printed = in_ipython("""
        from IPython.core.displaypub import CapturingDisplayPublisher
        with capture.quiet(capture.Shown(100)):
            ours = shell.display_pub
        theirs = CapturingDisplayPublisher()
        print({*vars(theirs)} - {*vars(ours)}, ours.is_publishing, ours.outputs == theirs.outputs == [])
    """)
    assert printed == "set() False True\n"


def test_the_cell_displays_as_before_even_after_an_answer_that_fails():
    printed = in_ipython("""
        before = shell.display_pub, sys.displayhook, sys.stdout, sys.stderr
        try:
            with capture.quiet(capture.Shown(100)):
                assert shell.display_pub is not before[0] and sys.displayhook is not before[1]
                1 / 0
        except ZeroDivisionError:
            print(before == (shell.display_pub, sys.displayhook, sys.stdout, sys.stderr))
        display("shown")
    """)
    assert printed == "True\n'shown'\n"


def test_what_was_displayed_is_told_once_and_what_an_answer_keeps_of_the_way_reaches_no_later_one():
    printed = in_ipython("""
        texts = []
        for n in 1, 2:
            kept = capture.Shown(100)
            with capture.quiet(kept):
                if n == 1:
                    way = shell.display_pub
                    way.publish = lambda *_, **__: None
                    way.observe(lambda change: 1 / 0, "outputs")
                    way.outputs.append({"data": {"text/plain": "first"}})
                else:
                    way.outputs.append({"data": {"text/plain": "late"}})
                    display("second")
            texts += [kept.text(), kept.text()]
        print(repr(texts))
    """)
    assert printed == repr([*["first\n"] * 2, *["'second'\n"] * 2]) + "\n"


def test_what_an_answer_puts_among_the_displays_costs_nobody_anything():
    printed = in_ipython("""
        kept = capture.Shown(100)
        with capture.quiet(kept):
            print("printed")
            shell.display_pub.outputs += [5, {"data": 5}, {}]
        print(repr(kept.text()))
    """)
    assert printed == "'printed\\n'\n"


def test_a_warning_is_dropped_and_the_filters_are_back_afterwards(recwarn: pytest.WarningsRecorder):
    before = warnings.filters[:]
    with capture.quiet(kept := capture.Shown(10)):
        warnings.warn("a warning", stacklevel=1)
    assert not recwarn.list and warnings.filters == before and kept.text() == ""
