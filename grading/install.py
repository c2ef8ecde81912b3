"""Installs what pip cannot bring, where we may: on Debian and its kin, as root. Elsewhere a line says what to do."""

import os
import platform
import shutil
import subprocess
from pathlib import Path

from grading import walls

WEB = Path(__file__).resolve().parent.parent / "tests" / "web"  # the tests' packages from npm
POSTGRES = os.pathsep.join(map(str, Path("/usr/lib/postgresql").glob("*/bin")))  # where Debian keeps its server
PROGRAMS = {"chromium": "chromium", "npm": "npm", "postgres": "postgresql"}  # and the Debian packages that bring them


def bubblewrap() -> None:
    """Tries to install bubblewrap if it is missing; says in a line what it does, or why it does not."""
    if platform.system() == "Linux" and shutil.which("bwrap", path=walls.SEARCH) is None:
        _debian(["bubblewrap"], "it walls student code in")
        walls.available.cache_clear()


def for_tests() -> None:
    """Tries to install what the tests start beside Python: walls, a browser, a database, and packages from npm."""
    bubblewrap()
    path = os.pathsep.join([walls.SEARCH, POSTGRES])
    missing = [package for name, package in PROGRAMS.items() if shutil.which(name, path=path) is None]
    if platform.system() == "Linux" and missing:
        _debian(missing, "the tests start it")
    wanted, there = WEB / "package-lock.json", WEB / "node_modules" / ".package-lock.json"
    npm = shutil.which("npm")
    if npm is not None and (not there.exists() or there.stat().st_mtime < wanted.stat().st_mtime):
        print("Installing the tests' packages from npm.", flush=True)
        subprocess.run([npm, "ci", "--silent", "--no-audit", "--no-fund"], cwd=WEB, check=False)


def _debian(packages: list[str], why: str) -> None:
    names = " ".join(packages)
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        print(f"{names} is missing ({why}), and only root may install it (Debian, Ubuntu: apt-get install {names}).")
        return
    print(f"Installing {names}: {why}.", flush=True)
    quiet = {"stdout": subprocess.DEVNULL, "env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}}
    subprocess.run(["apt-get", "update", "-qq"], check=False, **quiet)
    subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages], check=False, **quiet)
