"""The processor's instructions that libraries compute with: one choice for all machines of a kind.

NumPy and torch choose their code by the processor, and another code rounds otherwise. An answer that divides by what is
nearly zero would then be right on one machine and wrong on the next. So within a sandbox they compute with AVX2, which
nearly every x86-64 processor since 2013 has, also where there are wider instructions.

oneDNN, which torch has for convolutions and bfloat16, is left alone. It divides by nothing, so it misses by no more
than the numbers' own rounding; and without AVX-512 a notebook that computes in bfloat16 takes twice as long.
"""

from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")
AVX2 = {"avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"}  # Linux's names of what x86-64-v3 adds
NO_WIDER = {
    "ATEN_CPU_CAPABILITY": "avx2",  # torch's own loops
    "MKL_CBWR": "AVX2,STRICT",  # torch's products and factors; strict: wherever in memory an array begins
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",  # NumPy's own loops
    "OPENBLAS_CORETYPE": "Haswell",  # NumPy's products and factors
}


def settings(cpuinfo: Path = CPUINFO) -> dict[str, str]:
    """Environment variables that keep libraries to the instructions that other machines have, too.

    None where the processor is another one, or older: there they compute as they would without us.
    Shapes  none.
    Units   none.
    Errors  none; a list of processors that can't be read is that of another system.
    Source  the libraries' documentation; Intel's "Getting reproducible results with Intel MKL".
    """
    try:
        lines = cpuinfo.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return {}
    flags = [set(line.partition(":")[2].split()) for line in lines if line.startswith("flags")]
    return dict(NO_WIDER) if flags and all(flags_of_one >= AVX2 for flags_of_one in flags) else {}
