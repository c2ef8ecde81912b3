"""Files that are closed to whoever runs the tests, root too."""

import contextlib
import ctypes
from collections.abc import Iterator

VERSION_3 = 0x20080522  # of capget and capset: two pairs of words, of which the first has the capabilities below 32
DAC_OVERRIDE, DAC_READ_SEARCH = 1, 2  # by which root reads what its mode closes


@contextlib.contextmanager
def obeyed() -> Iterator[None]:
    """The modes of files hold for this thread as for an ordinary account's; root's rights come back at the end."""
    libc = ctypes.CDLL(None, use_errno=True)
    thread, words = (ctypes.c_uint32 * 2)(VERSION_3, 0), (ctypes.c_uint32 * 6)()
    assert libc.capget(thread, words) == 0
    effective = words[0]
    words[0] = effective & ~(1 << DAC_OVERRIDE | 1 << DAC_READ_SEARCH)
    assert libc.capset(thread, words) == 0
    try:
        yield
    finally:
        words[0] = effective
        assert libc.capset(thread, words) == 0
