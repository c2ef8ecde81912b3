"""Installs bubblewrap where we may: on Debian and its kin, as root. Elsewhere a line says what to do."""

import os
import platform
import shutil
import subprocess

from grading import walls


def bubblewrap() -> None:
    """Tries to install bubblewrap if it is missing; says in a line what it does, or why it does not."""
    if platform.system() != "Linux" or shutil.which("bwrap", path=walls.SEARCH) is not None:
        return
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        print("bubblewrap is missing, and only root may install it (Debian, Ubuntu: apt-get install bubblewrap).")
        return
    print("Installing bubblewrap, which walls student code in.", flush=True)
    quiet = {"stdout": subprocess.DEVNULL, "env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}}
    subprocess.run(["apt-get", "update", "-qq"], check=False, **quiet)
    subprocess.run(["apt-get", "install", "-y", "-qq", "bubblewrap"], check=False, **quiet)
    walls.available.cache_clear()
