"""How large a picture becomes in a browser: a few kilobytes of PNG or JPEG may become gigabytes of pixels.

Only a picture's head is read, in the way of the libraries that browsers use. What is neither PNG nor JPEG is not
taken for one, whatever it is called: a browser, too, goes by the content.
"""

import base64
import binascii
import re
import struct

KINDS = ("image/png", "image/jpeg")
PNG, JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8"
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # the markers of segments that hold a JPEG's size
_MARKER = re.compile(rb"\xff[^\xff\x00\x01\xd0-\xd8]")  # one with a segment: some stand alone
_END, _SCAN = 0xD9, 0xDA
# Times that a JPEG goes over its picture, each time finer, for which its pixels count once: what makes them has 10. A
# browser takes milliseconds for each over 64 million pixels, and each needs 14 bytes.
_SCANS = 16
# How many times its width a picture's height counts as it is, and the reverse, because a JPEG may say that it is
# turned. A longer one counts as if it were wider. One of 1 by 1,000,000 has 3 kB, and 34 of them make a page so high
# that a browser shows nothing below them.
_LONG = 20
_PIECES = 1_000  # of a PNG before its first picture, of a JPEG before its size; matplotlib writes three


def pixels(text: str) -> int | None:
    """The number of pixels of a picture in base64 (spaces and line breaks allowed); None if not PNG or JPEG.

    Of a PNG that moves it is that of all its pictures, which a browser draws over and over; of a JPEG that goes over
    its picture very often, so many times as much; of one that is very long as many as if it were wider.
    """
    try:
        content = base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return None
    if content.startswith(PNG) and content[12:16] == b"IHDR" and len(content) >= 24:
        return _area(*struct.unpack(">II", content[16:24]), _frames_of_png(content))
    return _pixels_of_jpeg(content) if content.startswith(JPEG) else None


def _frames_of_png(content: bytes) -> int:
    """How many pictures a PNG holds, by the pieces before the first one that say so; 0 for one of too many pieces."""
    at, frames = len(PNG), 1
    for _ in range(_PIECES):
        length, kind, said = struct.unpack(">I4sI", content[at : at + 12].ljust(12, b"\0"))
        if kind in (b"IDAT", b"IEND") or at >= len(content):
            return frames
        frames = max(frames, said if kind == b"acTL" else 1)
        at += length + 12  # with its length, its kind and its checksum
    return 0


def _pixels_of_jpeg(content: bytes) -> int | None:
    """None also for one of too many pieces."""
    at = 2
    for _ in range(_PIECES):
        found = _MARKER.search(content, at)
        if found is None or (marker := content[found.end() - 1]) in (_END, _SCAN) or len(content) < found.end() + 7:
            return None
        at = found.end()
        if marker in _FRAMES:
            scans = content.count(bytes([0xFF, _SCAN]))
            return _area(*struct.unpack(">HH", content[at + 3 : at + 7]), 1 + scans // _SCANS)
        at += struct.unpack(">H", content[at : at + 2])[0]
    return None


def _area(one: int, other: int, frames: int = 1) -> int | None:
    short, long = sorted([one, other])
    return max(short, long // _LONG) * long * frames if short * frames else None
