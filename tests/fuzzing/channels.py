"""The connections to a student's kernel, spoilt: what stands in for the kernel writes, shuts and forgets what it likes.

In each case a notebook runs in the real judge, and at one moment its kernel does something to its connections. The run
must end within the limits, with a report and marks, and leave the next notebook everything that it needs.
"""

import asyncio
import contextlib
import logging
import random
import socket
import struct
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from unittest import mock

import busy
import nbformat
import psutil
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from attention import course
from dev import handed_in
from dev.course_copy import CONFIGURED
from fuzzing import Fuzzer, messages, spoil
from fuzzing.stand_in import CHANNELS, Kernel, Peer, Pool
from grading.core import limits
from grading.judge import execution, incoming, save_marks
from grading.sandbox.frames import FIRST, FURTHER, packets
from grading.sandbox.kept_sandboxes import SANDBOXES

PART = course.PARTS[3]
MOMENTS = (*2 * ("cell", "between cells", "request"), "connection", "first reply", "shutdown")
BEFORE_READY = ("connection", "first reply")  # no code of a student's runs yet: there a failure is the machine's
LIMITS = {
    "CALL_LIMIT_S": 0.15,
    "TEST_LIMIT_S": 0.3,
    "TESTS_LIMIT_S": 0.5,
    "GRACE_S": 0.1,
    "RESPONSE_LIMIT_S": 0.15,
    "JUDGE_BYTES": 96 * 2**20,
    "MESSAGE_BYTES": 2**20,
}
NOTEBOOK_S, CELL_S, OUTPUTS_S, READY_S = 4.0, 0.25, 0.1, 0.7
FRAME_BYTES = 4 * 2**20
FLOOD_BYTES, FLOOD_BYTES_S = 640 * 2**20, 400 * 2**20  # what a case writes at most, and how fast
GROWN_BYTES = 400 * 2**20  # what the judge may have grown by when it has found out: less than it was sent


@dataclass(frozen=True)
class Plan:
    """What a kernel does: at the n-th such moment, to which channels, with which seed, and what becomes of it then."""

    moment: str
    nth: int
    channels: tuple[str, ...]
    attack: str
    seed: int
    afterwards: str  # "lives", "mute", "deaf" or "dies"


class Quick(execution.Judge):
    """The judge, in a hurry: limits that nbclient counts in whole seconds are shorter."""

    timeout, iopub_timeout, startup_timeout, shell_timeout_interval = CELL_S, OUTPUTS_S, READY_S, OUTPUTS_S

    async def _async_poll_kernel_alive(self) -> None:
        while await self.kc.is_alive():
            await asyncio.sleep(0.05)
        self.task_poll_for_reply.cancel()


def case(rng: random.Random) -> None:
    """One spoilt notebook, and an honest one after it."""
    plan = Plan(
        moment := rng.choice(MOMENTS),
        rng.randrange(1 if moment in ("first reply", "shutdown") else 3),
        rng.choice((*[(name,) for name in CHANNELS], CHANNELS)),
        rng.choice(list(ATTACKS)),
        rng.randrange(2**32),
        rng.choice(("lives", "lives", "lives", "mute", "deaf", "dies")),
    )
    try:
        marked = run(plan)
        assert plan.moment in BEFORE_READY if marked is None else 0.0 <= marked <= PART.automatic, f"{marked} marks"
        assert run(None) == 10.0, "the next notebook has other marks"
    except BaseException as error:
        error.add_note(str(plan))
        raise


def run(plan: Plan | None) -> float | None:
    """The marks of a notebook whose kernel follows a plan; None if the kernel did not become ready."""
    before, threads = psutil.Process().memory_info().rss, threading.active_count()
    pool = Pool(Attacker(plan) if plan else lambda kernel, moment: None, NOTEBOOK_S if plan else 60.0)
    started, nb, grown = time.monotonic(), notebook(), []
    with _surroundings(pool, plan is not None), tempfile.TemporaryDirectory() as folder, _watched(grown, before):
        runs = (Quick if plan else execution.Judge)(config=CONFIGURED)
        runs.log = logging.getLogger("fuzzing")
        runs.log.disabled = True
        try:
            runs.preprocess(nb, {"metadata": {"path": folder, "name": PART.stem}})
        except Exception:
            if plan is None or plan.moment not in BEFORE_READY:
                raise
            return None
        finally:
            pool.close()
    taken_s = time.monotonic() - started
    assert pool.given == 0, "the sandbox did not come back"
    assert threading.active_count() <= threads, "a thread is left"
    assert max(grown, default=0) < GROWN_BYTES, f"the judge grew by {max(grown) / 2**20:.0f} MB"
    assert plan is None or taken_s < busy.patience(NOTEBOOK_S + 4), f"it took {taken_s:.1f} s"
    nbformat.validate(nb)
    return marks(nb)


