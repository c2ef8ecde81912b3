"""Part 13 on a GPU: the command, the figures and the verdict; without a GPU the same run on the CPU, TF32 imitated."""

import fnmatch
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from kernel_runs import with_a_gpu

from attention import part13
from attention.course import COURSE
from dev import gpu
from dev.__main__ import main
from dev.packages import REPOSITORY
from grading.sandbox import bubblewrap, sandbox_limits
from grading.sandbox.host import Sandbox

sys.path.insert(0, str(REPOSITORY / "benchmarks"))

import on_gpu

needs_gpu = pytest.mark.skipif(gpu.unavailable() is not None, reason=str(gpu.unavailable()))
on_the_cpu = pytest.mark.skipif(gpu.unavailable() is None, reason="part 13 computes on the GPU here")
# What a GPU does to the factors of a product when TF32 is on: 13 of a float32's 23 digits behind the first are rounded.
LIKE_TF32 = """
class _TF32(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function in _products:
            args = [_rounded(a) if isinstance(a, torch.Tensor) and a.dtype == torch.float32 else a for a in args]
        return function(*args, **(kwargs or {}))

def _rounded(x):
    return ((x.detach().contiguous().view(torch.int32) + 0x1000) & ~0x1FFF).view(torch.float32)

_products = {torch.matmul, torch.Tensor.matmul, torch.Tensor.__matmul__, torch.bmm, torch.einsum}
_products |= {nn.functional.linear, nn.functional.scaled_dot_product_attention}
_TF32().__enter__()
"""


def test_without_a_gpu_the_command_says_so_in_one_line_and_fails_nobody(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert main(["gpu"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("gpu: no GPU is used here: ") and printed.count("\n") == 1


@on_the_cpu
def test_through_the_judge_products_rounded_as_by_TF32_miss_the_bound_and_cost_two_points():
    found = gpu.run(gpu.JUDGE, before=LIKE_TF32)
    assert (found.device, found.dtype, found.tf32) == ("cpu", "float32", False)
    assert 5e-3 < found.error < 0.2  # 3e-5 to 7e-5 in float32; 2**-11 times scores in the thousands
    assert found.marks == 3.0
    text = "\n".join(gpu.summary(found))
    assert "NOT below the bound 5e-04: 3 of 5" in text and text.count("0/1") == 2


def test_an_answer_that_fails_is_a_run_without_a_result_and_says_why():
    with pytest.raises(gpu.Failed, match=r"part 13 directly gave no result\. 'NoneType' object is not callable"):
        gpu.run(gpu.DIRECTLY, before="torch.randn = None")


def test_a_run_that_was_to_be_on_the_gpu_and_was_not_is_no_success(monkeypatch: pytest.MonkeyPatch):
    on_cpu = gpu.Run("judge", "cpu", "CPU", "float32", False, 5e-5, 5.0, "")
    monkeypatch.setattr(gpu, "unavailable", lambda: None)
    monkeypatch.setattr(gpu, "run", lambda way, before: on_cpu)
    said: list[str] = []
    assert gpu.demo(said.append) == 1
    assert "gpu: expected a run on cuda with TF32 off." in said


@pytest.mark.parametrize(
    ("tf32", "marks", "status"), [("as asked", 5.0, 0), ("as asked", 4.0, 1), ("always off", 5.0, 1)]
)
def test_the_demo_succeeds_if_all_runs_are_on_cuda_as_asked_and_right_without_TF32(
    tf32: str, marks: float, status: int, monkeypatch: pytest.MonkeyPatch
):
    def run(way: str, before: str) -> gpu.Run:
        on = before == gpu.TF32_ON
        error, won = (3e-2, 3.0) if on else (5e-5, marks)
        return gpu.Run(way, "cuda:0", "Some GPU", "float32", on and tf32 == "as asked", error, won, "")

    monkeypatch.setattr(gpu, "unavailable", lambda: None)
    monkeypatch.setattr(gpu, "run", run)
    said: list[str] = []
    assert gpu.demo(said.append) == status
    assert sum("relative error" in line for line in said) == 4
    assert sum("NOT below the bound" in line for line in said) == 2


def test_the_gpus_device_files_and_no_others_stand_within_the_walls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    there = "nvidia0 nvidia1 nvidiactl nvidia-caps nvidia-modeset nvidia-uvm nvidia-uvm-tools".split()
    monkeypatch.setattr(
        bubblewrap.glob, "glob", lambda pattern: fnmatch.filter((f"/dev/{name}" for name in there), pattern)
    )

    def shown(with_gpu: bool) -> list[str]:
        stage = tmp_path / str(with_gpu)
        stage.mkdir()
        command = bubblewrap.bubblewrap(["true"], with_gpu, stage, {})
        arguments = os.read(int(command.argv[command.argv.index("--args") + 1]), 1 << 20).decode().split("\0")
        command.close()
        return [arguments[n + 1] for n, argument in enumerate(arguments) if argument.startswith("--dev-bind")]

    wanted = "nvidiactl nvidia-uvm nvidia0 nvidia1 nvidia-caps".split()
    assert shown(True) == [f"/dev/{name}" for name in wanted]
    assert shown(False) == []


def test_with_a_gpu_the_limit_on_addresses_falls_and_the_limit_on_memory_stays(monkeypatch: pytest.MonkeyPatch):
    with_a_gpu(monkeypatch)
    monkeypatch.setattr(Sandbox, "_start", lambda self, theirs: theirs.close())  # nothing is to be started here
    box = Sandbox(libraries=COURSE.libraries)
    granted = box._rlimits()
    box._control.close()
    shutil.rmtree(box._base)
    assert "RLIMIT_AS" not in granted and "RLIMIT_NOFILE" in granted
    assert box.limits.memory_bytes == sandbox_limits.Limits().memory_bytes


def test_all_that_wants_a_gpu_runs_in_order_and_ends_at_the_first_step_that_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    steps = [("first", ("-c", "")), ("second", ("-c", "import sys; sys.exit(3)")), ("third", ("-c", ""))]
    monkeypatch.setattr(on_gpu, "STEPS", steps)
    monkeypatch.setattr(gpu, "unavailable", lambda: "no GPU is used here.")
    assert on_gpu.main() == 0 and capsys.readouterr().out == "on_gpu: no GPU is used here. Nothing was run.\n"
    monkeypatch.setattr(gpu, "unavailable", lambda: None)
    assert on_gpu.main() == 3
    said = [line.partition(" after")[0] for line in capsys.readouterr().out.splitlines() if ":" in line]
    assert said == ["== first: done", "== second: FAILED with exit status 3"]


@pytest.mark.parametrize("words", [words for _, words in on_gpu.STEPS], ids=" ".join)
def test_each_step_on_a_gpu_is_a_command_with_options_that_it_has(words: tuple[str, ...]):
    run = subprocess.run([sys.executable, *words, "--help"], cwd=REPOSITORY, capture_output=True, text=True)
    assert run.returncode == 0 and all(word in run.stdout for word in words if word.startswith("--"))


@needs_gpu
@pytest.mark.parametrize("way", [gpu.DIRECTLY, gpu.JUDGE])
def test_on_a_gpu_the_model_answer_earns_its_points_and_with_TF32_misses_the_bound(way: str):
    right, rounded = gpu.run(way), gpu.run(way, before=gpu.TF32_ON)
    assert right.device.startswith("cuda") and right.error < part13.BOUND and right.marks == 5.0
    assert rounded.tf32 and rounded.error > part13.BOUND and rounded.marks < 5.0
