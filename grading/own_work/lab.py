"""What `python -m grading lab` does: opens JupyterLab on somebody's own copy of the release, in work/."""

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

from grading.core import command_line, names
from grading.core.course import Course
from grading.gradebook import course_folder
from grading.own_work import work_folder


def run(root: Path, assignment: str, renew: bool, settings: Path) -> int:
    """Puts the release into work/ where it isn't yet, and serves until somebody stops it; JupyterLab's exit status.

    `settings` is a folder by which JupyterLab neither fetches news nor looks for updates.
    """
    # Reading the course also sets PATH and PYTHONPATH for the kernels.
    course = course_folder.course(root, assignment)
    work = work_folder.folder(root, course)
    _begin_work(root, course, renew)
    # Not the folder as an argument: it would become the root, and the Formgrader must find the course below the root.
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={root}"]
    command += [f"--ServerApp.preferred_dir={work}"]
    firsts = (work / f"{stem}.ipynb" for stem in (*course.others[:1], course.stems[0]))
    if first := next(filter(Path.is_file, firsts), None):
        command += [f"--LabApp.default_url=/lab/tree/{quote(first.relative_to(root).as_posix())}"]
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    paths = [str(settings), *filter(None, [os.environ.get("JUPYTER_CONFIG_PATH")])]
    env = {**os.environ, "JUPYTER_CONFIG_PATH": os.pathsep.join(paths)}
    return subprocess.call(command + ["--allow-root"] * as_root, env=env, cwd=root)


def _begin_work(root: Path, course: Course, renew: bool) -> None:
    """Puts the release into work/ where it isn't yet, and offers a newer one."""
    place = names.path(work_folder.folder(root, course))
    if put := work_folder.begin(root, course):
        print(f"work       {place}: {len(put)} {'file' if len(put) == 1 else 'files'} of the release put there")
    newer = work_folder.newer(root, course)
    if not newer:
        return
    print(f"release    newer than {place}: {', '.join(newer[:5])}{' and others' * (len(newer) > 5)}")
    if not renew and sys.stdin.isatty():
        renew = input("Take it over? Your answers stay, and a copy of each old notebook, too. [y/N] ").lower() in (
            "y",
            "yes",
        )
    if not renew:
        print(f"           Nothing is changed. Take it over with: {command_line.spelled('lab', root, '--renew')}")
        return
    for each in work_folder.renew(root, course):
        kept = f"; the old one: {names.path(each.copy)}" if each.copy else ""
        print(f"           {names.path(each.path)}: {each.left or 'renewed'}{kept}")
