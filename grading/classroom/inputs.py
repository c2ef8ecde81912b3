"""What all submissions are graded with, as bytes: release, gradebook without students, configuration; and its hash.

A worker grades with these alone, and with the same program: `program` names the code, the packages and the limits, and
a worker whose own is another refuses.
"""

import contextlib
import fnmatch
import functools
import hashlib
import importlib.metadata
import io
import json
import os
import pickle
import platform
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import FunctionType, ModuleType

import nbgrader
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import find_all_files
from sqlalchemy import Engine
from traitlets.config import Config
from traitlets.utils.importstring import import_item

from grading.core import errors, find_course, installed, limits
from grading.core.course import Course
from grading.core.files import write_whole
from grading.gradebook import course_folder, snapshot
from grading.submission import bundle

# What a mark may depend on in any course, see `distributions`; of other packages a worker may have others.
PACKAGES = "numpy nbgrader nbclient nbconvert nbformat ipykernel ipython jupyter_client".split()
GRADEBOOK = "gradebook.db"
# Files of a package that decide nothing: what Python compiles, and what editors and merges leave behind.
LEFTOVERS = ("__pycache__", "*.py[co]", ".*", "*~", "#*#", "*.sw[a-p]", "*.bak", "*.tmp", "*.orig", "*.rej")
ENGINE = Path(__file__).resolve().parents[1]
INSTALLED = Path(nbgrader.__file__).parents[1]
_kept: dict[str, bytes] = {}  # the last archive, by its hash


class NotKept(Exception):
    """This worker does not have the archive of the inputs."""


def keep(archived: str, archive: bytes) -> None:
    """Keeps an archive for the tasks to come, in place of any other."""
    _kept.clear()
    _kept[archived] = archive


@dataclass(frozen=True)
class Inputs:
    """What all tasks share: an archive of files, the configuration, the course's secret, the program, a hash of all.

    `packages` are those of the course whose versions stand in the program; `archived` is a hash of the archive, which
    stays away where a worker has been given it before, or reads it from a `file`.
    """

    archive: bytes
    config: Config
    secret: str
    program: dict[str, str]
    digest: str
    packages: tuple[str, ...] = ()
    archived: str = ""
    file: str = ""

    def __getstate__(self) -> dict[str, object]:
        """With the code of classes that the configuration holds, say a rule on lateness, which no worker can import."""
        from distributed.protocol import pickle as with_code

        return {**vars(self), "config": with_code.dumps(self.config)}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state, config=pickle.loads(state["config"]))

    def without_archive(self) -> "Inputs":
        """The same for a worker that has kept the archive."""
        return replace(self, archive=b"")

    def in_file(self, folder: Path) -> "Inputs":
        """The same for workers that read the archive from a file of this folder, written where it is not there yet."""
        path = folder / self.archived
        if not path.exists():
            write_whole(path, self.archive)
        return replace(self, archive=b"", file=str(path))

    def with_archive(self) -> "Inputs":
        """The same with the archive that this process has kept; it keeps the one that is there, or in the file.

        Errors  NotKept if none is there, and it has kept another one, or none.
        """
        if self.archive or not self.archived:
            keep(self.archived, self.archive)
            return self
        if self.file and self.archived not in _kept:
            keep(self.archived, Path(self.file).read_bytes())
        if self.archived not in _kept:
            raise NotKept
        return replace(self, archive=_kept[self.archived])

    def contents(self) -> Mapping[str, bytes]:
        """What the files in the archive hold, by their paths; the same objects each time."""
        return _contents(self.archive)

    def write(self, root: Path) -> None:
        """Writes the files to a folder: release/, files next to the sources, and the gradebook."""
        contents = {root / name: content for name, content in self.contents().items()}
        for folder in {root / "source", root / "submitted", *(path.parent for path in contents)}:
            folder.mkdir(parents=True, exist_ok=True)
        for path, content in contents.items():
            path.write_bytes(content)


