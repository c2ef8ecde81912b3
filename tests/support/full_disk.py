"""Scripts on a small disk of their own, which they can fill."""

import subprocess
import sys
from pathlib import Path

from dev.packages import REPOSITORY

FILL = """
def fill(root):
    with (root / "filler").open("wb", buffering=0) as file:
        while True:
            try:
                file.write(bytes(4096))
            except OSError:
                break
"""


def run(script: str, disk: Path, size_mib: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a script, which has `fill(folder)`, where the folder `disk` is an empty disk that goes at its end."""
    walled = ["bwrap", "--dev-bind", "/", "/", "--size", str(size_mib * 2**20), "--tmpfs", str(disk)]
    command = [*walled, "--", sys.executable, "-c", FILL + script, *arguments]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