class Attacker:
    """Carries out a plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.left = plan, plan.nth

    def __call__(self, kernel: Kernel, moment: str) -> None:
        if moment != self.plan.moment:
            return
        self.left -= 1
        if self.left != -1:
            return
        rng = random.Random(self.plan.seed)
        for name in self.plan.channels:
            with contextlib.suppress(OSError):
                ATTACKS[self.plan.attack](kernel, kernel.peers[name], rng)
        match self.plan.afterwards:
            case "mute":
                kernel.mute = True
            case "deaf":
                kernel.mute = kernel.deaf = True
            case "dies":
                kernel.kill()


def announced(lengths: list[int]) -> bytes:
    """How a message of such frames begins."""
    return FIRST + struct.pack(f"<{len(lengths) + 1}I", len(lengths), *lengths)


def whole(frames: list[bytes]) -> bytes:
    """A message's packets, one after the other."""
    return b"".join(packets(frames))


def random_bytes(kernel: Kernel, peer: Peer, rng: random.Random) -> None:
    """Bytes that say nothing."""
    peer.write(rng.randbytes(rng.choice((1, 9, 64, 1_000, 100_000))))


def wrong_lengths(kernel: Kernel, peer: Peer, rng: random.Random) -> None:
    """Frames that are longer or shorter than they say."""
    for _ in range(rng.randint(1, 20)):
        sizes = (0, 1, 255, 256, FRAME_BYTES - 1, FRAME_BYTES, FRAME_BYTES + 1, 2**31, 2**32 - 1)
        said = [rng.choice(sizes) for _ in range(rng.randint(1, 3))]
        peer.write(announced(said) + rng.randbytes(rng.randrange(300)))


def wrong_counts(kernel: Kernel, peer: Peer, rng: random.Random) -> None:
    """Messages of no frame, of as many as there may be, and of more."""
    for _ in range(rng.randint(1, 20)):
        count = rng.choice((0, 1, incoming.FRAMES, incoming.FRAMES, incoming.FRAMES + 1, 2**31, 2**32 - 1))
        peer.write(FIRST + struct.pack("<I", count) + bytes(rng.choice((0, 4, 4 * incoming.FRAMES))))


