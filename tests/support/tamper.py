"""Damage that attacks do to a notebook or a submission's folder, by the name that stands in their header `# tamper:`.

Each function takes the notebook and the folder it will be written to, and changes either.
"""

import copy
import json
import os
from pathlib import Path

from attention import course
from attention.course import COURSE
from dev import handed_in

EVIL = """
<script>alert(1)</script> <img src=x onerror=alert(1)> <iframe src="javascript:alert(1)"></iframe> <svg onload=alert(1)>
[a](javascript:alert(1)) ![b](https://example.org/c.png) <https://example.org> <a href="javascript:alert(1)">d</a>
<form action="https://example.org"><input name="points" value="10"></form> <style>body { display: none }</style>

```mermaid
</pre><script>alert(1)</script>
```

```html
<script>alert(1)</script>
```

# <img src=x onerror=alert(1)>
$<script>alert(1)</script>$ $$\\begin{a}<script>alert(1)</script>\\end{a}$$ [e]: javascript:alert(1)
"""


def _cell(notebook: dict, ending: str) -> dict:
    return next(cell for cell in notebook["cells"] if cell.get("id", "").endswith(ending))


def tags(notebook: dict, folder: Path) -> None:
    """Tags that make nbclient skip a cell or expect an error."""
    for cell in notebook["cells"]:
        cell["metadata"]["tags"] = ["skip-execution", "raises-exception", "hide_input"]


def points(notebook: dict, folder: Path) -> None:
    """Other points, other ids, another owner of the cells."""
    for cell in notebook["cells"]:
        if meta := cell["metadata"].get("nbgrader"):
            meta.update(points=500, schema_version=99, locked=False, task=True, checksum="x")
    _cell(notebook, "-test")["metadata"]["nbgrader"].update(points=float("nan"), solution=True, grade=False)


def types(notebook: dict, folder: Path) -> None:
    """Cells of another type than released."""
    _cell(notebook, "-test")["cell_type"] = "raw"
    _cell(notebook, "-check")["cell_type"] = "markdown"
    _cell(notebook, "-setup")["cell_type"] = ["code"]


def kernelspec(notebook: dict, folder: Path) -> None:
    """A kernel, a language and a schema of one's own."""
    notebook["metadata"] = {
        "kernelspec": {"name": "bash", "display_name": "Bash", "language": "bash", "argv": ["sh", "-c", "id"]},
        "language_info": {"name": "html", "pygments_lexer": "html"},
        "widgets": {"application/vnd.jupyter.widget-state+json": {"</script><script>": 1}},
        "attention": {"unreadable": "mine"},
        "title": "</title><script>alert(1)</script>",
    }
    notebook.update(nbformat=2, nbformat_minor=99, worksheets=[{"cells": []}])


def outputs(notebook: dict, folder: Path) -> None:
    """10.0 as the stored output of every cell."""
    for cell in notebook["cells"]:
        cell["outputs"] = [
            {"output_type": "execute_result", "data": {"text/plain": "10.0"}, "metadata": {}, "execution_count": 1},
            {"output_type": "error", "ename": "NotMarked", "evalue": "", "traceback": []},
        ]
        cell["execution_count"] = "<script>alert(1)</script>"


def duplicates(notebook: dict, folder: Path) -> None:
    """Every cell of ours a second time, under the same id, with another text."""
    again = copy.deepcopy(
        [cell for cell in notebook["cells"] if not cell.get("id", "").endswith(("-answer", "-reasoning"))]
    )
    for cell in again:
        cell["source"] = "10.0"
    notebook["cells"] += again


def rewritten_test(notebook: dict, folder: Path) -> None:
    """A test that gives all points, and a check and a setup that check nothing."""
    _cell(notebook, "-test")["source"] = "10.0"
    _cell(notebook, "-check")["source"] = "10.0"


def attachments(notebook: dict, folder: Path) -> None:
    """Attachments that are scripts, and text cells that show them."""
    for cell in notebook["cells"]:
        cell["attachments"] = {"a.svg": {"image/svg+xml": "<svg onload=alert(1)>"}, "b": 3}
    notebook["cells"].append({"cell_type": "markdown", "source": "![a](attachment:a.svg)", "metadata": []})
    notebook["cells"].append({"cell_type": "raw", "source": EVIL, "metadata": {"raw_mimetype": "text/html"}})
    notebook["cells"] += [{"cell_type": None, "source": 3}, {"source": ["a", 3, None]}, {}]


def copied_test(notebook: dict, folder: Path) -> None:
    """The test cell copied and worked on, as some students do."""
    cell = copy.deepcopy(_cell(notebook, "-test"))
    notebook["cells"].append({**cell, "source": "# my own try\nassert True"})


def helper_file(notebook: dict, folder: Path) -> None:
    """A module and data of the student's own."""
    (folder / "helpers.py").write_text("NUMBER = 7\n")
    (folder / "data.txt").write_text("my data\n")


def links(notebook: dict, folder: Path) -> None:
    """Links to the gradebook, the system, the home folder, and another student's submission."""
    helper_file(notebook, folder)
    root = folder.parents[2]
    targets = {"gradebook": root / "gradebook.db", "shadow": Path("/etc/shadow"), "home": root / "home" / "diary.txt"}
    targets |= {
        "peer": Path("../../aaa/attention/part01.ipynb"),
        "root": Path("/"),
        "self": Path("link-self"),
        "source": root / "source",
    }
    for name, target in targets.items():
        (folder / f"link-{name}").symlink_to(target)
    (folder / "part05.ipynb").symlink_to(root / "source" / COURSE.name / "part05.ipynb")


