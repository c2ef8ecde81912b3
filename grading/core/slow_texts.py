"""Texts for which a browser takes a minute, made so that it takes none.

It lays out a row of accents on one letter, and a line that changes its direction thousands of times, in a time that
grows with the square of their number: 60,000 accents take Chromium 11 s, 100,000 vowels above a Thai letter 16 s, and
40,000 Latin and Hebrew letters in turns 7 s. A row goes on after signs that nobody sees and after elements of HTML.
20,000 colours of skin after a waving hand take 46 s. Nor does it end a line of Thai, which has no spaces between its
words, in less: 400,000 letters of it take 41 s, with anything but a space among them. The same holds of letters that
join: 300,000 of Arabic take the Formgrader's page 12 s, and 99,000 of N'Ko a paragraph 5 s.
Nobody writes such a text; a megabyte of it is an output like any other. And two megabytes of empty lines make a page so
high that it shows nothing below them.
"""

import functools
import re
import sys
import unicodedata
from collections.abc import Iterator

ACCENTS = 30  # in a row that are shown; people write three
TURNS = 3_000  # from one direction of writing to the other in a text; a long essay with foreign names has hundreds
UNSPACED = 500  # characters without a space, in a text of such a script, after which one that nobody sees is put in
# Characters for each line of a text, on average, below which it has no empty lines; the first lines don't count.
LINE_CHARS, FIRST_LINES = 3, 100
# Characters of a line after which it ends at a word that isn't ASCII, and a tenth more, after which it ends anywhere.
# The Formgrader's fonts lack many letters, and a browser lays such a line out in the square of its length: 300,000
# letters in Hebrew words take 20 s.
LONGEST = 20_000
_FOREIGN = re.compile("[^\x00-\x7f]")
_EMPTY = re.compile(r"[\r\n]{2,}")
# Letters that are written from right to left, and the signs that say so of what follows them.
_LEFTWARDS = "\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff"
_LEFTWARDS += "\U0001e800-\U0001efff"
_LETTER = re.compile(f"[{_LEFTWARDS}]")
# A piece that is written from right to left: its words, and what stands between them and has no direction of its own.
_PIECE = re.compile(rf"[{_LEFTWARDS}]+(?:[\s.,;:!?'\"()-]+[{_LEFTWARDS}]+)*")
# Vowels of Thai and Lao that are written as two signs, of which one stands on the letter before; and colours of skin,
# which become one sign with what they follow.
_HALF_ACCENTS = "\u0e33\u0eb3\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
# Letters of scripts that put no space between words: of Thai, Lao, Burmese, Khmer, and of those that are related.
_WITHOUT_SPACES = "\u0e01-\u0e4e\u0e80-\u0edf\u1000-\u109f\u1780-\u17dd\u1950-\u19df\u1a20-\u1aad"
_WITHOUT_SPACES += "\ua9e0-\ua9fe\uaa60-\uaadf\U00011700-\U00011746"
# Letters that join: of Arabic, Syriac, N'Ko, Mongolian, Phags-pa, Manichaean, Sogdian, Adlam and those between.
_JOINING = "\u0600-\u08ff\u1800-\u18af\ua840-\ua87f\U00010ac0-\U00010fff\U0001e900-\U0001e95f"
_UNSPACED = re.compile(f"[{_WITHOUT_SPACES}]|(?P<joins>[{_JOINING}])")
_PIECES = re.compile("(<[^<>]*>|[ \t\r\n\u200b]+)")  # elements of HTML, at which no line need end, and spaces
_NO_SPACE = "\u200b"  # at which a line may end
_ELEMENT = re.compile("<[^<>]*>")
# Unicode's names for signs on, below or around a letter, and for those that nobody sees: a row goes on after these.
_ON_LETTERS = ("Mn", "Me", "Cf")


def eased(text: str) -> str:
    """The text, be it HTML or not, without the accents that are too many; and without the letters that change its
    direction, if they do so too often: in the place of each stands the sign for a character that can't be shown; and
    without empty lines, if it is hardly anything else; and, in scripts that have no spaces between words, with places
    at which a line may end."""
    if text.count("\n") + text.count("\r") > len(text) // LINE_CHARS + FIRST_LINES:
        text = _EMPTY.sub("\n", text)
    if text.isascii():
        return text
    if _UNSPACED.search(text):
        text = "".join(_spaced(text))
    text = "\n".join(piece for line in _rows().sub(_shortened, text).split("\n") for piece in _ended(line))
    turns = sum(1 for _ in _PIECE.finditer(text))
    return _LETTER.sub("\ufffd", text) if turns > TURNS else text


def _ended(line: str) -> Iterator[str]:
    """A line in pieces that are not too long."""
    start = 0
    for letter in _FOREIGN.finditer(line) if len(line) > LONGEST else ():
        at = letter.start()
        if at - start > LONGEST * (1.0 if line[at - 1].isspace() else 1.1):
            yield line[start:at]
            start = at
    yield line[start:]


def _spaced(text: str) -> Iterator[str]:
    """The pieces of a text, HTML or not, with spaces that nobody sees, or ends of lines, in words that are too long."""
    long = 0
    for n, piece in enumerate(_PIECES.split(text)):
        if n % 2:
            long = long if piece.startswith("<") else 0
            yield piece
            continue
        done = 0
        for letter in _UNSPACED.finditer(piece) if long + len(piece) > UNSPACED else ():
            if long + letter.end() - done > UNSPACED:
                # Letters that join do so over a space that nobody sees; no word of theirs is so long.
                yield piece[done : letter.end()] + ("\n" if letter["joins"] else _NO_SPACE)
                done, long = letter.end(), 0
        yield piece[done:]
        long += len(piece) - done


@functools.cache  # looking at all characters takes a tenth of a second
def _rows() -> re.Pattern:
    """A row of accents, with the elements of HTML in it; however short it is, so that no piece is looked at twice."""
    signs = map(chr, range(0xAD, sys.maxunicode))
    accents = [c for c in signs if unicodedata.combining(c) or unicodedata.category(c) in _ON_LETTERS]
    either = re.escape("".join(accents) + _HALF_ACCENTS)
    return re.compile(f"[{either}](?:[{either}]|{_ELEMENT.pattern})*")


def _shortened(row: re.Match) -> str:
    """A row without the accents that are too many; all elements stay."""
    if len(row[0]) <= ACCENTS:
        return row[0]
    pieces, left = re.split(f"({_ELEMENT.pattern})", row[0]), ACCENTS
    for n in range(0, len(pieces), 2):
        pieces[n] = pieces[n][:left]
        left -= len(pieces[n])
    return "".join(pieces)
