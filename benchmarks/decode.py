"""What MLA is for: one step of generation in one layer, by context length, for MHA, GQA and MLA.

    python benchmarks/decode.py [--device cpu|cuda] [--longest 16384] [--gigabytes 0.15] [--folder benchmarks/results]

First each variant generates some tokens and must give what its definition gives. Then, in turns within one run, a step
of each is timed at contexts of 1024 tokens and doubled from there as far as memory allows, in bfloat16 and float32; on
a GPU as CUDA graphs, and in bfloat16 for several numbers of texts at once. Next to them a copy is timed. Medians go to
a CSV file and figures. A table says how fast each form reads what it has cached, as a share of what was read or copied
fastest. Steps per second of one layer are no model's speed. On a CPU sizes are small, what is timed is the computing
time of one thread, which a busy machine changes least, and only ratios are kept: MHA at the shortest context, in the
same dtype, is 1.
"""

import argparse
import csv
import datetime
import functools
import itertools
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import decode_picture
import torch
import variants
from csv_table import RESULTS
from turns import captured, timed
from variants import Shape

DTYPES = {"bfloat16": torch.bfloat16, "float32": torch.float32}
SERVED = "bfloat16"  # what models generate in; for this one each number of texts at once is measured
TOLERANCE = {"bfloat16": 5e-2, "float32": 1e-4}  # of the largest number; sums of a thousand rounded terms
SHORTEST = 1024
COPY_SHARE = 0.5  # of the numbers at hand, at most, that the copy reads, and as many again that it writes
COPY_BYTES = 2**30


@dataclass(frozen=True)
class Setting:
    """What is measured: sizes, texts at once, key/value heads of GQA, and how long at least one timing takes.

    The figures by context show `B` texts at once; `batches` are the other numbers of them.
    """

    shape: Shape
    B: int
    Gs: tuple[int, ...]
    least_s: float
    rounds: int
    operators: tuple[str, ...] = ("sdpa", "matmul")
    batches: tuple[int, ...] = ()
    copies: int = 1  # of what a rebuilt step makes, for which room is needed next to it


SETTINGS = {
    "cpu": Setting(Shape(H=16, d=64, r=128), B=1, Gs=(4, 1), least_s=0.01, rounds=5),
    "cuda": Setting(
        Shape(H=32, d=128, r=512),
        B=16,
        Gs=(8, 4, 1),
        least_s=0.01,
        rounds=5,
        batches=(1, 4, 64),
        copies=2,
    ),
}


@dataclass(frozen=True)
class Row:
    """A line of the CSV file. Absolute figures are None on a CPU; the ratios are to a copy, and to MHA."""

    date: str
    device: str
    torch: str
    dtype: str
    variant: str
    operator: str
    context: int
    B: int
    H: int
    d: int
    r: int
    G: int | None
    cache_bytes_a_token: int
    read_bytes_a_step: int  # cache and weights, each once; what a rebuilt step makes and reads again is not counted
    step_us: float | None
    tokens_a_second: float | None
    bytes_a_second: float | None
    copy_bytes_a_second: float | None
    of_copy: float
    of_mha: float | None  # tokens a second, of MHA's at this context
    of_shortest_mha: float  # of MHA's at the shortest context


class Wrong(Exception):
    """A variant does not give what its definition gives; nothing is timed then."""


def check(setting: Setting, device: torch.device, dtype: str, tokens: int = 3) -> float:
    """The largest miss of any variant with any operator, of the largest number; Wrong if it is too large."""
    worst = 0.0
    x = torch.randn(2, tokens, setting.shape.D, generator=torch.Generator().manual_seed(1))
    for variant in variants.all_of(setting.shape, list(setting.Gs), device, DTYPES[dtype]):
        want = variants.by_definition(variant, x.to(device, DTYPES[dtype]))
        for name in setting.operators:
            got = variants.generated(variant, variants.step_of(variant, name), x.to(device, DTYPES[dtype]))
            miss = float((got - want).abs().max() / want.abs().max())
            if not miss < TOLERANCE[dtype]:
                raise Wrong(f"{variant.name} with {name} in {dtype} misses its definition by {miss:.1e}.")
            worst = max(worst, miss)
    same = [variants.by_definition(v, x.double().to(device)) for v in _mla(setting, device)]
    if any((other - same[0]).abs().max() > 1e-9 * same[0].abs().max() for other in same):
        raise Wrong("MLA vanilla, rebuilt and reduced do not give the same outputs.")
    return worst


