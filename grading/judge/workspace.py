"""A student's folder as the student's kernel may see it: notebooks without hidden tests, and the files beside them."""

import json
import shutil
import tempfile
from pathlib import Path

from grading.core.cells import without_hidden_tests

_folders: dict[Path, tempfile.TemporaryDirectory] = {}
_copied: dict[Path, tuple[int, int, int]] = {}  # the state of each file when it was copied


def copy(graded: Path) -> Path:
    """A copy of a folder of clean copies, the same folder for all notebooks of one student, brought up to date.

    Only one student's is kept at a time.
    """
    graded = graded.resolve()
    if graded not in _folders:
        for folder in _folders.values():
            folder.cleanup()
        _folders.clear()
        _copied.clear()
        _folders[graded] = tempfile.TemporaryDirectory(prefix="handed-in-")
    target, found = Path(_folders[graded].name), set()
    for path in graded.rglob("*"):
        copied = target / path.relative_to(graded)
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            continue
        if path.is_dir():
            copied.mkdir(exist_ok=True)
            continue
        status = path.stat()
        state = (status.st_ino, status.st_mtime_ns, status.st_size)
        found.add(path)
        if _copied.get(path) == state:
            continue
        if path.suffix == ".ipynb":
            copied.write_text(json.dumps(_shown(json.loads(path.read_text(encoding="utf-8")))), encoding="utf-8")
        else:
            shutil.copyfile(path, copied)
        _copied[path] = state
    for path in _copied.keys() - found:  # of a hand-in of the same student's that this one replaces
        (target / path.relative_to(graded)).unlink()
        del _copied[path]
    return target


def _shown(notebook: dict) -> dict:
    """A notebook with its hidden tests and all outputs taken out."""
    for cell in notebook["cells"]:
        cell["source"] = without_hidden_tests("".join(cell["source"]))
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
    return notebook
