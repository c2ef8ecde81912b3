"""The memory of the preloaded process in pages of 2 MiB, where Linux can: a fork then copies a table 512 times smaller.

A kernel that writes to such a page still gets a copy of 4 KiB of it. Like the zygote this file stands alone.
"""

import ctypes
import time

WORTH_IT = 3  # kernels that a sandbox has forked: moving takes as long as a dozen forks, and some are used once
LIMIT_S = 2.0  # for moving, which takes a fifth of that: where Linux finds no room soon, the rest stays as it is
SIZE_BYTES = 2 * 2**20
MADV_COLLAPSE = 25  # since Linux 6.1; man madvise


def collapse() -> None:
    """Puts what this process has written to into huge pages; an older Linux refuses, and all stays as it is.

    Nobody is answered meanwhile, so it ends in time.
    """
    end = time.monotonic() + LIMIT_S
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    for first, last in _written():
        for address in range(-(-first // SIZE_BYTES) * SIZE_BYTES, last - SIZE_BYTES + 1, SIZE_BYTES):
            if time.monotonic() > end:
                return
            madvise(address, SIZE_BYTES, MADV_COLLAPSE)


def _written() -> list[tuple[int, int]]:
    """First and last address of each piece of memory that is this process's own and no file's."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        lines = [line.split() for line in maps]
    own = [words[0] for words in lines if words[1] == "rw-p" and words[5:] in ([], ["[heap]"])]
    return [tuple(int(address, 16) for address in span.split("-")) for span in own]
