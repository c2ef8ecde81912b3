"""Everything that needs a GPU, one step after another: marks behind the walls, speeds, part 14's figure.

    python benchmarks/on_gpu.py

Part 13 without and with TF32, the sample class and every answer of part 13 through the judge, then decode.py up to
2**20 tokens, whose figures go into part 14. Ends at the first step that fails, with its exit status. Without a GPU it
says so, runs nothing, and that doesn't count as a failure. Commit what has changed in benchmarks/results, source and
release.
"""

import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from dev import gpu
from dev.packages import REPOSITORY

ONCE = ("--runs", "1", "--load", "0")
STEPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("part 13, directly and behind the walls, without TF32 and with it", ("-m", "dev", "gpu")),
    ("the sample class", ("benchmarks/repeat.py", "--only", "sample", *ONCE, "--workers", "2")),
    ("every answer of part 13", ("benchmarks/repeat.py", "--only", "part13", *ONCE, "--workers", "2")),
    ("a step of generation, for MHA, GQA and MLA", ("benchmarks/decode.py", "--device", "cuda")),
    ("its figures into part 14", ("benchmarks/part14.py",)),
    ("release/ and notebooks/ from source/", ("-m", "grading", "release")),
)


def main() -> int:
    """Runs the steps, and says how long each took."""
    if reason := gpu.unavailable():
        print(f"on_gpu: {reason} Nothing was run.")
        return 0
    for name, words in STEPS:
        print(f"== {name}", flush=True)
        started = time.monotonic()
        status = subprocess.call([sys.executable, *words], cwd=REPOSITORY)
        said = "done" if status == 0 else f"FAILED with exit status {status}"
        print(f"== {name}: {said} after {time.monotonic() - started:.0f} s\n", flush=True)
        if status:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
