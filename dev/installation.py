"""Installs what the tests start besides Python, where we may: see `grading.sandbox.install`."""

import os
import platform
import shutil
import subprocess
from pathlib import Path

from grading.sandbox import bubblewrap, install

WEB = Path(__file__).resolve().parent.parent / "tests" / "web"  # the tests' packages from npm
POSTGRES = os.pathsep.join(map(str, Path("/usr/lib/postgresql").glob("*/bin")))  # where Debian keeps its server
PROGRAMS = {"chromium": "chromium", "npm": "npm", "postgres": "postgresql"}  # and the Debian packages that bring them


def for_tests() -> None:
    """Tries to install what the tests start besides Python: walls, a browser, a database, and packages from npm."""
    install.walls()
    path = os.pathsep.join([bubblewrap.SEARCH, POSTGRES])
    missing = [package for name, package in PROGRAMS.items() if shutil.which(name, path=path) is None]
    if platform.system() == "Linux" and missing:
        install.debian(missing, "the tests start it")
    wanted, there = WEB / "package-lock.json", WEB / "node_modules" / ".package-lock.json"
    npm = shutil.which("npm")
    if npm is not None and (not there.exists() or there.stat().st_mtime < wanted.stat().st_mtime):
        print("Installing the tests' packages from npm.", flush=True)
        subprocess.run([npm, "ci", "--silent", "--no-audit", "--no-fund"], cwd=WEB, check=False)
