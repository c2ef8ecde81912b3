"""The data format: what may cross arrives unchanged, anything else is refused, and no message can do more than that."""

import json
import math
import struct
import tracemalloc

import hypothesis.extra.numpy as arrays_of
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.bridge import remote, wire
from grading.bridge.remote import encode
from grading.bridge.wire import Tensor, WireError, decode

QUICK = settings(max_examples=100, deadline=None)
KEYS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
ARRAYS = st.sampled_from(sorted(wire.DTYPES)).flatmap(
    lambda dtype: arrays_of.arrays(dtype, arrays_of.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=3))
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | ARRAYS
VALUES = st.recursive(
    LEAVES, lambda v: st.lists(v) | st.lists(v).map(tuple) | st.dictionaries(KEYS, v, max_size=4), max_leaves=12
)
TORCH_DTYPES = sorted(wire.CARRIERS)


def same(a: object, b: object) -> bool:
    """Equal in type and value, NaN included, and every array in its dtype."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return len(a) == len(b) and all(map(same, a.keys(), b.keys())) and all(map(same, a.values(), b.values()))
    return repr(a) == repr(b)


def message(tree: object, payload: bytes = b"") -> bytes:
    """A message with a header of one's own."""
    header = (tree if isinstance(tree, str) else json.dumps(tree)).encode()
    return wire.MAGIC + struct.pack("<Q", len(header)) + header + payload


def refused(broken: bytes) -> str:
    """The reason for which a message is refused, as both ends see it."""
    for read in (remote.decode, wire.decode):
        with pytest.raises(WireError) as error:
            read(broken)
    return str(error.value)


@QUICK
@given(VALUES)
def test_what_is_encoded_is_decoded_unchanged(value: object):
    assert same(decode(encode(value)), value)


@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
@pytest.mark.parametrize("name", TORCH_DTYPES)
def test_a_tensor_of_every_dtype_keeps_its_numbers_and_its_dtype(name: str):
    sent = torch.tensor([[0.0, 1.0, 2.0], [4.0, 8.0, 0.5]]).to(getattr(torch, name))
    got = decode(encode(sent))
    assert (got.dtype, got.device, got.shape) == (name, "cpu", (2, 3))
    assert (
        got.array.tolist() == sent.to(torch.float32 if "float8" in name or name == "bfloat16" else sent.dtype).tolist()
    )
    again = remote.decode(encode(sent))
    assert again.dtype == sent.dtype and again.tolist() == sent.tolist()


def test_no_dtype_of_torch_is_forgotten():
    plain = {str(d).removeprefix("torch.") for d in vars(torch).values() if isinstance(d, torch.dtype)}
    odd = {
        d
        for d in plain
        if d.startswith(("q", "bits", "float4")) or d.removeprefix("u") in {f"int{n}" for n in range(1, 8)}
    }
    assert set(TORCH_DTYPES) == plain - odd


@pytest.mark.parametrize(
    "sent",
    [
        torch.arange(6.0).reshape(2, 3).T,
        torch.arange(12.0)[::3],
        torch.tensor([1.0, 2.0]).expand(3, 2),
        torch.tensor(5.0),
        torch.zeros(0, 3),
        torch.nn.Parameter(torch.ones(2)),
        torch.ones(2, requires_grad=True) * 3,
        torch.tensor([1 + 2j, 3 - 1j]).conj(),
        torch.tensor([1 + 2j, 3 - 1j]).conj().imag,
        torch.nn.Buffer(torch.ones(2)),
        torch.ones(2).as_subclass(type("Mine", (torch.Tensor,), {"detach": lambda self: torch.zeros(2)})),
    ],
    ids="transposed strided expanded 0-d empty parameter with-history conjugated negated buffer subclass".split(),
)
def test_a_tensor_of_any_make_arrives_as_its_numbers(sent: torch.Tensor):
    plain = torch.Tensor.detach(sent).resolve_conj().resolve_neg() if type(sent) is torch.Tensor else None
    got = decode(encode(sent))
    want = plain if plain is not None else torch.ones(2)
    assert got.shape == tuple(want.shape) and got.array.tolist() == want.tolist()