@functools.lru_cache(1)  # all students of a class are graded with the same files
def _contents(archive: bytes) -> Mapping[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def read(root: Path, engine: Engine, assignment: str = "") -> Inputs:
    """What the submissions of the course in `root` are graded with, as it stands in release/ and in the gradebook."""
    config = course_folder.config(root, assignment)
    course = find_course.of(config)
    if course.plain:
        config.Course = Config(found=course)  # a worker has no source/ to read it from
    with engine.begin() as connection:
        found, version = snapshot.shared(connection, course.name), snapshot.version(connection)
    files = _files(root, course, CourseDirectory(config=config).ignore)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / GRADEBOOK
        snapshot.new(str(path), found, version)
        archive = _archive({**files, GRADEBOOK: path.read_bytes()})
    packages = distributions(course)
    secret, program = os.environ.get(course.secret, ""), current_program(course, packages)
    del config.CourseDirectory["root"], config.CourseDirectory["db_url"]
    config.CourseDirectory.pop("assignment_id", None)  # `course` is the one, whether somebody has named it or not
    config.pop("Watch", None)  # decides no mark
    config.Course.pop("below", None)  # a worker may have the same course elsewhere
    decide = [config, secret, program, _cells(found), _rule_on_lateness(config)]
    settings = json.dumps(decide, sort_keys=True, default=_described)
    for place in (Path(nbgrader.__file__).parent, ENGINE.parent):  # where our programs lie changes no mark
        settings = settings.replace(str(place), "")
    digest = bundle.digest([*sorted(files.items()), ("", settings.encode())])
    return Inputs(archive, config, secret, program, digest, packages, hashlib.sha256(archive).hexdigest())


def sources(root: Path, assignment: str = "") -> str:
    """A hash of all that release and gradebook are made from."""
    course = course_folder.course(root, assignment)
    folder = root / "source" / course.name
    program = current_program(course, distributions(course))
    return bundle.digest([*code(folder).items(), ("", json.dumps(program, sort_keys=True).encode())])


@functools.cache  # to look through all that is installed takes some hundredths of a second
def distributions(course: Course) -> tuple[str, ...]:
    """The installed packages that kernels of the course load or its answers may import, on which marks may depend."""
    names = {name.partition(".")[0] for name in (*course.libraries.modules, *course.imports)}
    found = installed.modules()
    return tuple(sorted({package.metadata["Name"] for name in names for package in found.get(name, ())}))


def current_program(course: Course, packages: tuple[str, ...]) -> dict[str, str]:
    """What grades a course here, by name: engine, course, packages that a mark may depend on, limits that are set."""
    limits_set = {name: value for name, value in limits.changed().items() if name != course.secret}
    return {**_installed(course.packages, (*PACKAGES, *packages)), **limits_set}


def code(package: Path) -> dict[str, bytes]:
    """All files of a Python package by their paths below it, in order: code, sub-packages, templates and other data.

    Whatever isn't known to be left over counts, so that a new kind of file can't be forgotten.
    """
    names = {path.relative_to(package): path for path in package.rglob("*") if path.is_file()}
    kept = {name.as_posix(): path for name, path in names.items() if not any(map(_is_left_over, name.parts))}
    return {name: kept[name].read_bytes() for name in sorted(kept)}


def _is_left_over(name: str) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in LEFTOVERS)


@functools.cache
def _installed(folders: tuple[Path, ...], packages: tuple[str, ...]) -> dict[str, str]:
    found = {folder.name: bundle.digest(code(folder).items())[:16] for folder in (ENGINE, *folders)}
    found["Python"] = ".".join(platform.python_version_tuple()[:2])
    for name in packages:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):  # which the parent's answer shows
            found[name] = importlib.metadata.version(name)
    return found


def _rule_on_lateness(config: Config) -> object:
    """The class that takes points off, also where the configuration says only what it is called."""
    rule = config.get("AssignLatePenalties", {}).get("plugin_class")
    if isinstance(rule, str):
        with contextlib.suppress(*errors.RAISED):  # which is said when a submission is graded
            return import_item(rule)
    return rule


def _described(setting: object) -> object:
    """What JSON has no word for; a class or function of the course's own with its values and the files that hold it."""
    if not isinstance(setting, type | FunctionType):
        return repr(setting)
    held = [one for kind in getattr(setting, "__mro__", ()) for one in vars(kind).values()]
    values = [one for one in held if isinstance(one, int | float | str)]  # a class may set no more than a number
    functions = [one for one in (setting, *held) if isinstance(one, FunctionType)]
    written = sorted({_written(one) for one in functions})
    return [setting.__module__, setting.__qualname__, values, *written]


def _written(function: FunctionType) -> str:
    """A hash of the file that a function of the course's own is written in; empty for an installed one."""
    path, module = Path(function.__code__.co_filename), sys.modules.get(function.__module__)
    if path.is_relative_to(INSTALLED):
        return ""
    return _of_file(path) if getattr(module, "__file__", None) != str(path) else _as_loaded(module)


@functools.lru_cache(8)
def _as_loaded(module: ModuleType) -> str:
    """A hash of a module's file when it was first asked for: a service computes with that, whatever the file is now."""
    return _of_file(Path(module.__file__))


def _of_file(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _cells(found: snapshot.Rows) -> list:
    """What the gradebook says of the assignment, without its ids."""
    names = {i: row["name"] for table in ("notebook", "base_cell") for i, row in found[table].items()}
    out = [row["duedate"] for row in found["assignment"].values()]
    for table in snapshot.SHARED[3:]:
        for i, row in found[table].items():
            out.append([table, names.get(i), *(names.get(v, v) for k, v in sorted(row.items()) if k != "id")])
    return sorted(out, key=repr)


def _files(root: Path, course: Course, ignore: list[str]) -> dict[str, bytes]:
    """What nbgrader's Autograde reads of release/ and source/: the released parts, and files next to the sources."""
    release, source = root / "release" / course.name, root / "source" / course.name
    parts = [path for path in release.glob("*.ipynb") if not course.is_other(path.name)]
    paths = [*parts, *map(Path, find_all_files(str(source), [*ignore, "*.ipynb"]))]
    return {str(path.relative_to(root)): path.read_bytes() for path in paths}


def _archive(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in sorted(files.items()):
            archive.writestr(name, content)
    return out.getvalue()