def _mla(setting: Setting, device: torch.device) -> list[variants.Variant]:
    return variants.all_of(setting.shape, [], device, torch.float64)[1:]


def measure(setting: Setting, device: torch.device, dtype: str, gigabytes: float, longest: int) -> Iterator[dict]:
    """The measured steps of a dtype, a context after the other: variant, operator, seconds; and the copy's.

    All caches lie, one at a time, in the same numbers, so that the longest alone needs to fit.
    """
    size = torch.finfo(DTYPES[dtype]).bits // 8
    numbers = torch.empty(int(gigabytes * 1e9) // size, device=device, dtype=DTYPES[dtype])
    numbers.normal_(generator=torch.Generator(device).manual_seed(2))
    half = min(int(numbers.numel() * COPY_SHARE), COPY_BYTES // size)
    made = variants.all_of(setting.shape, list(setting.Gs), device, DTYPES[dtype])
    x = torch.randn(setting.B, setting.shape.D, generator=torch.Generator().manual_seed(3)).to(device, DTYPES[dtype])
    steps = {(v, name): variants.step_of(v, name) for v in made for name in setting.operators}
    for context in (SHORTEST * 2**n for n in itertools.count()):
        room = numbers.numel() // (setting.B * context)
        fit = [v for v in made if v.cached + setting.copies * v.rebuilt <= room]
        if context > longest or not fit:
            return
        jobs: dict[tuple, Callable[[], object]] = {("copy", ""): lambda: numbers[:half].copy_(numbers[-half:])}
        for variant, name in itertools.product(fit, setting.operators):
            jobs[variant, name] = functools.partial(
                steps[variant, name], x, *variant.cache(numbers, setting.B, context)
            )
        try:
            agree(fit, setting, jobs, dtype, context)
            if device.type == "cuda":
                pool = torch.cuda.graph_pool_handle()
                jobs |= {key: captured(job, pool) for key, job in jobs.items() if key[0] != "copy"}
            taken = timed(jobs, device, setting.least_s, setting.rounds)
        except torch.OutOfMemoryError:
            print(f"{dtype}: context {context} does not fit: memory for what is made on the way is missing.")
            return
        for (variant, name), seconds in taken.items():
            if variant != "copy":
                yield {"variant": variant, "operator": name, "context": context, "s": seconds}
            else:
                yield {"copy": 2 * half * size / seconds, "context": context}


def agree(fit: list, setting: Setting, jobs: dict[tuple, Callable], dtype: str, context: int) -> None:
    """Wrong if the operators do not give one output on one cache, as where an operator meets sizes too large for it."""
    for variant in fit:
        first, *others = (jobs[variant, name]().float() for name in setting.operators)
        for other, name in zip(others, setting.operators[1:], strict=True):
            miss = float((other - first).abs().max() / first.abs().max())
            if not miss < TOLERANCE[dtype]:
                text = f"{variant.name} with {name} in {dtype} differs by {miss:.1e} from {setting.operators[0]}"
                raise Wrong(f"{text}, {context} tokens cached.")


def rows(setting: Setting, device: torch.device, dtype: str, found: list[dict]) -> list[Row]:
    """The lines of the CSV file for what was measured in one dtype."""
    size = torch.finfo(DTYPES[dtype]).bits // 8
    copy = {f["context"]: f["copy"] for f in found if "copy" in f}
    steps = [f for f in found if "s" in f]
    mha = {f["context"]: f["s"] for f in sorted(steps, key=lambda f: -f["s"]) if f["variant"].name == "MHA"}
    shortest = mha[min(mha)]
    out = []
    for f in steps:
        variant, context, s = f["variant"], f["context"], f["s"]
        read = size * (setting.B * context * variant.cached + sum(W.numel() for W in variant.weights))
        absolute = device.type == "cuda"
        out.append(
            Row(
                date=datetime.date.today().isoformat(),
                device=name_of(device),
                torch=torch.__version__,
                dtype=dtype,
                variant=variant.name,
                operator=f["operator"],
                context=context,
                B=setting.B,
                H=setting.shape.H,
                d=setting.shape.d,
                r=setting.shape.r,
                G=variant.G,
                cache_bytes_a_token=variant.cached * size,
                read_bytes_a_step=read,
                step_us=_three(s * 1e6) if absolute else None,
                tokens_a_second=_three(setting.B / s) if absolute else None,
                bytes_a_second=_three(read / s) if absolute else None,
                copy_bytes_a_second=_three(copy[context]) if absolute else None,
                of_copy=_three(read / s / copy[context]),
                of_mha=_three(mha[context] / s) if context in mha else None,
                of_shortest_mha=_three(shortest / s),
            )
        )
    return out


def measured(setting: Setting, device: torch.device, gigabytes: float, longest: int) -> list[Row]:
    """The lines of the CSV file: both dtypes, all numbers of texts at once; says what is done.

    Errors  Wrong if a variant does not give what its definition gives.
    """
    lines: list[Row] = []
    for dtype in DTYPES:
        worst = check(setting, device, dtype)
        print(f"{dtype}: every variant gives what its definition gives, to {worst:.0e} of the largest number.")
        for B in (setting.B, *(setting.batches if dtype == SERVED else ())):
            found = []
            for step in measure(replace(setting, B=B), device, dtype, gigabytes, longest):
                found.append(step)
                if "copy" in step:
                    print(f"{dtype}, {B} at once: context {step['context']} measured", flush=True)
            if found:
                lines += rows(replace(setting, B=B), device, dtype, found)
    return lines


def shares(lines: list[Row]) -> str:
    """A table: of the bytes that were read or copied fastest, the share that each variant's best operator reaches.

    For each number of texts at once, at the longest context that all numbers of texts have; the first dtype alone.
    """
    dtype = lines[0].dtype
    batches = sorted({line.B for line in lines if line.dtype == dtype})
    out = [f"{dtype}: share of the fastest reading" + "".join(f"{f'B = {B}':>9}" for B in batches)]
    for name, (context, best) in decode_picture.of_fastest([asdict(line) for line in lines], dtype).items():
        at = f"{name}, {decode_picture.short(context)} tokens"
        out.append(f"{at:<36}" + "".join(f"{share:>9.2f}" for share in best))
    return "\n".join(out)


def name_of(device: torch.device) -> str:
    """The device in words, without anything that tells whose machine it is."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"CPU ({platform.machine()}, one thread)"


def _three(number: float) -> float:
    """Three digits, which is more than a repetition keeps."""
    return float(f"{number:.3g}")


def write(path: Path, lines: list[Row]) -> None:
    """Writes the CSV file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, list(asdict(lines[0])), lineterminator="\n")
        out.writeheader()
        out.writerows(asdict(line) for line in lines)


def main(arguments: list[str] | None = None) -> int:
    """Checks, measures, writes; exit status 1 and one line for what can be fixed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=list(SETTINGS), default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--longest", type=int, help="the longest context (default: 16384 on a CPU, 2**20 on a GPU)")
    parser.add_argument("--gigabytes", type=float, help="for a cache (default: 0.15; on a GPU 0.3 of what is free)")
    parser.add_argument("--folder", type=Path, default=RESULTS, help="where the CSV file and the figures go")
    chosen = parser.parse_args(arguments)
    if chosen.device == "cuda" and not torch.cuda.is_available():
        print("decode: PyTorch sees no CUDA device here. Leave --device away, or run on a machine with one.")
        return 1
    device = torch.device(chosen.device)
    setting = SETTINGS[chosen.device]
    on_gpu = device.type == "cuda"
    longest = chosen.longest or (2**20 if on_gpu else 2**14)
    gigabytes = chosen.gigabytes or (0.3 * torch.cuda.mem_get_info()[0] / 1e9 if on_gpu else 0.15)
    if longest < SHORTEST or gigabytes * 1e9 < SHORTEST * setting.B * setting.shape.D * 8:
        print(f"decode: nothing fits. Give --longest {SHORTEST} or more, and --gigabytes for one cache of MHA's.")
        return 1
    if not on_gpu:
        torch.set_num_threads(1)
    try:
        with torch.no_grad():
            lines = measured(setting, device, gigabytes, longest)
    except Wrong as wrong:
        print(f"decode: {wrong} Nothing is written.")
        return 1
    path = chosen.folder / f"decode-{chosen.device}.csv"
    write(path, lines)
    print(shares(lines))
    for made in (path, decode_picture.models(chosen.folder), decode_picture.speeds(path), *decode_picture.shares(path)):
        print(f"written: {made.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
