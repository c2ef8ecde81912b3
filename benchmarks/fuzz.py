"""Fuzzes what stands between a submission and its mark, with as many cases as asked for.

    python benchmarks/fuzz.py [--seed N] [--cases N] [--first N] [--only channels messages replies submissions walled]

Prints the seed, how far each fuzzer is, and each failure with the command that repeats it; exit status 1 if there is
any. Without --seed each run draws another one. The tests run the first cases of a fixed seed: tests/whole/test_fuzz.py.
"""

import argparse
import random
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(HERE / "tests"), str(HERE / "tests" / "support"), str(HERE)]

import fuzzing  # noqa: E402  (found through the line above)
from fuzzing import channels, messages, replies, submissions, walled  # noqa: E402

FUZZERS = {module.FUZZER.name: module.FUZZER for module in (channels, messages, replies, submissions, walled)}
CASES = {"channels": 500, "messages": 2_000, "replies": 20_000, "submissions": 1_000, "walled": 50}  # each some minutes
SAID_S = 10.0  # how often progress is printed


def main() -> int:
    """Runs the fuzzers one after the other, and says what failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**8))
    parser.add_argument("--cases", type=int, help="of each fuzzer; by default " + str(CASES)[1:-1].replace("'", ""))
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--only", nargs="+", default=list(FUZZERS), choices=list(FUZZERS))
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}", flush=True)
    failed = 0
    try:
        for name in dict.fromkeys(chosen.only):
            failed += fuzz(FUZZERS[name], chosen.seed, chosen.first, chosen.cases or CASES[name])
    except KeyboardInterrupt:
        print("fuzz: stopped.", file=sys.stderr)
        return 130
    print("Nothing failed." if not failed else f"{failed} cases failed.")
    return 1 if failed else 0


def fuzz(fuzzer: fuzzing.Fuzzer, seed: int, first: int, cases: int) -> int:
    """How many of a fuzzer's cases failed; each is printed."""
    started = said = time.monotonic()
    failed = 0
    for done, failure in enumerate(fuzzing.run(fuzzer, seed, range(first, first + cases)), start=1):
        now = time.monotonic()
        if failure:
            failed += 1
            print(failure, flush=True)
        if now - said > SAID_S or done == cases:
            said = now
            print(f"{fuzzer.name}: {done} of {cases} cases, {failed} failed, {now - started:.0f} s", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
