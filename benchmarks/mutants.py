"""Does a wrong answer ever earn? Changes right answers in one place each, grades them, and lists what earns all points.

    python benchmarks/mutants.py [--parts N ...] [--answers model|right] [--most N] [--seed N] [--items]

Prints each mutant that survives as "part, answer, line, change, marks", and for each part how many were tried, killed
and survived; exit status 1 if any survives that known_mutants.tsv doesn't list. `--answers right` changes
the right answers of tests/answers in place of the model answers; `--items` also prints which items the others lost.
Every mutant runs in a process of its own, without walls: these are our own answers. Part 13 takes minutes a mutant, so
it runs only where --parts names it, with 2 samples in place of 32.
"""

import argparse
import functools
import os
import random
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(HERE / "tests" / "support"), str(HERE / "source" / "attention"), str(HERE)]

import forked  # noqa: E402  (found through the line above)
import hidden_tests  # noqa: E402
import lean  # noqa: E402
import mutations  # noqa: E402
import torch  # noqa: E402

from attention import course  # noqa: E402
from dev import handed_in  # noqa: E402
from grading.core.course import Part  # noqa: E402

KNOWN = Path(__file__).with_name("known_mutants.tsv")  # part, change, its line as it is then, why it may survive
LIMIT_S = 120  # for a mutant; one that takes longer is killed, and counts as such
Items = dict[str, float]


@dataclass(frozen=True)
class Graded:
    """What an answer earned, item by item; or, with no items, why nothing was marked."""

    items: Items
    trouble: str = ""

    @property
    def marks(self) -> float:
        """The sum of its items."""
        return sum(self.items.values())


def main() -> int:
    """Grades the mutants, and says which survive."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="+", type=int, default=[n for n in course.PARTS if n != 13])
    parser.add_argument("--answers", choices=("model", "right"), default="model")
    parser.add_argument("--most", type=int, help="mutants of each answer, drawn by chance; by default all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--items", action="store_true", help="print what the other mutants lost")
    chosen = parser.parse_args()
    prepare()
    new = 0
    for number in dict.fromkeys(chosen.parts):
        for name, answer in answers(course.PARTS[number], chosen.answers):
            new += tried(course.PARTS[number], name, answer, chosen)
    print("No new mutant survived." if not new else f"{new} new mutants survived.")
    return 1 if new else 0


def prepare() -> None:
    """Loads in this process what every mutant needs, and starts no thread, which a fork would lose."""
    import sympy  # noqa: F401

    os.environ["TORCHDYNAMO_DISABLE"] = "1"  # a compiler would take half a minute, for the same numbers
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")


def answers(part: Part, which: str) -> Iterator[tuple[str, str]]:
    """The names and texts of the answers to change."""
    if which == "model":
        yield "model", hidden_tests.model_answer(part)
        return
    for path in sorted((handed_in.ANSWERS / part.stem).glob("*.py")):
        if float(path.stem.split("-")[0]) == part.automatic:
            yield path.stem, path.read_text(encoding="utf-8")


def tried(part: Part, name: str, answer: str, chosen: argparse.Namespace) -> int:
    """How many mutants of an answer survive and are not known to be right; prints them, and a line on them all."""
    first = graded(part, answer)
    if first.marks != part.automatic:
        print(f"{part.stem} {name}: left out, it earns {first.marks:g} here. {first.trouble}", flush=True)
        return 0
    mutants, known = list(mutations.of(answer, symbols(part))), understood(part)
    random.Random(chosen.seed).shuffle(mutants)
    mutants = mutants[: chosen.most]
    survived = expected = 0
    for mutant in mutants:
        found = graded(part, mutant.text)
        lost = [what for what, won in found.items.items() if not won]
        if found.marks == part.automatic:
            survived += 1
            is_known = (mutant.change, mutant.now) in known
            expected += is_known
            if not is_known:
                print(f"  {part.stem} {name}, line {mutant.line}: {mutant.change}: {found.marks:g}", flush=True)
        elif chosen.items:
            print(f"  - line {mutant.line}: {mutant.change}: {', '.join(lost) or found.trouble}", flush=True)
    counts = f"{len(mutants)} mutants, {len(mutants) - survived} killed, {survived} survived, {expected} of them known"
    print(f"{part.stem} {name}: {counts}", flush=True)
    return survived - expected


def symbols(part: Part) -> tuple[str, ...]:
    """The names of the symbols that a part's setup cell gives."""
    names: dict[str, object] = {}
    exec(handed_in.sources(part)[f"{part.stem}-setup"], names)
    return tuple(name for name, value in names.items() if type(value).__name__ == "Symbol")


@functools.cache
def made(part: Part) -> set[tuple[str, str]]:
    """The changes of a part's model answer, each with its line as it is then."""
    return {(one.change, one.now) for one in mutations.of(hidden_tests.model_answer(part), symbols(part))}


def understood(part: Part) -> set[tuple[str, str]]:
    """The changes of a part's model answer that may survive, each with its line as it is then."""
    rows = [line.split("\t") for line in KNOWN.read_text(encoding="utf-8").splitlines()]
    return {(change, now) for stem, change, now, _ in rows if stem == part.stem}


def graded(part: Part, answer: str) -> Graded:
    """What an answer earns, in a process of its own."""

    def said() -> dict[str, object]:
        try:
            return _marked(part, answer)
        except BaseException as error:  # noqa: BLE001  (told to the parent)
            return {"items": {}, "trouble": repr(error)[:200]}

    found = forked.result(said, LIMIT_S)
    return Graded(**found) if found else Graded({}, "it took too long, or its process ended")


def _marked(part: Part, answer: str) -> dict[str, object]:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    if part.number == 13:
        answer, whole = lean.fewer_samples(answer), handed_in.sources
        handed_in.sources = lambda part: {key: lean.fewer_samples(cell) for key, cell in whole(part).items()}
    report = hidden_tests.run(part.number, hidden_tests.Beside(part.number, answer), answer)
    if report.breach:
        return {"items": {}, "trouble": report.breach}
    return {"items": {item.what: item.won for item in report.items}}


if __name__ == "__main__":
    sys.exit(main())
