"""What the engine knows of a course: its parts, what each asks for and is worth, and what its notebooks import.

A course is a value. The configuration names it, `c.Course.found = "package.module:NAME"`, because a configuration
travels between processes as text; each process looks it up there (`find_course`). Or it names a folder,
`c.Course.folder`, with an nbgrader course that was written for no engine but nbgrader: then `plain_course` reads the
value from its notebooks.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from numbers import Real
from pathlib import Path

from grading.core.errors import CourseError


@dataclass(frozen=True)
class Libraries:
    """What a sandbox loads once, so that no notebook has to.

    modules     by their names, as in an import
    warmup      a file that stands alone: its function `warm` does what these do only at their first use
    package     a folder of modules next to the notebooks that import them; loaded for those that have the same one
    """

    modules: tuple[str, ...] = ()
    warmup: Path | None = None
    package: Path | None = None


@dataclass(frozen=True)
class Calls:
    """How hidden tests call what a student wrote.

    limit_s     the own time of one call; None: the engine's CALL_LIMIT_S
    dtype       torch's default dtype meanwhile, such as "float64"; empty: the student's own
    """

    limit_s: float | None = None
    dtype: str = ""


@dataclass(frozen=True)
class Part:
    """One part: `title` as in its heading, `task` as in reports, `names` that the answer must define; points.

    `tests` and `written` are nbgrader's ids of the cells that give them: those that are marked by running them, and
    those that a grader reads. None: the one test, and the one written answer, that the stem names.
    """

    number: int
    title: str
    task: str
    names: tuple[str, ...]
    automatic: float
    by_hand: float = 0
    stem: str = ""  # the notebook's name without its suffix, and the start of its cells' ids
    tests: tuple[str, ...] | None = None
    written: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Errors  CourseError where points aren't a number, or names are a single text: each letter would be one."""
        where = f"part {self.number} of the course"
        for name, points in (("automatic", self.automatic), ("by_hand", self.by_hand)):
            if not isinstance(points, Real):
                raise CourseError(f"{where}: {name} must be a number of points, not {points!r}.")
        if isinstance(self.names, str):
            raise CourseError(f"{where}: names must be a tuple. Write ({self.names!r},).")
        stem = self.stem or f"part{self.number:02d}"
        defaults = {"tests": (f"{stem}-test",), "written": (f"{stem}-reasoning",) if self.by_hand else ()}
        object.__setattr__(self, "stem", stem)
        for name, ids in defaults.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, ids)

    @property
    def points(self) -> float:
        """All points of the part."""
        return self.automatic + self.by_hand


@dataclass(frozen=True)
class Frozen(Mapping[str, str]):
    """A mapping that nobody changes: equal, hashed and sent to other processes as its pairs are."""

    pairs: tuple[tuple[str, str], ...]

    def __getitem__(self, key: str) -> str:
        return dict(self.pairs)[key]

    def __iter__(self) -> Iterator[str]:
        return iter(dict(self.pairs))

    def __len__(self) -> int:
        return len(self.pairs)


@dataclass(frozen=True)
class Course:
    """A course: what nbgrader calls its one assignment, and all that grading it depends on.

    name        of the assignment: the folder in source/, release/, submitted/STUDENT/ and so on
    title       at the head of its pages
    label       what its columns are called in a learning platform: "LABEL part 01", "LABEL total"
    parts       in the order of their numbers, of which some may be left out
    secret      the environment variable that holds the instructor's secret, from which hidden inputs follow
    libraries   what a student's kernel finds loaded
    calls       how hidden tests call what a student wrote
    imports     the packages that answers may import where a part's rule says so, with what sentences call each
    symbols     the letters that answers in symbols are written in
    module      the file or folder next to the notebooks that they import; it is always the release's own
    others      the stems of notebooks that are released with the parts and hold nothing to grade; `lab` opens the first
    packages    the folders of the code that decides marks, in addition to the engine's
    longest     the stems of the parts that compute longest, the longest first
    plain       whether it was written for nbgrader alone: its tests run among the student's names, as nbgrader has it
    """

    name: str
    title: str
    label: str
    parts: tuple[Part, ...]
    secret: str = ""
    libraries: Libraries = Libraries()
    calls: Calls = Calls()
    imports: Mapping[str, str] = field(default_factory=dict)
    symbols: tuple[str, ...] = ()
    module: str | None = None
    others: tuple[str, ...] = ()
    packages: tuple[Path, ...] = ()
    longest: tuple[str, ...] = ()
    plain: bool = False

    def __post_init__(self) -> None:
        """Errors  CourseError for parts that could not be told apart."""
        object.__setattr__(self, "imports", Frozen(tuple(self.imports.items())))
        numbers = [part.number for part in self.parts]
        if numbers != sorted(set(numbers)) or min(numbers, default=1) < 1:  # a number may be left out, as a part may be
            raise CourseError(f"the parts of {self.name} must be numbered from 1 on, in their order, each number once.")
        hyphen = not self.plain and any("-" in stem for stem in self.stems)  # `part_of` would not know where it ends
        if len(set(self.stems)) < len(self.parts) or hyphen:
            raise CourseError(f"the parts of {self.name} need names of their own, without a hyphen.")
        for part in self.parts:
            if not self.plain and part.tests != (f"{part.stem}-test",):  # another one would run next to student code
                raise CourseError(f"the one test of part {part.number} of {self.name} must be called {part.stem}-test.")
        if shared := set(self.others) & set(self.stems):
            raise CourseError(f"{shared.pop()} of {self.name} is a part, so it can't be among the other notebooks too.")

    @property
    def points(self) -> float:
        """All points of the course."""
        return sum(part.points for part in self.parts)

    @property
    def stems(self) -> tuple[str, ...]:
        """The names of the parts' notebooks, without their suffix."""
        return tuple(part.stem for part in self.parts)

    def is_other(self, name: str) -> bool:
        """Whether a file of this name is a notebook of the course that holds nothing to grade."""
        return name.endswith(".ipynb") and name.removesuffix(".ipynb") in self.others

    def part_of(self, cell_id: str) -> Part:
        """The part that a cell id such as "part05-answer" belongs to; ValueError if it belongs to none."""
        stem = cell_id.split("-")[0]
        for part in self.parts:
            if part.stem == stem:
                return part
        raise ValueError(f"the cell id {cell_id!r} belongs to no part of the course")
