"""The data that crosses between a hidden test and student code: strict, bounded, never pickled or evaluated.

A message is MAGIC, the header's length in 8 bytes, a JSON header and the raw bytes of all arrays, in order.
The header is a tree of ["tag", ...] lists; an array names its dtype and shape, and its bytes follow one another
without gaps. `decode` refuses everything else with WireError. Both ends use this file, which needs NumPy alone: a
torch tensor is a `Tensor` here, an array that knows where it came from; `remote` turns the one into the other.
Each kernel runs this file again, so it makes no data classes and compiles no patterns, which take half of its time.
"""

import json
import math
import struct
from collections.abc import Callable
from enum import Enum

import numpy as np

MAGIC = b"wire1\n"
MAX_BYTES = 192 * 2**20  # of all arrays and texts of a message: 25 million numbers in float64
REPLY_BYTES = 2**20  # the same, of a reply to a hidden test that does not ask for more: the largest right one has 6 KiB
MAX_HEADER_BYTES = 2 * 2**20  # parsed, a header takes up to 24 times its own size
MAX_NODES = 20_000  # the longest right reply, as lists of numbers, has 2,000
MAX_KEYS = 1_000  # of a mapping: keys can be chosen so that to find one means to look at all
MAX_DEPTH = 32
MAX_AXES = 16
MAX_DIGITS = 400
HEX = frozenset("0123456789abcdef")  # 16 of them are the bytes of a float64
# NumPy's dtypes as they are written, and what they are called, which NumPy makes up anew each time it is asked.
DTYPES = {d: np.dtype(d).name for d in "|b1 |i1 |u1 <i2 <u2 <i4 <u4 <i8 <u8 <f2 <f4 <f8 <c8 <c16".split()}
# What a tensor's dtype is called, and the array that carries it: itself, or a wider one where NumPy has none.
CARRIERS = {name: name for name in DTYPES.values()}
CARRIERS |= {"bfloat16": "float32", "complex32": "complex64"}
CARRIERS |= {f"float8_{kind}": "float32" for kind in ("e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz", "e8m0fnu")}
# Types whose names a refusal may quote; a student can give any name to a type of their own.
NAMED_TYPES = frozenset(
    "bytearray bytes complex coroutine dict_items dict_keys dtype ellipsis enumerate filter frozenset function "
    "generator map method module range set size slice type zip Linear Module Parameter Size device".split()
)


class Refusal(Enum):
    """What `encode` finds wrong with a value that cannot cross."""

    TOO_LARGE = "too large"
    TOO_DEEP = "too many pieces"
    TOO_LONG = "an integer of too many digits"
    NO_DATA = "neither numbers nor text"
    NO_KEYS = "keys of a mapping"
    NO_NUMBERS = "an array without numbers"
    NOT_DENSE = "no dense tensor"
    ODD_DTYPE = "a tensor of an unusual dtype"


class WireError(ValueError):
    """The value cannot cross, or the message is not one of ours; the text says which, and never quotes data."""


class Refused(WireError):
    """The value cannot cross: `refusal` says why; of NO_DATA `of` is the type's name where NAMED_TYPES has it."""

    def __init__(self, refusal: Refusal, of: str = "") -> None:
        super().__init__(f"{refusal.value}: {of}" if of else refusal.value)
        self.refusal, self.of = refusal, of


class Tensor:
    """A torch tensor as data: `array` in NumPy (bfloat16 and smaller widened to float32), its `dtype` and `device`."""

    def __init__(self, array: np.ndarray, dtype: str = "float64", device: str = "cpu") -> None:
        self.array, self.dtype, self.device = array, dtype, device

    @property
    def shape(self) -> tuple[int, ...]:
        """The array's shape."""
        return self.array.shape


