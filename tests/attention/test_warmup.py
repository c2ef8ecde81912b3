"""What the first kernel and all others find done: fonts that lie in memory, and are open in each fork."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from kernel_runs import Run, opened

ROOT = Path(__file__).resolve().parents[2]
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


def printed(code: str) -> object:
    run = subprocess.run(
        [sys.executable, "-c", DRAWN + code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def forked() -> tuple[str, list[str]]:
    return printed(IN_A_FORK)


def test_a_fork_draws_the_same_pixels_as_a_process_that_was_not_warmed_up(forked):
    assert forked[0] == printed("print(json.dumps(drawn()))")


def test_a_fork_opens_only_the_fonts_that_no_figure_of_the_course_uses(forked):
    assert forked[1] == sorted(["DejaVuSans-BoldOblique.ttf", "LastResortHE-Regular.ttf"] * 2)


def test_a_kernel_has_these_fonts_and_a_fork_of_its_own_opens_all_again():
    shown = "print(font_manager._get_font.cache_info().currsize > 0, flush=True)"
    in_a_fork = f"if not (pid := os.fork()):\n    {shown}\n    os._exit(0)\nos.waitpid(pid, 0)"
    with opened() as pool:
        run = Run(pool, "import os\nfrom matplotlib import font_manager", shown, in_a_fork)
    assert run.printed.split() == ["True", "False"]
