"""One step of generation: variants against their definition, what is measured and written, part 14's use of it."""

import csv
import re
import statistics
import sys
from dataclasses import replace
from pathlib import Path

import course_module  # noqa: F401  (finds attention_course)
import nbformat
import pytest
import torch
from attention_course import part14_data
from matplotlib.image import imread

from attention.course import COURSE
from dev.packages import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "benchmarks"))

import decode
import decode_picture
import part14
import published
import turns
import variants

CPU = torch.device("cpu")
TINY = decode.Setting(variants.Shape(H=6, d=4, r=5), B=2, Gs=(3, 1), least_s=1e-4, rounds=3)
KEPT = {"MHA": 48, "GQA, G = 3": 24, "GQA, G = 1": 8, "MLA vanilla": 48, "MLA rebuilt": 5, "MLA reduced": 5}
PAGE = " ".join((REPOSITORY / "docs" / "performance.md").read_text(encoding="utf-8").split())
RESULTS = sorted((REPOSITORY / "benchmarks" / "results").glob("decode-*.csv"))


def made() -> list[variants.Variant]:
    return variants.all_of(TINY.shape, list(TINY.Gs), CPU, torch.float64)


@pytest.mark.parametrize("operator", variants.OPERATORS)
@pytest.mark.parametrize("variant", made(), ids=lambda variant: variant.name)
def test_token_by_token_a_variant_gives_what_its_definition_gives(variant: variants.Variant, operator: str):
    x = torch.randn(2, 5, TINY.shape.D, dtype=torch.float64, generator=torch.Generator().manual_seed(5))
    got = variants.generated(variant, variants.step_of(variant, operator), x)
    torch.testing.assert_close(got, variants.by_definition(variant, x), rtol=1e-9, atol=1e-12)


def test_the_definition_pairs_query_head_h_with_key_head_h_mod_G():
    W_Q, W_K = torch.zeros(4, 4, dtype=torch.float64), torch.tensor([[0.0] * 4, [0.0] * 4], dtype=torch.float64)
    W_V = torch.tensor([[2.0, 0, 0, 0], [5.0, 0, 0, 0]], dtype=torch.float64)  # head 0 gives 2, head 1 gives 5
    variant = variants.Separate("GQA", variants.Shape(H=4, d=1, r=1), 2, W_Q, W_K, W_V, torch.eye(4).double())
    x = torch.ones(1, 1, 4, dtype=torch.float64)
    assert variants.by_definition(variant, x).flatten().tolist() == [2.0, 5.0, 2.0, 5.0]
    step = variants.step_of(variant, "sdpa")
    assert variants.generated(variant, step, x).flatten().tolist() == [2.0, 5.0, 2.0, 5.0]


def test_vanilla_rebuilt_and_reduced_are_one_function():
    x = torch.randn(1, 4, TINY.shape.D, dtype=torch.float64, generator=torch.Generator().manual_seed(6))
    vanilla, rebuilt, reduced = (variants.by_definition(variant, x) for variant in made()[-3:])
    torch.testing.assert_close(rebuilt, vanilla)
    torch.testing.assert_close(reduced, vanilla)


def test_a_variant_keeps_as_many_numbers_as_it_says():
    for variant in made():
        numbers = torch.zeros(10_000, dtype=torch.float64)
        cache = variant.cache(numbers, 2, 7)
        assert sum(part.numel() for part in cache) == 2 * 7 * variant.cached
        for part in cache:
            part.fill_(1.0)
        assert numbers.sum() == 2 * 7 * variant.cached, "no two parts of a cache overlap"
    assert {variant.name: variant.cached for variant in made()} == KEPT


@pytest.mark.parametrize("dtype", decode.DTYPES)
def test_the_check_passes_right_variants_and_stops_a_wrong_one(dtype: str, monkeypatch: pytest.MonkeyPatch):
    assert decode.check(TINY, CPU, dtype) < decode.TOLERANCE[dtype]
    monkeypatch.setitem(variants.OPERATORS, "matmul", lambda q, k, v: torch.softmax(q @ k.mT, dim=3) @ v)  # no root
    with pytest.raises(decode.Wrong, match=f"MHA with matmul in {dtype} misses its definition by"):
        decode.check(TINY, CPU, dtype)


