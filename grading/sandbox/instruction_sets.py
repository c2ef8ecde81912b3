"""The processor's instructions that libraries compute with: AVX2, also where there are wider ones.

NumPy and torch choose their code by the processor, and different code rounds differently. An answer that divides by
what is nearly zero would then be right on one machine and wrong on the next. Intel's main processors have AVX2 since
2013, AMD's since 2015. On others the libraries choose for themselves.

Two of torch's libraries are exceptions. MKL, for products and factorisations, takes the setting on Intel's processors
alone, and elsewhere promises the same results on the same processor. oneDNN, for convolutions and bfloat16, is left
alone: it divides by nothing, so it misses by no more than the numbers' own rounding, and without AVX-512 a notebook
that computes in bfloat16 takes twice as long.
"""

from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")
NEEDED = {"avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"}  # by what is chosen below, as Linux names them
NO_WIDER = {
    "ATEN_CPU_CAPABILITY": "avx2",  # torch's own loops
    "MKL_CBWR": "AVX2,STRICT",  # strict: wherever in memory an array begins
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",  # NumPy's own loops
    "OPENBLAS_CORETYPE": "Haswell",  # NumPy's products and factorisations
}


def settings(cpuinfo: Path = CPUINFO) -> dict[str, str]:
    """Environment variables that keep libraries to AVX2; empty if a processor lacks it, or isn't in Linux's list.

    Errors  none.
    Source  the libraries' documentation; Intel's "Getting Started with Conditional Numerical Reproducibility".
    """
    try:
        lines = cpuinfo.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return {}
    flags = [set(line.partition(":")[2].split()) for line in lines if line.startswith("flags")]
    return dict(NO_WIDER) if flags and all(flags_of_one >= NEEDED for flags_of_one in flags) else {}
