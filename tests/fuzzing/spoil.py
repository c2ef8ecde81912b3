"""Ways to spoil bytes and JSON: what a fuzzer does to something sound."""

import contextlib
import copy
import json
import random

SURROGATE, NUL, ESCAPE = "\ud800", "\x00", "\x1b[31m"
TEXTS = ("", "a", SURROGATE, NUL, ESCAPE, "é\u2028\u202e", "</script><script>alert(1)</script>", "x" * 5_000, "_" * 99)
NUMBERS = (0, 1, -1, 2**31, 2**63, 2**64, -(2**63), 10**400, 0.5, -0.0, 1e308, float("nan"), float("inf"))
ODD_JSON = ("1e999", "-Infinity", '{"a": 1, "a": 2}', '"\\ud800"', "[" * 5_000, '{"":{' * 400, "9" * 5_000, "nul", "")


def spoilt(data: bytes, rng: random.Random) -> bytes:
    """The bytes after up to four changes: bits flipped, pieces cut out, put in, doubled, swapped, or left out."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        size = len(out)
        at = rng.randrange(size + 1)
        width = min(size - at, rng.choice((1, 2, 8, 64, size)))
        match rng.randrange(7):
            case 0 if at < size:
                out[at] ^= 1 << rng.randrange(8)
            case 1 if at < size:
                out[at] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
            case 2:
                del out[at:]
            case 3:
                del out[at : at + width]
            case 4:
                out[at:at] = rng.randbytes(rng.choice((1, 2, 8, 64)))
            case 5:
                out[at:at] = out[at : at + min(width, 2**20)]
            case _:
                other = rng.randrange(size + 1)
                out[at : at + width] = out[other : other + width]
    return bytes(out)


def anything(rng: random.Random, depth: int = 0) -> object:
    """A value that JSON can write, of any shape."""
    kind = rng.randrange(8 if depth < 4 else 5)
    if kind == 0:
        return rng.choice((None, True, False))
    if kind <= 2:
        return rng.choice(NUMBERS)
    if kind <= 4:
        return rng.choice(TEXTS)
    if kind == 5:
        return [anything(rng, depth + 1) for _ in range(rng.randrange(4))]
    if kind == 6 or depth:
        return {rng.choice(TEXTS): anything(rng, depth + 1) for _ in range(rng.randrange(4))}
    deep: object = []
    for _ in range(rng.choice((10, 100, 600))):
        deep = [deep] if rng.random() < 0.5 else {"a": deep}
    return deep


def changed(tree: object, rng: random.Random, times: int = 1) -> object:
    """A copy of a tree of JSON in which some values were replaced, dropped, renamed, doubled, or put elsewhere."""
    out = copy.deepcopy(tree)
    for _ in range(times):
        places = list(_places(out))
        if not places:
            return anything(rng)
        holder, key = rng.choice(places)
        match rng.randrange(6):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, list):
                holder.insert(key, holder[key])
            case 1:
                holder[rng.choice(TEXTS)] = holder.pop(key)
            case 2:
                other, place = rng.choice(places)
                with contextlib.suppress(LookupError, RecursionError):  # it may be gone, or too deep by now
                    holder[key] = copy.deepcopy(other[place])
            case 3:
                holder[key] = [holder[key]]
            case _:
                holder[key] = anything(rng)
    return out


def written(tree: object, rng: random.Random) -> bytes:
    """JSON of a tree, now and then with letters as they are, and now and then of a kind that Python would not write."""
    text = json.dumps(tree, ensure_ascii=rng.random() < 0.7)
    if rng.random() < 0.1:
        text = rng.choice(ODD_JSON)
    elif rng.random() < 0.1:
        text = text.replace(rng.choice(("1", '"', "null", "{}")), rng.choice(ODD_JSON), 1)
    data = text.encode("utf-8", "surrogatepass")
    return spoilt(data, rng) if rng.random() < 0.1 else data


def _places(tree: object) -> list[tuple[dict | list, object]]:
    """Each value below a tree, as what holds it and where."""
    found, waiting = [], [tree]
    while waiting:
        holder = waiting.pop()
        if isinstance(holder, (dict, list)):
            inner = list(holder.items() if isinstance(holder, dict) else enumerate(holder))
            found += [(holder, key) for key, _ in inner]
            waiting += [value for _, value in inner]
    return found