@pytest.fixture(scope="module")
def measured() -> list[decode.Row]:
    with torch.no_grad():
        found = list(decode.measure(TINY, CPU, "float32", gigabytes=1.6e-3, longest=4096))
    return decode.rows(TINY, CPU, "float32", found)


def test_operators_that_differ_on_a_long_cache_are_not_timed(monkeypatch: pytest.MonkeyPatch):
    def short_sighted(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return variants.sdpa(q, k[:, :, -1500:], v[:, :, -1500:])

    monkeypatch.setitem(variants.OPERATORS, "matmul", short_sighted)
    found = decode.measure(TINY, CPU, "float32", gigabytes=1.6e-3, longest=2048)
    with (
        torch.no_grad(),
        pytest.raises(decode.Wrong, match="MHA with matmul in float32 differs .*, 2048 tokens cached"),
    ):
        assert {step["context"] for step in found} == {1024}


def test_contexts_double_until_memory_or_the_limit_ends_them(measured: list[decode.Row]):
    contexts: dict[str, set[int]] = {}
    for row in measured:
        contexts.setdefault(row.variant, set()).add(row.context)
    # There are 400,000 numbers. Two texts of 4096 tokens take 393,216 of them for MHA, 48 a token. A rebuilt step needs
    # room for 53 a token, its 5 and the keys and values that it makes of them.
    assert contexts["MHA"] == contexts["MLA reduced"] == {1024, 2048, 4096}
    assert contexts["MLA rebuilt"] == {1024, 2048}


def test_on_a_cpu_there_are_ratios_only(measured: list[decode.Row]):
    for row in measured:
        assert row.step_us is row.tokens_a_second is row.bytes_a_second is row.copy_bytes_a_second is None
        assert row.of_copy > 0 and row.of_mha > 0 and row.of_shortest_mha > 0
        assert row.cache_bytes_a_token == 4 * KEPT[row.variant]
    best = {
        row.context: max(r.of_mha for r in measured if r.variant == "MHA" and r.context == row.context)
        for row in measured
    }
    assert set(best.values()) == {1.0}
    assert max(row.of_shortest_mha for row in measured if row.variant == "MHA" and row.context == 1024) == 1.0


def test_rows_are_what_the_seconds_say():
    mha, *_, reduced = variants.all_of(TINY.shape, [], CPU, torch.float32)
    steps = [(mha, "sdpa", 1024, 2.0), (mha, "matmul", 1024, 4.0), (reduced, "sdpa", 1024, 0.5)]
    steps += [(mha, "sdpa", 2048, 8.0), (reduced, "sdpa", 2048, 1.0)]
    found = [{"variant": v, "operator": o, "context": c, "s": s} for v, o, c, s in steps]
    found += [{"copy": 1e6, "context": 1024}, {"copy": 2e6, "context": 2048}]
    rows = decode.rows(TINY, CPU, "float32", found)
    assert [row.of_mha for row in rows] == [1.0, 0.5, 4.0, 1.0, 8.0]
    assert [row.of_shortest_mha for row in rows] == [1.0, 0.5, 4.0, 0.25, 2.0]
    read = 4 * (2 * 1024 * 48 + 4 * 24 * 24)  # the cache of two texts and the four weights, in float32
    assert rows[0].read_bytes_a_step == read
    later = 4 * (2 * 2048 * 5 + 5 * 24 + 2 * 24 * 6 * 5)  # latents; of the weights one (5, 24) and two (24, 30)
    assert rows[0].of_copy == float(f"{read / 2.0 / 1e6:.3g}")
    assert rows[4].of_copy == float(f"{later / 1.0 / 2e6:.3g}")


def test_jobs_take_turns_and_the_median_counts(monkeypatch: pytest.MonkeyPatch):
    clock, order = [0.0], []
    monkeypatch.setattr(turns.time, "thread_time", lambda: clock[0])
    lasts = {"a": iter([1, 1, 2, 9, 3]), "b": iter([1, 1, 5, 5, 50])}  # the first two: loading, and how long it takes

    def job(name: str) -> None:
        order.append(name)
        clock[0] += next(lasts[name])

    jobs = {(name, ""): lambda name=name: job(name) for name in lasts}
    assert turns.timed(jobs, CPU, least_s=1e-4, rounds=3) == {("a", ""): 3.0, ("b", ""): 5.0}
    assert "".join(order[2:]) == "ab" * 4


def test_the_command_writes_a_csv_and_two_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setitem(decode.SETTINGS, "cpu", replace(TINY, operators=("sdpa",)))
    threads = torch.get_num_threads()
    assert decode.main(["--device", "cpu", "--longest", "2048", "--gigabytes", "0.002", "--folder", str(tmp_path)]) == 0
    torch.set_num_threads(threads)
    lines = decode_picture.read(tmp_path / "decode-cpu.csv")
    assert {(line["dtype"], line["context"]) for line in lines} == {
        (dtype, context) for dtype in ("bfloat16", "float32") for context in ("1024", "2048")
    }
    assert all(line["device"].startswith("CPU") and line["date"] for line in lines)
    for name in ("cache-bytes.png", "decode-cpu.png"):
        picture = imread(tmp_path / name)
        assert picture.shape[1] > 800 and picture[:, :, :3].std() > 0.05
    assert "every variant gives what its definition gives" in capsys.readouterr().out


def test_several_numbers_of_texts_at_once_go_to_the_csv_a_table_and_a_figure_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    monkeypatch.setitem(decode.SETTINGS, "cpu", replace(TINY, operators=("sdpa",), batches=(1, 4)))
    threads = torch.get_num_threads()
    chosen = ["--device", "cpu", "--longest", "2048", "--gigabytes", "0.002", "--folder", str(tmp_path)]
    assert decode.main(chosen) == 0
    torch.set_num_threads(threads)
    lines = decode_picture.read(tmp_path / "decode-cpu.csv")
    assert [line["B"] for line in lines[:1]] == ["2"] and {line["B"] for line in lines} == {"1", "2", "4"}
    assert {line["B"] for line in lines if line["dtype"] == "float32"} == {"2"}
    mha = [line for line in lines if (line["dtype"], line["variant"]) == ("bfloat16", "MHA")]
    assert {line["B"]: line["of_shortest_mha"] for line in mha if line["context"] == "1024"} == dict.fromkeys(
        "124", "1.0"
    )
    best = decode_picture.best(lines, "bfloat16", "of_copy")["MHA"][1024]
    assert best == max(float(li["of_copy"]) for li in mha if (li["B"], li["context"]) == ("2", "1024"))
    table = capsys.readouterr().out.partition("share of the fastest reading")[2].splitlines()
    assert table[0].split() == ["B", "=", "1", "B", "=", "2", "B", "=", "4"]
    assert table[1].startswith("MHA, ") and len(table[1].split()) == 6
    picture = imread(tmp_path / "decode-cpu-batches.png")
    assert picture.shape[1] > 800 and picture[:, :, :3].std() > 0.02


@pytest.mark.parametrize("wrong", [["--longest", "1000"], ["--gigabytes", "0.001"]], ids=" ".join)
def test_where_nothing_fits_one_line_says_so(wrong: list[str], capsys: pytest.CaptureFixture):
    assert decode.main(["--device", "cpu", *wrong]) == 1
    printed = capsys.readouterr().out
    assert printed.startswith("decode: nothing fits.") and printed.count("\n") == 1


def test_a_gpu_that_is_not_there_is_named_in_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert decode.main(["--device", "cuda"]) == 1
    assert capsys.readouterr().out.startswith("decode: PyTorch sees no CUDA device here.")


def test_published_models_cache_what_was_worked_out_by_hand():
    kib = {model.name: model.used_bytes() / 1024 for model in published.MODELS}
    assert kib == {
        "LLaMA 7B": 512.0,  # 2 x 32 heads x 128 x 32 layers x 2 bytes
        "Mistral 7B": 128.0,
        "Llama 2 70B": 320.0,
        "Llama 3 405B": 504.0,
        "DeepSeek-V2 236B": 67.5,  # (512 + 64) x 60 layers x 2 bytes
        "DeepSeek-V3 671B": 68.625,
    }


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.name)
def test_a_csv_in_results_is_whole_and_names_device_and_date(path: Path):
    lines = decode_picture.read(path)
    assert list(lines[0]) == list(decode.Row.__dataclass_fields__)
    with_gpu = path.stem.endswith("cuda")
    assert len({(line["device"], line["date"], line["torch"]) for line in lines}) == 1
    for line in lines:
        assert line["device"].startswith("CPU") != with_gpu
        assert bool(line["tokens_a_second"]) == bool(line["copy_bytes_a_second"]) == with_gpu
    assert path.with_suffix(".png").exists() and path.with_name("cache-bytes.png").exists()