@pytest.mark.parametrize(
    ("sent", "want"),
    [
        (np.arange(6).reshape(2, 3).T, [[0, 3], [1, 4], [2, 5]]),
        (np.arange(6)[::-2], [5, 3, 1]),
        (np.array([1.5, 2.5], dtype=">f8"), [1.5, 2.5]),
        (np.array([1, 2], dtype=">i4"), [1, 2]),
        (np.asfortranarray(np.array([[1.0, 2.0], [3.0, 4.0]])), [[1.0, 2.0], [3.0, 4.0]]),
        (np.broadcast_to(np.array([7.0]), (2, 2)), [[7.0, 7.0], [7.0, 7.0]]),
        (np.array([0.5], dtype=np.longdouble), [0.5]),
        (np.array([0.5j], dtype=np.clongdouble), [0.5j]),
        (np.ma.masked_array([1, 2], mask=[True, False]), [1, 2]),
        (np.array(3.0), 3.0),
        (np.zeros((0, 2)), []),
        (np.complex64(1 + 2j), 1 + 2j),
    ],
)
def test_an_array_of_any_order_in_memory_arrives_as_its_numbers(sent: np.ndarray, want: list):
    got = decode(encode(sent))
    assert type(got) is np.ndarray and got.tolist() == want and got.shape == np.shape(sent)
    assert got.flags.c_contiguous and got.flags.writeable and got.dtype.isnative


@pytest.mark.parametrize(
    ("sent", "want"),
    [
        (np.float32(0.5), 0.5),
        (np.float16(0.5), 0.5),
        (np.longdouble(0.5), 0.5),
        (np.int8(-3), -3),
        (np.uint64(2**64 - 1), 2**64 - 1),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (torch.Size([2, 3]), (2, 3)),
        (type("Pair", (tuple,), {})([1]), (1,)),
        (type("Many", (list,), {})([1]), [1]),
        (type("Text", (str,), {"__str__": lambda self: "another"})("mine"), "mine"),
        (float("-inf"), -math.inf),
        (-0.0, -0.0),
        (10**399, 10**399),
        (np.array([[1, 2.5]], dtype=object), np.array([[1.0, 2.5]])),
        (np.array([[True], [np.int8(3)]], dtype=object), np.array([[1], [3]], np.int8)),
        ("\ud800\x00é", "\ud800\x00é"),
    ],
)
def test_numbers_and_texts_of_other_makes_arrive_plain(sent: object, want: object):
    got = decode(encode(sent))
    assert same(got, want)


def test_a_subclass_of_tensors_that_answers_for_them_is_read_as_what_it_holds():
    class Lying(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            return torch.zeros(7)

    assert decode(encode(torch.ones(2).as_subclass(Lying))).array.tolist() == [1.0, 1.0]


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_a_matrix_of_numpy_arrives_as_an_array():
    assert type(decode(encode(np.matrix([[1, 2]])))) is np.ndarray


def test_a_tensor_and_an_array_are_told_apart():
    assert isinstance(decode(encode(torch.ones(1))), Tensor) and isinstance(decode(encode(np.ones(1))), np.ndarray)
    assert isinstance(remote.decode(encode(Tensor(np.ones(1)))), torch.Tensor)


def test_what_arrives_shares_no_memory_with_the_message():
    raw = bytearray(encode([np.zeros(2), np.ones(2)]))
    first, second = decode(bytes(raw))
    first[0] = 5.0
    assert second.tolist() == [1.0, 1.0]


def endless() -> dict:
    class Endless(dict):
        def items(self):
            while True:
                yield 1, 2

    return Endless()


def nested(depth: int) -> list:
    return [] if depth == 0 else [nested(depth - 1)]


def inside_itself() -> list:
    loop = []
    loop.append(loop)
    return loop


@pytest.mark.parametrize(
    "value",
    [
        object(),
        len,
        lambda: 0,
        torch,
        torch.nn.Linear(1, 1),
        torch.float32,
        1j,
        b"bytes",
        {1, 2},
        range(3),
        (n for n in ()),
        np.array([object()]),
        np.array([None, 1.0]),
        np.array(["1", 1.0], dtype=object),
        np.array([10**30, 1], dtype=object),
        np.array(["text"]),
        np.array([b"bytes"]),
        np.zeros(1, dtype=[("a", "f8")]),
        np.array(["2025-01-01"], dtype="M8[D]"),
        np.timedelta64(1, "s"),
        np.zeros((1,) * 17),
        torch.ones(2, 2).to_sparse(),
        torch.ones(2, device="meta"),
        torch.empty(2, dtype=torch.bits8),
        10**400,
        -(10**400),
        {(1, 2): 3},
        nested(40),
        inside_itself(),
        endless(),
        [0] * 100_001,
        Tensor(np.ones(1), "float32"),
        Tensor(np.ones(1), "save"),
        Tensor(np.ones(1), "float64", "a device with a very long name"),
        np.broadcast_to(np.zeros(1), (10**10,)),
        torch.zeros(1).expand(10**10),
        torch.zeros(1, dtype=torch.bfloat16).expand(10**10),
        [np.broadcast_to(np.zeros(1), (10**7,))] * 5,
        "x" * (9 * 2**20),
    ],
    ids=lambda value: type(value).__name__,
)
def test_anything_else_is_refused_by_name_and_not_by_content(value: object):
    with pytest.raises(wire.Refused) as error:
        encode(value)
    assert error.value.refusal in wire.Refusal and error.value.of in {"", *wire.NAMED_TYPES}


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_a_tensor_of_tensors_of_different_sizes_is_refused():
    with pytest.raises(WireError):
        encode(torch.nested.nested_tensor([torch.ones(1), torch.ones(2)]))


def test_a_refusal_does_not_quote_the_name_of_a_student_s_type():
    with pytest.raises(WireError) as error:
        encode(type("Secret42", (), {})())
    assert "Secret42" not in str(error.value)


class Liar:
    """Claims another class, and answers with something else."""

    def __init__(self, claimed: type, **methods: object) -> None:
        self.claimed, self.methods = claimed, methods

    @property
    def __class__(self):
        return self.claimed


@pytest.mark.parametrize("claimed", [int, float, str, tuple, list, dict, np.ndarray, np.float64, torch.Tensor, Tensor])
def test_an_object_that_lies_about_its_class_does_not_cross_as_it(claimed: type):
    with pytest.raises((WireError, TypeError, AttributeError, ValueError)):
        encode(Liar(claimed))


def test_an_integer_that_lies_about_its_size_is_measured_all_the_same():
    small = type("Small", (int,), {"__abs__": lambda self: 0, "__ge__": lambda self, other: False})
    with pytest.raises(WireError):
        encode(small(10**5000))


@QUICK
@given(st.binary(max_size=200))
def test_random_bytes_are_refused(noise: bytes):
    for prefix in (b"", wire.MAGIC, wire.MAGIC + struct.pack("<Q", len(noise))):
        refused(prefix + noise)


@settings(max_examples=250, deadline=None)
@given(VALUES, st.data())
def test_a_changed_message_is_refused_or_holds_data(value: object, data: st.DataObject):
    raw = bytearray(encode([value, Tensor(np.ones(2))]))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(raw) - 1))
        raw[place] = data.draw(st.integers(0, 255) | st.sampled_from(list(b'[]{},"0123456789-.eE')))
    if data.draw(st.booleans()):
        del raw[data.draw(st.integers(0, len(raw))) :]
    for read in (wire.decode, remote.decode):
        try:
            read(bytes(raw))
        except WireError as error:
            assert len(str(error)) < 80


