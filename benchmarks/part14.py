"""Puts what decode.py measured into part 14: numbers into the data of its figure, a paragraph into its closing words.

    python benchmarks/part14.py [benchmarks/results/decode-cpu.csv]

A student has the release alone, so the numbers stand in it; tests compare them with the CSV file. Without an argument
the file measured on a GPU is taken, and where there is none the CPU's. Then run `make release`.
"""

import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import nbformat
from csv_table import RESULTS
from decode_picture import best, read, short

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent / "source" / "attention"
NOTEBOOK, DATA = SOURCE / "part14.ipynb", SOURCE / "attention_course" / "part14_data.py"
BLOCK = re.compile(r"# BEGIN measured.*?# END measured\n", re.DOTALL)
PARAGRAPH = re.compile(r"^\*\*Measured\.\*\* .*$", re.MULTILINE)
# Of GQA with G = 1: what it keeps, and why it is ahead of MLA; by whether it keeps less.
SINGLE = {
    False: (
        "as many numbers as MLA",
        "It is ahead of MLA because its keys and values are $d$ numbers wide and not $r$, so it multiplies less.",
    ),
    True: (
        "half as many numbers as MLA",
        "It is ahead of MLA because it has less to read: half as many numbers, and each once, where PyTorch's products "
        "read the latents twice, as keys and as values. A program that is written for MLA alone can read them once.",
    ),
}
SHOWN = ("MHA", "GQA, G = 4", "GQA, G = 1", "MLA rebuilt", "MLA reduced")


def latest() -> Path:
    """The file to use: a GPU's if there is one."""
    on_gpu = RESULTS / "decode-cuda.csv"
    return on_gpu if on_gpu.exists() else RESULTS / "decode-cpu.csv"


def chosen(lines: list[dict[str, str]]) -> tuple[str, str]:
    """The dtype shown and the column: bfloat16 and tokens a second from a GPU, float32 and ratios from a CPU."""
    return ("bfloat16", "tokens_a_second") if lines[0]["tokens_a_second"] else ("float32", "of_shortest_mha")


def block(lines: list[dict[str, str]], name: str) -> str:
    """The lines of Python that the figure's data hold."""
    dtype, column = chosen(lines)
    first, found = lines[0], best(lines, dtype, column)
    contexts = sorted(found["MHA"])
    unit = "tokens a second" if column == "tokens_a_second" else "speed (MHA at 1k = 1)"
    layer = ", ".join(f"{letter} = {first[letter]}" for letter in "Hdr")
    texts = f", {first['B']} texts at once" if int(first["B"]) > 1 else ""
    out = [
        f"# BEGIN measured: benchmarks/results/{name}, put here by benchmarks/part14.py",
        f"DEVICE, DATE = {_text(first['device'])}, {_text(first['date'])}",
        f"LAYER = {_text(f'{layer}, {dtype}{texts}')}",
        f"UNIT, CONTEXTS = {_text(unit)}, {contexts}",
        "SPEEDS = {",
    ]
    for variant in (v for v in SHOWN if v in found):
        out.append(f"    {_text(variant)}: {[_number(found[variant][c]) for c in contexts if c in found[variant]]},")
    return "\n".join([*out, "}", "# END measured", ""])


def paragraph(lines: list[dict[str, str]]) -> str:
    """What the closing words say of the measurement, at the longest context at which all that is shown was measured."""
    dtype, _ = chosen(lines)
    first, speeds = lines[0], best([line for line in lines if line["of_mha"]], dtype, "of_mha")
    context = max(set.intersection(*(set(speeds[variant]) for variant in SHOWN if variant in speeds)))
    kept = {line["variant"]: int(line["cache_bytes_a_token"]) for line in lines if line["dtype"] == dtype}
    fewer = kept["MHA"] / kept["MLA reduced"]
    layer = ", ".join(f"${letter} = {first[letter]}$" for letter in "Hdr")
    texts = f", for {first['B']} texts at once" if int(first["B"]) > 1 else ""
    times = {variant: f"{speeds[variant][context]:.2g}" for variant in SHOWN if variant in speeds}
    whose, why = SINGLE[kept["GQA, G = 1"] < kept["MLA reduced"]]
    words = (
        f"**Measured.** One step of one layer with {layer} in {dtype}{texts}, on {first['device']}, {first['date']}: "
        f"with {short(context)} tokens in the cache, MLA in the reduced form keeps {fewer:g} times fewer numbers than "
        f"MHA and makes {times['MLA reduced']} times as many tokens a second. MLA that keeps the same $r$ numbers but "
        f"multiplies keys and values out again at every step makes {times['MLA rebuilt']} times as many: it is the "
        f"reduced form that turns a small cache into speed. GQA with $G = 1$ keeps {whose} here and makes "
        f"{times['GQA, G = 1']} times as many tokens a second as MHA. {why} What the wider latent buys is not speed: "
        f"each head of MLA makes its own key and value of {first['d']} numbers out of all {first['r']}, while the "
        "heads of this GQA share one of each."
    )
    if not first["tokens_a_second"]:
        words += (
            " The CPU was shared with other programs, and repetitions differ by up to a quarter. "
            "This step has not been measured on a GPU yet."
        )
    return words


def embed(path: Path, notebook: Path = NOTEBOOK, data: Path = DATA) -> None:
    """Writes what a CSV file says into the figure's data and the notebook, in place of what they say now."""
    lines, found = read(path), nbformat.read(notebook, as_version=4)
    data.write_text(_replaced(BLOCK, block(lines, path.name), data.read_text(encoding="utf-8")), encoding="utf-8")
    for cell in found.cells:
        if cell.id == "part14-beyond":
            cell.source = _replaced(PARAGRAPH, paragraph(lines), cell.source)
    notebook.write_text(nbformat.writes(found) + "\n", encoding="utf-8")


def _replaced(pattern: re.Pattern, new: str, text: str) -> str:
    if len(pattern.findall(text)) != 1:
        raise ValueError(f"part 14 must hold {pattern.pattern!r} once")
    return pattern.sub(lambda _: new, text)


def _number(value: float) -> float:
    return int(value) if value == int(value) >= 100 else value


def _text(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def main() -> int:
    """Puts in what the file given says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, nargs="?", help="the CSV file (default: a GPU's, if there is one)")
    source = parser.parse_args().file or latest()
    if not source.is_file():
        parser.error(f"there is no file {source}. benchmarks/decode.py writes one.")
    embed(source)
    print(f"part14: numbers of {source.name}. Run `make release`.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