def encode(
    value: object, foreign: Callable[[object], Tensor | None] = lambda value: None, most_bytes: int = MAX_BYTES
) -> bytes:
    """Bytes of a value made of None, bool, int, float, str, list, tuple, dict, its values, NumPy arrays and `Tensor`s.

    `foreign` turns a value of any other type into a `Tensor`, or gives None.
    Units   at most most_bytes in arrays and texts, MAX_NODES values, MAX_DEPTH deep.
    Errors  Refused for any other kind of value, and for one that is too large.
    """
    buffers: list[bytes | memoryview] = []
    tree = _Encoder(buffers, foreign, most_bytes).node(value, 0)
    header = json.dumps(tree, separators=(",", ":"), ensure_ascii=True).encode()
    if len(header) > MAX_HEADER_BYTES:
        raise Refused(Refusal.TOO_LARGE)
    return b"".join([MAGIC, struct.pack("<Q", len(header)), header, *buffers])


def decode(
    message: bytes, tensor: Callable[[Tensor], object] = lambda tensor: tensor, most_bytes: int = MAX_BYTES
) -> object:
    """The value of a message; in place of each `Tensor` what `tensor` makes of it.

    Errors  WireError for a message that `encode` could not have written.
    """
    start = len(MAGIC) + 8
    if not message.startswith(MAGIC) or not start <= len(message) <= start + MAX_HEADER_BYTES + most_bytes:
        raise WireError("the reply is not a message")
    (length,) = struct.unpack("<Q", message[len(MAGIC) : start])
    if length > len(message) - start:
        raise WireError("the reply is truncated")
    if length > MAX_HEADER_BYTES:
        raise WireError("the reply has too long a header")
    try:
        tree = json.loads(message[start : start + length].decode("ascii"))
    except (ValueError, RecursionError):
        raise WireError("the reply has no readable header") from None
    decoder = _Decoder(memoryview(message)[start + length :], tensor)
    value = decoder.node(tree, 0)
    if decoder.offset != len(decoder.payload):
        raise WireError("the reply has bytes to spare")
    return value


def _numbers(array: np.ndarray) -> np.ndarray:
    """An array of objects that are all Python's or NumPy's numbers, as an array of numbers; any other as it is."""
    objects = array.ravel().tolist()
    plain = all(isinstance(one, bool | int | float | np.number | np.bool_) for one in objects)
    return np.array(objects).reshape(array.shape) if plain else array


class _Encoder:
    def __init__(self, buffers: list, foreign: Callable[[object], Tensor | None], most_bytes: int) -> None:
        self.buffers, self.foreign, self.nodes, self.left = buffers, foreign, 0, most_bytes

    def node(self, value: object, depth: int) -> list:
        self.nodes += 1
        if self.nodes > MAX_NODES or depth > MAX_DEPTH:
            raise Refused(Refusal.TOO_DEEP)
        if value is None:
            return ["n"]
        if isinstance(value, bool):
            return ["b", bool(value)]
        if isinstance(value, int):
            if abs(number := int(value)) >= 10**MAX_DIGITS:
                raise Refused(Refusal.TOO_LONG)
            return ["i", str(number)]
        if isinstance(value, float):
            return ["f", struct.pack("<d", float(value)).hex()]
        if isinstance(value, str):
            self.count(len(text := str.__str__(value)))
            return ["s", text]
        if isinstance(value, (tuple, list, type({}.values()))):  # return hats.values()
            tag = "t" if isinstance(value, tuple) else "l"
            return [tag, [self.node(v, depth + 1) for v in value]]
        if isinstance(value, dict):
            if len(value) > MAX_KEYS:
                raise Refused(Refusal.TOO_DEEP)
            pairs = [[self.node(k, depth + 1), self.node(v, depth + 1)] for k, v in value.items()]
            if any(key[0] not in "nbifs" for key, _ in pairs):
                raise Refused(Refusal.NO_KEYS)
            return ["d", pairs]
        if isinstance(value, Tensor):
            return self.carried(value.array, value.dtype, value.device)
        if isinstance(value, np.generic) and value.dtype.kind in "biuf":
            return self.node(float(value) if value.dtype.kind == "f" else value.item(), depth)
        if isinstance(value, (np.ndarray, np.generic)):
            return ["a", *self.array(value)]
        tensor = self.foreign(value)
        if tensor is None:
            name = type(value).__name__
            raise Refused(Refusal.NO_DATA, name if type(name) is str and name in NAMED_TYPES else "")
        return self.carried(tensor.array, tensor.dtype, tensor.device)

    def count(self, size: int) -> None:
        self.left -= size
        if self.left < 0:
            raise Refused(Refusal.TOO_LARGE)

    def array(self, array: np.ndarray) -> list:
        array = np.asarray(array)
        if array.dtype.kind == "O" and array.size <= MAX_NODES:
            array = _numbers(array)
        if array.dtype.kind not in "biufc" or array.ndim > MAX_AXES:
            raise Refused(Refusal.NO_NUMBERS)
        self.count(array.nbytes)  # before the copy: broadcasting makes large arrays of small ones
        dtype = {"g": np.dtype("<f8"), "G": np.dtype("<c16")}.get(array.dtype.char, array.dtype.newbyteorder("<"))
        flat = np.ascontiguousarray(array, dtype=dtype).reshape(-1)
        self.buffers.append(memoryview(flat).cast("B") if flat.size else b"")
        return [dtype.str, list(array.shape)]

    def carried(self, array: np.ndarray, name: str, device: str) -> list:
        dtype, shape = self.array(array)
        if CARRIERS.get(name) != DTYPES.get(dtype, dtype) or not isinstance(device, str) or len(device) > 20:
            raise Refused(Refusal.ODD_DTYPE)
        return ["T", dtype, shape, name, device]


