"""Runs the hidden test of a part in this process, next to an answer or against a transport of one's own."""

import contextlib
from collections.abc import Iterator

import torch
from hand_written import notebook
from transports import Names

from attention import course
from dev import handed_in
from grading.bridge import probe, wire
from grading.core.course import Part
from grading.core.part_report import Report
from grading.marking import rubric

QUICK = [number for number in course.PARTS if number != 13]  # part 13 computes at full size


def run(number: int, transport: probe.Transport, answer: str | None = None) -> Report:
    """The report of a part's hidden test on what the transport brings; its rules read the answer, or the model's."""
    part = course.PARTS[number]
    sources = handed_in.sources(part)
    test, file = sources[f"{part.stem}-test"], f"<{part.stem}-test>"
    answer = answer if answer is not None else model_answer(part)
    try:
        with (
            probe.through(transport),
            rubric.collected() as reports,
            notebook(part.stem, answer, locked=sources[f"{part.stem}-setup"]),
        ):
            exec(compile(test, file, "exec"), {"__name__": "hidden"})
    finally:
        torch.set_default_dtype(torch.float32)
    return reports[0]


def model_answer(part: Part) -> str:
    """The model answer to a part, as source."""
    return handed_in.sources(part)[f"{part.stem}-answer"]


@contextlib.contextmanager
def answered(number: int, answer: str | None = None) -> Iterator[None]:
    """What a part's checks ask for meanwhile is answered by an answer, or by the model's."""
    with probe.through(Beside(number, answer), course.COURSE.calls):
        yield


class Beside(Names):
    """A transport to the names that a part's setup cell and an answer make."""

    def __init__(self, number: int, answer: str | None = None) -> None:
        part = course.PARTS[number]
        setup = handed_in.sources(part)[f"{part.stem}-setup"]
        super().__init__(setup, model_answer(part) if answer is None else answer)


class Model:
    """What the model answer of a part gives to each request; in part 13, which computes for long, its form alone."""

    def __init__(self, number: int) -> None:
        self.number, self.given = number, {}
        if number != 13:
            run(number, self)

    def ask(self, request: bytes, limit_s: float) -> bytes:
        """The reply, which is kept."""
        if not hasattr(self, "transport"):
            self.transport = Beside(self.number)
        reply = self.transport.ask(request, limit_s)
        self.given[wire.decode(request)["name"]] = wire.decode(reply).get("value")
        return reply

    @property
    def has_pieces(self) -> bool:
        """Whether any of its replies is a list, tuple or mapping; in part 13 they are."""
        return self.number == 13 or any(isinstance(value, (list, tuple, dict)) for value in self.given.values())

    def value(self, request: bytes) -> object:
        """What it gave to the latest request of this name."""
        name = wire.decode(request)["name"]
        if self.number == 13:
            own = "W_DKV W_UK W_UV W_Q W_O x y output_vanilla output_reduced relative_error".split()
            return (dict.fromkeys(own), (None, None), None) if name == "own_run" else (None,) * 4
        return self.given[name]