TAGS = st.sampled_from(["n", "b", "i", "f", "s", "l", "t", "d", "a", "T", "x"])
ATOMS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.sampled_from(sorted(wire.DTYPES))
)
TREES = st.recursive(
    ATOMS, lambda t: st.lists(t, max_size=4) | st.builds(lambda tag, rest: [tag, *rest], TAGS, st.lists(t, max_size=4))
)


@settings(max_examples=250, deadline=None)
@given(TREES, st.binary(max_size=32))
def test_a_header_of_ones_own_is_refused_or_holds_data(tree: object, payload: bytes):
    for read in (wire.decode, remote.decode):
        try:
            read(message(tree, payload))
        except WireError as error:
            assert len(str(error)) < 80


@pytest.mark.parametrize(
    ("tree", "payload"),
    [
        (["a", "<f8", [2]], bytes(8)),  # truncated
        (["a", "<f8", [1]], bytes(9)),  # a byte to spare
        (["n"], b"\0"),
        (["a", "<f8", [10 * 2**27]], bytes(8)),  # 10 GB
        (["a", "<f8", [2**40, 2**40, 2**40]], b""),
        (["a", "<f8", [2**62, 2**2]], b""),  # 2**64, which is 0 in 64 bits
        (["a", "<f8", [0, 2**40, 2**40]], b""),  # nothing, in axes that are too long
        (["a", "<f8", [-1]], b""),
        (["a", "<f8", [-1, -1]], bytes(8)),
        (["a", "<f8", [1.0]], bytes(8)),
        (["a", "<f8", [True]], bytes(8)),
        (["a", "<f8", ["1"]], bytes(8)),
        (["a", "<f8", [1] * 17], bytes(8)),
        (["a", ">f8", [1]], bytes(8)),  # big-endian
        (["a", "|O", [1]], bytes(8)),  # objects
        (["a", "O", [1]], bytes(8)),
        (["a", "|V8", [1]], bytes(8)),
        (["a", "<U2", [1]], bytes(8)),
        (["a", "<M8[ns]", [1]], bytes(8)),
        (["a", "<f16", [1]], bytes(16)),
        (["a", "f8", [1]], bytes(8)),
        (["a", "(2,)<f8", [1]], bytes(16)),
        (["a", "<f8", [1], [0]], bytes(8)),  # strides of one's own
        (["T", "<f8", [1], "save", "cpu"], bytes(8)),
        (["T", "<f8", [1], "float32", "cpu"], bytes(8)),
        (["T", "<c16", [1], "float64", "cpu"], bytes(16)),
        (["T", "<f8", [1], "float64", "x" * 21], bytes(8)),
        (["T", "<f8", [1], "float64"], bytes(8)),
        (["d", [[["i", "1"], ["n"]], [["i", "1"], ["n"]]]], b""),  # the same key twice
        (["d", [[["i", "1"], ["n"]], [["b", True], ["n"]]]], b""),
        (["d", [[["i", "1"], ["n"]], [["f", "0x1p0"], ["n"]]]], b""),
        (["d", [[["l", []], ["n"]]]], b""),  # a list as a key
        (["d", [[["n"]]]], b""),
        (["d", [["n", "n"]]], b""),
        (["d", {}], b""),
        (["i", "1e3"], b""),
        (["i", "٣"], b""),
        (["i", "--1"], b""),
        (["i", "-"], b""),
        (["i", ""], b""),
        (["i", "1_0"], b""),
        (["i", "9" * 402], b""),
        (["i", 1], b""),
        (["f", 1.0], b""),
        (["f", "one"], b""),
        (["f", "0x1p99999"], b""),
        (["b", 1], b""),
        (["s", None], b""),
        (["x"], b""),
        ([], b""),
        ({}, b""),
        (None, b""),
        ("n", b""),
        ('{"a": 1, "a": 2}', b""),
        ('["f", NaN]', b""),
        ('["i", ' + "9" * 5000 + "]", b""),
        ("[" * 100_000, b""),
        ('["l",[' * 40 + "]]" * 40, b""),
        ('["l",[' * 1000 + "]]" * 1000, b""),
        ('["l",[' + '["n"],' * 100_000 + '["n"]]]', b""),
        ('["s", "\xff"]', b""),
    ],
    ids=lambda piece: str(piece)[:40] if not isinstance(piece, bytes) else str(len(piece)),
)
def test_a_message_that_encode_could_not_have_written_is_refused(tree: object, payload: bytes):
    assert len(refused(message(tree, payload))) < 80


