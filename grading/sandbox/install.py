"""Installs what pip cannot bring, where we may: on Debian and its kin, as root. Elsewhere a line says what to do."""

import os
import platform
import shutil
import subprocess

from grading.sandbox import bubblewrap


def walls() -> None:
    """Tries to install bubblewrap if it is missing; says in a line what it does, or why it does not."""
    if platform.system() == "Linux" and shutil.which("bwrap", path=bubblewrap.SEARCH) is None:
        debian(["bubblewrap"], "it walls student code in")
        bubblewrap.forget_refusal()


def debian(packages: list[str], why: str) -> None:
    """Installs packages of Debian's, or says what is missing and why."""
    names = " ".join(packages)
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        print(f"{names} is missing ({why}), and only root may install it (Debian, Ubuntu: apt-get install {names}).")
        return
    print(f"Installing {names}: {why}.", flush=True)
    quiet = {"stdout": subprocess.DEVNULL, "env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}}
    subprocess.run(["apt-get", "update", "-qq"], check=False, **quiet)
    subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages], check=False, **quiet)
