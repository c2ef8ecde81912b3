"""A sandbox's own folder on the disk: whole, or not there."""

import shutil
import tempfile
from pathlib import Path


def make() -> Path:
    """A new folder that any user may enter, with `stage`, which any user may enter, too, and `disk`, for us alone.

    Errors  OSError if there is no room for it; then nothing of it is left.
    """
    base = Path(tempfile.mkdtemp(prefix="grading-"))
    try:
        for name in ("disk", "stage"):
            (base / name).mkdir(mode=0o700)
        for folder in (base, base / "stage"):
            folder.chmod(0o711)  # whatever this process's umask; from root's grader another user enters it
    except BaseException:
        shutil.rmtree(base, ignore_errors=True)
        raise
    return base