# Part 14


def cell(name: str, step: str = "source") -> str:
    notebook = nbformat.read(REPOSITORY / step / COURSE.name / "part14.ipynb", as_version=4)
    return next(c.source for c in notebook.cells if c.id == name)


def test_part_14_shows_the_numbers_of_the_csv_and_says_which_device():
    path = part14.latest()
    lines = decode_picture.read(path)
    assert part14.block(lines, path.name) in part14.DATA.read_text(encoding="utf-8")
    assert part14.paragraph(lines) in cell("part14-beyond").splitlines()
    assert lines[0]["device"] in part14.paragraph(lines)


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.name)
def test_the_page_on_performance_says_what_the_csv_says(path: Path):
    lines = decode_picture.read(path)
    said = re.search(r"with (\S+) tokens in the cache.*keeps (\S+) times.*?makes (\S+) times", part14.paragraph(lines))
    context, fewer, faster = said.groups()
    kept = f"the reduced form keeps {fewer} times fewer numbers and makes {faster} times as many tokens a second as MHA"
    assert f"ith {context} tokens cached, {kept}" in PAGE and lines[0]["date"] in PAGE


def test_the_page_on_performance_says_how_fast_a_gpu_read():
    lines = decode_picture.read(REPOSITORY / "benchmarks" / "results" / "decode-cuda.csv")
    first = max(lines, key=lambda line: float(line["bytes_a_second"]))
    assert (
        f"the fastest reading of the run, {float(first['bytes_a_second']) / 1e12:.2f} TB/s, by MLA's vanilla form"
        in PAGE
    )
    assert first["variant"] == "MLA vanilla"
    copied = statistics.median(float(line["copy_bytes_a_second"]) for line in lines)
    assert f"A copy reached {copied / 1e12:.2f} TB/s, read and written bytes together" in PAGE
    reached = {name: found for name, (_, found) in decode_picture.of_fastest(lines, "bfloat16").items()}
    assert f"The reduced form stays at {max(reached['MLA reduced']):.2f}," in PAGE
    assert min(reached["MHA"][-1], reached["GQA, G = 8"][-1], reached["GQA, G = 4"][-1]) > 0.95


