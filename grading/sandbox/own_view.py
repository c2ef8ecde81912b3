"""A notebook's own view of the system's folders, so that it locks none of the folders that others look into.

Linux locks a folder while it looks there for the name of a file that somebody makes, even where none can be made.
Whoever lists a folder has it locked, too, until memory for the list is there, and a process whose threads change a
large mapping over and over can wait for that as long as it likes. Both together kept a folder of the system's from
everybody, the grader and the neighbours, for as long as a notebook ran. In an overlay, which has folders of its own
over the same files, the first lock is the notebook's own, and the second one by itself keeps nobody out.

Like the zygote this file stands alone.
"""

import contextlib
import itertools
import os
from collections.abc import Iterator
from types import ModuleType

MOST = 40  # views for one folder, each of which takes some 0.07 ms


def over(settings: dict, namespaces: ModuleType) -> None:
    """Mounts the view of each of the system's folders over it, where Linux allows that, from version 5.11 on.

    Elsewhere the folder stays as it is. An overlay knows nothing of mounts below its folder, and what one of them
    hides would be there again: so a folder with any is left, too, and each one in it has a view of its own, unless
    these would be too many.
    """
    places, empty = namespaces.mounted(), namespaces.TERMINALS_AT  # an overlay without its own needs two folders
    flags = namespaces.MS_RDONLY | namespaces.MS_NOSUID | namespaces.MS_NODEV
    for folder in [part for shown in settings["system"] for part in _views(shown, places)]:
        below = os.open(folder, os.O_PATH | os.O_CLOEXEC)
        with contextlib.suppress(OSError):
            layers = f"lowerdir=/proc/self/fd/{below}:{empty},userxattr"  # no path that would have to be quoted
            namespaces.mount("overlay", folder, "overlay", flags, layers)
        os.close(below)


def _views(folder: str, places: list[str]) -> list[str]:
    """The folders of which a notebook has a view of its own in place of this one; none if they are too many."""
    found = [*itertools.islice(_without_mounts(folder, places), MOST + 1)]
    return found if len(found) <= MOST else []


def _without_mounts(folder: str, places: list[str]) -> Iterator[str]:
    """The folder if nothing is mounted in it, else of each folder in it the same."""
    if not any(place.startswith(f"{folder}/") for place in places):
        yield folder
        return
    with contextlib.suppress(OSError):  # it may not be listed
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False):
                yield from _without_mounts(entry.path, places)