def pipes(notebook: dict, folder: Path) -> None:
    """Pipes that nobody writes to, one in the place of a notebook."""
    for name in ("pipe", "part06.ipynb", "other.ipynb"):
        os.mkfifo(folder / name)


def programs(notebook: dict, folder: Path) -> None:
    """Files that nbgrader, Jupyter, IPython, pytest or Python would run if they found them."""
    stop = "import os; os._exit(3)\n"
    for name in (
        "nbgrader_config.py",
        "jupyter_server_config.py",
        "sitecustomize.py",
        "torch.py",
        "conftest.py",
        "grading.py",
    ):
        (folder / name).write_text(stop)
    (folder / "x.pth").write_text("import os; os._exit(3)\n")
    startup = folder / ".ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "a.py").write_text(stop)
    (folder / "numpy").mkdir()
    (folder / "numpy" / "__init__.py").write_text(stop)


def sizes(notebook: dict, folder: Path) -> None:
    """Files that claim 10 GB, a thousand small ones, and names that nobody can print."""
    for name in ("huge.bin", "part07.ipynb"):
        with open(folder / name, "wb") as file:
            file.truncate(10 * 2**30)
    (folder / "many").mkdir()
    for n in range(1000):
        (folder / "many" / f"{n}.txt").write_text("")
    for name in (b"\xff\xfe.txt", b"\xff.ipynb", b"new\nline.ipynb", b"\x1b[31m.txt"):
        (Path(os.fsdecode(os.fsencode(folder) + b"/" + name))).write_text("x")


def depths(notebook: dict, folder: Path) -> None:
    """Folders in folders, 200 deep, and one that nobody may read."""
    deep = folder
    for _ in range(200):
        deep = deep / "deep"
        deep.mkdir()
    (deep / "file.txt").write_text("x")
    (folder / "closed").mkdir(mode=0)


def bad_timestamp(notebook: dict, folder: Path) -> None:
    """A time of submitting that is none."""
    (folder / "timestamp.txt").write_bytes(b"\xff\x00 yesterday 99999999999999999999" + b"9" * 10**6)


def next_notebook(notebook: dict, folder: Path) -> None:
    """A notebook after this one that shows all that it finds."""
    look = """
import glob, os, subprocess
for folder in (".", "/tmp", "/dev/shm", os.path.expanduser("~"), "/var/tmp", "/run"):
    for path in glob.glob(f"{folder}/**/*", recursive=True, include_hidden=True):
        own = path.startswith(("/run/fonts", "/run/zygote")) or "site-packages" in path or "fontlist" in path
        if os.path.isfile(path) and not own and os.path.getsize(path) < 10**6 and "/bin/" not in path:
            print(path, open(path, errors="replace").read()[:300])
for path in glob.glob("/proc/[0-9]*/cmdline"):
    print(path, open(path).read())
"""
    answer = "".join(_cell(handed_in.model(course.PARTS[4]), "-answer")["source"])
    handed_in.write(folder, course.PARTS[4], handed_in.submission(course.PARTS[4], f"{answer}\n# %%\n{look}"))


def earlier_notebook(notebook: dict, folder: Path) -> None:
    """A notebook before this one, which is graded when this one runs."""
    handed_in.write(folder, course.PARTS[1], handed_in.model(course.PARTS[1]))


def long_code(notebook: dict, folder: Path) -> None:
    """Cells of code that a reader of code needs long for."""
    texts = ("!a\n" * 25_000, "a = !b\n" * 15_000, "(" * 100_000, "x" + ".x" * 50_000, "x=1;" * 25_000, "-" * 100_000)
    for text in texts:
        notebook["cells"].insert(
            0, {"cell_type": "code", "source": text, "metadata": {}, "outputs": [], "execution_count": None}
        )
    answer = _cell(notebook, "-answer")
    answer["source"] = "\n".join(["!true"] * 20_000) + "\n" + "".join(answer["source"])


def long_text(notebook: dict, folder: Path) -> None:
    """Cells of text that a reader of Markdown needs long for."""
    texts = (
        r"\begin{a}" * 11_000,
        "<div>" * 20_000,
        "[" * 100_000,
        "> " * 50_000,
        "**a*b" * 20_000,
        "[a](" * 25_000,
        "x" * 10**6,
    )
    for text in texts * 3:
        notebook["cells"].append({"cell_type": "markdown", "source": text, "metadata": {}})


def unended_tags(notebook: dict, folder: Path) -> None:
    """Text cells with a tag that does not end, which may be read in as many ways as 2 to the number of attributes."""
    for before in ("", "x ", "> ", "- "):
        source = f"{before}<a" + "\ta=b\tc" * 33  # minutes, in one call in C; of a thousand nobody would see the end
        notebook["cells"].append({"cell_type": "markdown", "source": source, "metadata": {}})


def scripts(notebook: dict, folder: Path) -> None:
    """Text cells with every way to run something in a browser."""
    notebook["cells"].insert(0, {"cell_type": "markdown", "source": EVIL, "metadata": {}})
    for line in EVIL.splitlines():
        notebook["cells"].insert(0, {"cell_type": "markdown", "source": line, "metadata": json.loads("{}")})
