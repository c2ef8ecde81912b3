"""How many pixels a picture has: as its maker says, whatever it is called; nothing else is a picture."""

import base64
import io
import time

import pytest
from PIL import Image

from grading.core import pictures


def saved(kind: str, **how: object) -> bytes:
    held = io.BytesIO()
    Image.new("RGB", (70, 30), "white").save(held, kind, **how)
    return held.getvalue()


def in_base64(content: bytes) -> str:
    return base64.encodebytes(content).decode()  # in lines, as notebooks have it


@pytest.mark.parametrize(
    "content",
    [saved("PNG"), saved("JPEG"), saved("JPEG", progressive=True), saved("JPEG", comment=b"\xff\xc0" * 500)],
    ids=["png", "jpeg", "progressive", "with a comment that looks like a size"],
)
def test_a_picture_has_the_pixels_that_it_was_made_with(content: bytes):
    assert pictures.pixels(in_base64(content)) == 70 * 30


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_a_picture_that_is_very_long_counts_as_if_it_were_wider(kind: str):
    """34 pictures of 1 by 1,000,000 pixels, 3 kB each, made a page so high that Chromium showed nothing below them."""
    for width, height, counted in (
        (1, 60_000, 3_000 * 60_000),
        (60_000, 1, 3_000 * 60_000),
        (10, 200, 2_000),
        (1, 19, 19),
    ):
        held = io.BytesIO()
        Image.new("L", (width, height)).save(held, kind)
        assert pictures.pixels(in_base64(held.getvalue())) == counted


def test_a_picture_that_moves_has_the_pixels_of_all_its_frames_wherever_their_number_stands():
    frames = [Image.new("RGB", (70, 30), (n, 0, 0)) for n in range(1, 5)]
    moving = saved("PNG", save_all=True, append_images=frames)
    assert pictures.pixels(in_base64(moving)) == 5 * 70 * 30
    empty = b"\0\0\0\0teXt" + bytes(4)
    begins = moving.index(b"acTL") - 4
    assert pictures.pixels(in_base64(moving[:begins] + 50 * empty + moving[begins:])) == 5 * 70 * 30
    assert pictures.pixels(in_base64(moving[:begins] + 5_000 * empty + moving[begins:])) is None
    assert pictures.pixels(in_base64(saved("PNG") + b"\0\0\0\x08acTL" + bytes(3) + b"\x09" + bytes(8))) == 70 * 30


def test_a_jpeg_that_goes_over_its_picture_very_often_has_its_pixels_that_often():
    """One of 64 million pixels and 0.6 MB went over them 3,500 times, for which Chromium took more than a minute."""
    whole = saved("JPEG", progressive=True)
    first = whole.index(b"\xff\xda")
    scan = whole[first : whole.index(b"\xff", first + 2)]
    assert pictures.pixels(in_base64(whole[:first] + 1_600 * scan + whole[first:])) == 101 * 70 * 30


@pytest.mark.parametrize("kind", ["GIF", "BMP", "WEBP", "TIFF", "ICO"])
def test_what_a_browser_would_take_for_another_kind_of_picture_is_none(kind: str):
    assert pictures.pixels(in_base64(saved(kind))) is None


def test_what_ends_before_its_size_or_has_none_is_no_picture():
    for whole in (saved("PNG"), saved("JPEG")):
        start = next(n for n in range(len(whole)) if pictures.pixels(in_base64(whole[:n])))
        assert [pictures.pixels(in_base64(whole[:n])) for n in range(start)] == [None] * start
    empty = saved("PNG")[:16] + b"\0" * 40
    assert pictures.pixels(in_base64(empty)) is None
    for text in ("", "iVBORw0KGgo=", "no base64", "\ud800", in_base64(b"\xff\xd8" + b"\xff" * 900)):
        assert pictures.pixels(text) is None


def test_bytes_between_the_pieces_of_a_jpeg_are_passed_over_as_browsers_do():
    whole = saved("JPEG")
    assert pictures.pixels(in_base64(whole[:2] + b"\x00\x01\xff\x00\xff\xff" + whole[3:])) == 70 * 30


@pytest.mark.parametrize("piece", [b"\xff\x00", b"\xff\x01", b"\xff\xff", b"\xff\xe0\x00\x02"])
def test_a_jpeg_of_millions_of_pieces_is_none_and_that_is_found_soon(piece: bytes):
    """Each message may hold one of 12 MB, and took the judge 1.4 s."""
    whole, start = saved("JPEG"), time.thread_time()
    text = in_base64(whole[:2] + piece * (8 * 2**20 // len(piece)))
    decoded_s = time.thread_time() - start
    assert pictures.pixels(text) is None
    assert time.thread_time() - start < 4 * decoded_s + 0.1
    assert pictures.pixels(in_base64(whole[:2] + 500 * piece + whole[2:])) == 70 * 30
