"""What the first kernel and all others find done: fonts lie in memory, open in each fork, and labels are drawn."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import busy
import pytest
from kernel_runs import Run, opened

from attention import warmup
from attention.course import COURSE

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "source" / COURSE.name
# Prints what a process has drawn, which files of fonts it has opened for that, and which of them are open.
DRAWN = """
import hashlib, io, json, os

def drawn():
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4, 2), dpi=100)
    for row, style in enumerate(("normal", "oblique")):
        for column, weight in enumerate(("normal", "bold")):
            figure.text(column / 2, row / 2, "Ag 0.5 $x_1$", size=9 + row, weight=weight, style=style)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return hashlib.sha256(canvas.buffer_rgba()).hexdigest()

opened, open_file = [], io.open

def noted(path, *mode, **options):
    opened.append(os.path.basename(str(path)))
    return open_file(path, *mode, **options)
"""
IN_A_FORK = """
from attention.warmup import warm

warm()
reading, writing = os.pipe()
if (pid := os.fork()) == 0:
    io.open = noted
    pixels = drawn()
    links = [os.path.realpath(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd")]
    fonts = [name for name in opened + links if name.endswith(".ttf")]
    os.write(writing, json.dumps([pixels, sorted(map(os.path.basename, fonts))]).encode())
    os._exit(0)
os.close(writing)
print(os.read(reading, 10_000).decode())
os.waitpid(pid, 0)
"""
NOT_HELD = ["DejaVuSans-BoldOblique.ttf", "LastResortHE-Regular.ttf"]  # no figure of the course has such letters
IN_A_KERNEL = """
from matplotlib import font_manager

io.open = noted
before, kept = in_a_fork(), font_manager.get_font(font_manager.findfont("DejaVu Sans"))
print(json.dumps([before, drawn(), sorted(opened), in_a_fork(), in_a_thread() is kept]))
"""
HELPERS = """
import threading

def in_a_fork():
    "How many fonts are open in a fork of this process."
    from matplotlib import font_manager

    reading, writing = os.pipe()
    if (pid := os.fork()) == 0:
        os.write(writing, str(font_manager._get_font.cache_info().currsize).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    os.close(writing)
    with open(reading) as pipe:
        return int(pipe.read())

def in_a_thread():
    "The font that another thread gets."
    from matplotlib import font_manager

    found = []
    thread = threading.Thread(target=lambda: found.append(font_manager.get_font(font_manager.findfont("DejaVu Sans"))))
    thread.start()
    thread.join()
    return found[0]
"""
# Prints how many labels the figures of the model answers have, and how many of them are drawn when a kernel begins.
LABELS = """
def count():  # all names are its own: the cells run in this module, which is emptied before
    import json, pathlib, sys

    sys.path.append(sys.argv[1])
    from attention import course, warmup
    from attention_course import labels, letters
    from benchmarks import floor

    wanted, found = set(), letters.letters

    def noted(*label):
        wanted.add(label)
        return found(*label)

    letters.letters = labels.letters = noted
    floor.draw_when_shown()
    for part in course.PARTS.values():
        if part.number != 13:
            floor.run_cells(floor.read(pathlib.Path(f"{part.stem}.ipynb")), part.stem)
    letters.letters, images = found, letters.drawn
    images.cache_clear()
    warmup.label()
    for label in wanted:
        found(*label)
    print(json.dumps([len(wanted), images.cache_info().hits]))

count()
"""


def printed(code: str, folder: Path = ROOT) -> object:
    command = [sys.executable, "-c", code, str(ROOT)]
    return json.loads(
        subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=True, timeout=busy.patience(120)
        ).stdout
    )


@pytest.fixture(scope="module")
def forked() -> tuple[str, list[str]]:
    return printed(DRAWN + IN_A_FORK)


def test_a_fork_draws_the_same_pixels_as_a_process_that_was_not_warmed_up(forked):
    assert forked[0] == printed(DRAWN + "print(json.dumps(drawn()))")


def test_a_fork_opens_only_the_fonts_that_no_figure_of_the_course_uses(forked):
    assert forked[1] == sorted(NOT_HELD * 2)


def test_a_kernel_finds_these_fonts_open_and_opens_others_itself_as_each_fork_after_that_does():
    with opened() as pool:
        run = Run(pool, DRAWN, HELPERS, IN_A_KERNEL)
    in_a_fork, pixels, fonts, in_a_later_fork, of_a_thread = json.loads(run.printed)
    assert (in_a_fork > 0, in_a_later_fork, of_a_thread) == (True, 0, False)
    assert fonts == NOT_HELD
    assert pixels == printed(DRAWN + "print(json.dumps(drawn()))")


def test_labels_that_are_drawn_ahead_stand_in_the_package_so_that_none_says_an_answer():
    package = {
        line
        for path in (NOTEBOOKS / "attention_course").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for line in node.value.split("\n")
    }
    assert [text for texts in warmup.LABELS.values() for text in texts.split("|") if text not in package] == []


def test_two_fifths_of_the_labels_of_all_figures_are_drawn_ahead():
    wanted, found = printed(LABELS, NOTEBOOKS)
    assert found >= 0.4 * wanted