@pytest.mark.parametrize("cut", range(0, 60, 5))
def test_a_truncated_message_is_refused(cut: int):
    whole = encode({"value": [np.arange(3.0), "text"]})
    refused(whole[:cut])
    refused(whole[: len(whole) - cut - 1])


@pytest.mark.parametrize("length", [2**63, 2**64 - 1, 10 * 2**30, 1])
def test_a_header_of_a_false_length_is_refused(length: int):
    refused(wire.MAGIC + struct.pack("<Q", length) + b'["n"]')


def test_a_header_beyond_its_limit_is_refused_before_it_is_read():
    assert decode(message(["s", "x" * (wire.MAX_HEADER_BYTES - 10)]))
    refused(message(["s", "x" * wire.MAX_HEADER_BYTES]))


@pytest.mark.parametrize("piece", ["[],", "{},", '"ab",', "1.5,", '["n"],', '["l",[]],'])
def test_reading_a_message_takes_memory_in_proportion_to_it(piece: str):
    broken = message("[" + piece * (100_000 // len(piece)) + "[]]")
    tracemalloc.start()
    refused(broken)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40 * len(broken)


def test_a_claim_of_ten_gigabytes_takes_no_memory():
    tracemalloc.start()
    refused(message(["l", [["a", "<f8", [2**27, 10]]] * 3]))
    with pytest.raises(WireError):
        encode(np.broadcast_to(np.zeros(1), (10**10,)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20


def test_a_truth_value_of_another_byte_than_0_and_1_is_made_1():
    got = decode(message(["a", "|b1", [3]], b"\x00\x02\xff"))
    assert got.tolist() == [False, True, True] and got.view(np.uint8).tolist() == [0, 1, 1]


def test_nan_of_any_bits_arrives_as_nan():
    odd = struct.unpack("<d", b"\x01\x00\x00\x00\x00\x00\xf4\xff")[0]
    got = decode(encode({"a": odd, "b": np.array([odd])}))
    assert math.isnan(got["a"]) and np.isnan(got["b"]).all()


def test_the_values_of_a_mapping_cross_as_a_list():
    assert decode(encode({"K": 1.0, "Q": [2]}.values())) == [1.0, [2]]
