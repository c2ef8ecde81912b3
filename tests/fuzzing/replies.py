"""Replies to a hidden test's requests: real ones, spoilt. `wire` refuses them or gives data; `probe` always answers."""

import gc
import json
import random
import struct
import time
import tracemalloc

import numpy as np
import torch
from transports import Canned

from fuzzing import Fuzzer, spoil
from grading.bridge import probe, remote, wire

VALUES = (
    None,
    [1, -2.5, "text", (True, None)],
    {"a": [1, 2], 3: (4.0, -(10**30))},
    np.arange(12.0).reshape(3, 4),
    np.zeros((0, 3), dtype="<c8"),
    np.ones((2, 2), dtype=bool),
    [wire.Tensor(np.ones((2, 3), dtype="f4"), "bfloat16"), np.arange(7, dtype="u1")],
    "\ud800é\x00" * 20,
    [[[[[[]]]]]] * 50,
)
EXTRA_BYTES, EACH = 4 * 2**20, 100  # memory that decoding may take: some, and so many times the message


def case(rng: random.Random) -> None:
    """Spoils a reply, and has it decoded and probed."""
    reply = spoilt_reply(rng)
    gc.disable()  # it would look through all that the tests of this process have left
    tracemalloc.start()
    started = time.thread_time()
    try:
        for decode in (wire.decode, remote.decode) if rng.random() < 0.2 else (wire.decode,):
            try:
                value = decode(reply)
            except wire.WireError as error:
                assert str(error).startswith("the reply "), f"WireError quotes data: {error}"
            else:
                is_data(value)
        taken_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        taken_s = time.thread_time() - started
        tracemalloc.stop()
        gc.enable()
    assert taken_bytes < EXTRA_BYTES + EACH * len(reply), f"{len(reply)} bytes of a reply took {taken_bytes} bytes"
    assert taken_s < 0.5 + 1e-5 * len(reply), f"{len(reply)} bytes of a reply took {taken_s:.1f} s"
    with probe.through(Canned(reply)):
        value, shown = probe.printed("function", 1)
    assert isinstance(shown, str)
    if isinstance(value, probe.Reason):
        assert isinstance(value.why, probe.Why) and value.text and len(value.text) < 1_000
    else:
        is_data(value)


def spoilt_reply(rng: random.Random) -> bytes:
    """A reply as a kernel sends it, after some damage to its bytes, its header, or what the header says."""
    value, other = rng.choice(VALUES), rng.choice(VALUES)
    content = {"value": value, "printed": rng.choice(spoil.TEXTS)}
    if rng.random() < 0.3:
        content = {"reason": rng.choice([why.value for why in probe.Why]), "printed": "", "error": value, "line": other}
        content = {key: content[key] for key in content if rng.random() < 0.9}
    reply = wire.encode(content)
    header, payload = _parts(reply)
    match rng.randrange(5):
        case 0:
            return spoil.spoilt(reply, rng)
        case 1:
            return _joined(spoil.spoilt(header, rng), payload)
        case 2:
            tree = spoil.changed(json.loads(header), rng, times=rng.randint(1, 4))
            return _joined(spoil.written(tree, rng), payload)
        case 3:
            return _joined(header, spoil.spoilt(payload, rng), said=rng.choice((None, None, 0, 2**63, 2**64 - 1)))
        case _:
            other_header, other_payload = _parts(wire.encode(other))
            at, other_at = rng.randrange(len(header)), rng.randrange(len(other_header))
            return _joined(header[:at] + other_header[other_at:], payload + other_payload)


def is_data(value: object) -> None:
    """Fails for anything but plain data."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        kinds = (type(None), bool, int, float, str, list, tuple, dict, np.ndarray, wire.Tensor, torch.Tensor)
        assert type(each) in kinds, f"{type(each)} came out of a reply"
        if isinstance(each, dict):
            waiting += [*each, *each.values()]
        elif isinstance(each, (list, tuple)):
            waiting += each


def _parts(reply: bytes) -> tuple[bytes, bytes]:
    start = len(wire.MAGIC) + 8
    (length,) = struct.unpack("<Q", reply[len(wire.MAGIC) : start])
    return reply[start : start + length], reply[start + length :]


def _joined(header: bytes, payload: bytes, said: int | None = None) -> bytes:
    return wire.MAGIC + struct.pack("<Q", len(header) if said is None else said) + header + payload


FUZZER = Fuzzer("replies", case, limit_s=10.0)
