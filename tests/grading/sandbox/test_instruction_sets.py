"""Each library in a sandbox computes with the same instructions on all machines of a kind."""

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from kernel_runs import Run, opened

from grading.sandbox import instruction_sets
from grading.sandbox.instruction_sets import CPUINFO, NO_WIDER

AVX2 = ("avx2", "bmi1", "bmi2", "f16c", "fma", "movbe")
NARROW = "fpu sse2 avx"
WIDE = " ".join([NARROW, "avx512f", *AVX2])
LIBRARIES = ("ATEN_CPU_CAPABILITY", "MKL_CBWR", "NPY_DISABLE_CPU_FEATURES", "OPENBLAS_CORETYPE")

# For each setting, a hash of results that wider instructions would round differently.
COMPUTES = """
import hashlib, json
import numpy as np, torch
def digest(*arrays):
    return hashlib.sha256(b"".join(np.asarray(array).tobytes() for array in arrays)).hexdigest()
A = np.random.default_rng(0).standard_normal((200, 130))
T = torch.from_numpy(A)
print(json.dumps({
    "ATEN_CPU_CAPABILITY": digest(T.softmax(1), T.float().softmax(1)),
    "MKL_CBWR": digest(T @ T[0], *torch.linalg.qr(T), *torch.linalg.svd(T)),
    "NPY_DISABLE_CPU_FEATURES": digest(np.exp(A), np.cbrt(A), np.arctan(A)),
    "OPENBLAS_CORETYPE": digest(A.T @ A, *np.linalg.svd(A), *np.linalg.qr(A)),
}))
"""
as_elsewhere = pytest.mark.skipif(not instruction_sets.settings(), reason="a processor of another kind")
wider = pytest.mark.skipif(
    "avx512f" not in (CPUINFO.read_text() if CPUINFO.exists() else ""), reason="a processor without wider instructions"
)


def processors(folder: Path, *flags: str) -> Path:
    path = folder / "cpuinfo"
    path.write_text("".join(f"processor\t: {i}\nflags\t\t: {each}\n\n" for i, each in enumerate(flags)))
    return path


def alone(settings: dict[str, str]) -> dict[str, str]:
    """What each library computes in a process of its own."""
    ours = {name: value for name, value in os.environ.items() if name not in NO_WIDER}
    env = ours | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"} | settings
    return json.loads(subprocess.check_output([sys.executable, "-W", "error", "-c", COMPUTES], env=env, text=True))


@functools.cache
def with_all_instructions() -> dict[str, str]:
    return alone({})


@functools.cache
def in_a_sandbox() -> dict[str, str]:
    with opened() as pool:
        return json.loads(Run(pool, COMPUTES).printed)


def test_a_processor_with_wider_instructions_leaves_them_out(tmp_path: Path):
    found = instruction_sets.settings(processors(tmp_path, WIDE, WIDE))
    assert found == NO_WIDER and found.keys() == {*LIBRARIES}


@pytest.mark.parametrize("flags", [(NARROW,), (WIDE, NARROW), (), *((WIDE.replace(f" {each}", ""),) for each in AVX2)])
def test_without_them_on_each_processor_nothing_is_chosen(flags: tuple[str, ...], tmp_path: Path):
    assert instruction_sets.settings(processors(tmp_path, *flags)) == {}


def test_another_kind_of_processor_or_system_is_left_alone(tmp_path: Path):
    (tmp_path / "arm").write_text("processor\t: 0\nFeatures\t: fp asimd crc32\n")
    assert instruction_sets.settings(tmp_path / "arm") == instruction_sets.settings(tmp_path / "none") == {}


@as_elsewhere
def test_each_library_computes_in_a_sandbox_as_where_there_are_no_wider_instructions():
    assert in_a_sandbox() == alone(NO_WIDER)


@wider
@pytest.mark.parametrize("library", LIBRARIES)
def test_no_setting_is_in_vain(library: str):
    assert in_a_sandbox()[library] != with_all_instructions()[library]