def _is_integer(text: str) -> bool:
    digits = text.removeprefix("-")
    return len(digits) <= MAX_DIGITS and digits.isascii() and digits.isdigit()


class _Decoder:
    def __init__(self, payload: memoryview, tensor: Callable[[Tensor], object]) -> None:
        self.payload, self.tensor, self.offset, self.nodes = payload, tensor, 0, 0

    def node(self, tree: object, depth: int) -> object:
        self.nodes += 1
        if self.nodes > MAX_NODES or depth > MAX_DEPTH:
            raise WireError("the reply has too many pieces, or is nested too deeply")
        match tree:
            case ["n"]:
                return None
            case ["b", bool(flag)]:
                return flag
            case ["i", str(digits)] if _is_integer(digits):
                return int(digits)
            case ["f", str(text)] if len(text) == 16 and HEX.issuperset(text):
                return struct.unpack("<d", bytes.fromhex(text))[0]
            case ["s", str(text)]:
                return text
            case ["l", list(items)]:
                return [self.node(v, depth + 1) for v in items]
            case ["t", list(items)]:
                return tuple(self.node(v, depth + 1) for v in items)
            case ["d", list(items)]:
                return self.mapping(items, depth)
            case ["a", str(dtype), list(shape)]:
                return self.array(dtype, shape)
            case ["T", str(dtype), list(shape), str(name), str(device)] if name in CARRIERS and len(device) <= 20:
                if DTYPES.get(dtype) != CARRIERS[name]:
                    raise WireError("the reply has a tensor whose dtypes do not agree")
                return self.tensor(Tensor(self.array(dtype, shape), name, device))
        raise WireError("the reply has an unknown piece")

    def mapping(self, items: list, depth: int) -> dict:
        out = {}
        if len(items) > MAX_KEYS:
            raise WireError("the reply has too many pieces, or is nested too deeply")
        for pair in items:
            if not isinstance(pair, list) or len(pair) != 2:
                raise WireError("the reply has a broken mapping")
            key = self.node(pair[0], depth + 1)
            if not isinstance(key, (str, int, float, bool, type(None))) or key in out:
                raise WireError("the reply has a broken mapping")
            out[key] = self.node(pair[1], depth + 1)
        return out

    def array(self, dtype: str, shape: list) -> np.ndarray:
        if dtype not in DTYPES or len(shape) > MAX_AXES or not all(type(n) is int and 0 <= n <= 2**40 for n in shape):
            raise WireError("the reply has an array of an unknown kind")
        size = math.prod(shape) * np.dtype(dtype).itemsize
        if size > len(self.payload) - self.offset:
            raise WireError("the reply is truncated")
        piece = self.payload[self.offset : self.offset + size]
        self.offset += size
        flat = np.frombuffer(piece, dtype="|u1") != 0 if dtype == "|b1" else np.frombuffer(piece, dtype=dtype).copy()
        try:
            return flat.reshape(shape)
        except ValueError:  # no number in it, and yet axes that are too long
            raise WireError("the reply has an array of an unknown kind") from None