def test_part_14_draws_the_published_models_that_are_listed_with_their_sources():
    listed = [(m.name, m.layers, m.H, m.G, m.d, m.r, m.rotary, m.paper) for m in published.MODELS]
    assert listed == part14_data.MODELS


def test_numbers_measured_anew_replace_those_in_part_14(tmp_path: Path):
    lines = decode_picture.read(part14.latest())
    for line in lines:
        line.update(device="Some GPU", tokens_a_second=line["of_shortest_mha"], date="2030-01-01")
    with (tmp_path / "decode-cuda.csv").open("w", newline="") as file:
        out = csv.DictWriter(file, list(lines[0]))
        out.writeheader()
        out.writerows(lines)
    kept = {path: path.read_bytes() for path in (part14.NOTEBOOK, part14.DATA)}
    copies = [tmp_path / path.name for path in kept]
    for copy, content in zip(copies, kept.values(), strict=True):
        copy.write_bytes(content)
    part14.embed(tmp_path / "decode-cuda.csv", *copies)
    text = "".join(copy.read_text() for copy in copies)
    assert text.count("Some GPU") == 2 and "CPU" not in text and "measured on a GPU yet" not in text
    part14.embed(part14.latest(), *copies)
    assert [copy.read_bytes() for copy in copies] == list(kept.values())