def message_without_end(kernel: Kernel, peer: Peer, rng: random.Random) -> None:
    """Messages of many large frames, of which none is the last one that was announced, or that can't be kept."""
    size = rng.choice((2**20, FRAME_BYTES, 2**32 - 1))
    peer.write(announced([size] * incoming.FRAMES))
    for _ in range(rng.choice((1, 2, FLOOD_BYTES // 2**20))):
        for _ in range(16):
            peer.write(FURTHER * 2**16)
        time.sleep(2**20 / FLOOD_BYTES_S)


def frame_without_end(kernel: Kernel, peer: Peer, rng: random.Random) -> None:
    """The start of a frame of the largest size that is taken in, and not all of the rest."""
    peer.write(announced([rng.choice((FRAME_BYTES, FRAME_BYTES - 1))]) + bytes(rng.choice((0, 1, FRAME_BYTES // 2))))


def tiny_messages(kernel: Kernel, peer: Peer, rng: random.Random) -> None:
    """Many messages of one frame or of none, mostly an empty one."""
    (packet,) = packets(rng.choice(([], [b""], [b""], [b"a"])))
    for _ in range(rng.choice((1, 10_000, 100_000))):
        peer.write(packet)


def sound_frames_spoilt(kernel: Kernel, peer: Peer, rng: random.Random) -> None:
    """Bytes of real messages with some of them changed, left out, or put elsewhere."""
    real = [whole([b"topic", *kernel.message(kind, messages.SOUND[kind])]) for kind in ("status", "execute_reply")]
    for _ in range(rng.randint(1, 10)):
        peer.write(spoil.spoilt(rng.choice(real), rng))


def odd_messages(kernel: Kernel, peer: Peer, rng: random.Random) -> None:
    """Well-formed messages with odd contents that claim to answer what was asked."""
    for _ in range(rng.randint(1, 50)):
        frames = messages.message(rng)
        if messages.DELIM in frames and len(frames) > (at := frames.index(messages.DELIM) + 3):
            frames[at] = rng.choice((kernel.asked, frames[at]))
        peer.write(whole(frames))


def replies_of_any_type(kernel: Kernel, peer: Peer, rng: random.Random) -> None:
    """A sound message of each type, as an answer to what was asked."""
    for kind in rng.sample(list(messages.SOUND), len(messages.SOUND)):
        peer.write(whole(kernel.message(kind, messages.SOUND[kind])))


def too_large(kernel: Kernel, peer: Peer, rng: random.Random) -> None:
    """A message that is larger than one may be, but for its frames; then again, for as long as it is taken."""
    kind = rng.choice(("stream", "execute_reply", "display_data", "error"))
    text = "x" * rng.choice((2**20, 3 * 2**20))
    content = {"name": "stdout", "text": text, "data": {"text/plain": text}, "status": "error", "evalue": text}
    for _ in range(rng.choice((1, 1, 30))):
        peer.write(whole([b"topic", *kernel.message(kind, content)]))


def half_closed(kernel: Kernel, peer: Peer, rng: random.Random) -> None:
    """A connection that is shut in one direction, or in both."""
    peer.sock.shutdown(rng.choice((socket.SHUT_RD, socket.SHUT_WR, socket.SHUT_RDWR)))


def closed(kernel: Kernel, peer: Peer, rng: random.Random) -> None:
    """A connection that is closed, now and then in the middle of a frame."""
    if rng.random() < 0.5:
        peer.write(rng.choice((announced([1_000]), announced([1, 1]) + b"a", b"\x01")))
    kernel.close(peer.channel)


def nothing(kernel: Kernel, peer: Peer, rng: random.Random) -> None:
    """What becomes of the kernel is all there is."""


ATTACKS: dict[str, Callable[[Kernel, Peer, random.Random], None]] = {
    attack.__name__: attack
    for attack in (
        random_bytes, wrong_lengths, wrong_counts, message_without_end, frame_without_end, tiny_messages,
        sound_frames_spoilt, odd_messages, replies_of_any_type, too_large, half_closed, closed, nothing,
    )
}  # fmt: skip


@contextlib.contextmanager
def _surroundings(pool: Pool, small: bool) -> Iterator[None]:
    """The judge's, with these kernels, and with small limits."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.object(SANDBOXES, "of_course", lambda *_: pool))
        if small:
            stack.enter_context(mock.patch.multiple(limits, **LIMITS))
            stack.enter_context(mock.patch.object(incoming, "FRAME_BYTES", FRAME_BYTES))
        yield


@contextlib.contextmanager
def _watched(grown: list[int], before: int) -> Iterator[None]:
    """Notes by how much this process has grown."""
    process, over = psutil.Process(), threading.Event()

    def watch() -> None:
        while not over.wait(0.05):
            grown.append(process.memory_info().rss - before)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def notebook() -> NotebookNode:
    source = handed_in.sources(PART)
    cells = [new_code_cell(source[f"{PART.stem}-{name}"], id=f"{PART.stem}-{name}") for name in ("setup", "answer")]
    cells.append(new_code_cell("print('done')", id="own-1"))
    test = new_code_cell(source[f"{PART.stem}-test"], id=f"{PART.stem}-test")
    test.metadata["nbgrader"] = {"grade_id": test.id, "points": PART.automatic, "grade": True, "locked": True}
    return new_notebook(cells=[*cells, test])


def marks(nb: NotebookNode) -> float:
    """What the test cell says; AssertionError unless that is a report and marks."""
    report, *results = nb.cells[-1].outputs
    assert report.get("ename") != save_marks.NOT_MARKED, "the part is not marked"
    assert [result.output_type for result in results] == ["execute_result"], "there is not one result"
    return float(results[0].data["text/plain"])


FUZZER = Fuzzer("channels", case, limit_s=30.0)
