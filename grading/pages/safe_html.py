"""A student's HTML, reduced to texts, lists and tables in bounded time.

nh3 parses the text as a browser does and writes a new tree of the elements and attributes listed here. Nothing in the
result runs, loads anything, or has a second reading: neither SVG nor MathML nor any raw text is left.
"""

import re
from dataclasses import dataclass

import nh3

TAGS = frozenset(
    "a abbr b blockquote br caption code dd div dl dt em h1 h2 h3 h4 h5 h6 hr i li ol p pre s span strong sub sup "
    "table tbody td tfoot th thead tr tt u ul".split()
)
ATTRIBUTES = {"a": {"href"}, "td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan"}}
# Columns or rows that a cell may take: a browser makes room for each. Thirty tables of 100 kB, in which each cell asked
# for 1,000 columns, took Chromium 59 s and 5 GB; with 100 it takes 6 s. pandas shows 20 columns and 60 rows.
SPAN = 100
# Characters of a text for each place of its tables, which are rows times columns: a browser makes room for each place,
# whether a cell is there or not. 1,500 cells of 100 columns above 1,000 short rows, 50 kB, crash Chromium's page. A
# cell has 9 characters at least, so a table whose rows are alike is far from this limit.
CHARS_A_PLACE = 2
ROOM = 200  # characters that a text counts in addition to its own
# The links that are kept; all others are shown as their text. A whole address on the web, of a host with a dotted name:
# anything shorter leads to the server that shows the page, on which the grader is logged in, and so may the names and
# addresses of machines nearby. The host ends at once: what looks like one before an @ or a backslash is none.
WEB = re.compile(
    r"(?i)(?:https?://(?:[a-z0-9_-]+\.)+(?!local)[a-z][a-z0-9-]*\.?(?::\d{1,5})?(?:[/?#][^\s\\]*)?|mailto:[^\s\\]+)",
    re.ASCII,
)
# With this, a link to the very server that shows the page is followed without saying from where, and Jupyter refuses.
REL = "noopener noreferrer"

# What parsing costs at most, counted before it begins, since nothing can interrupt it. An element that isn't closed at
# once may stay open for all that follows: an end tag then looks through up to so many elements, which takes 10 ns
# each, and an open formatting element is made again for up to so many texts, at 2 µs each.
LOOKS, COPIES = 20_000_000, 100_000
_START = re.compile("<[a-zA-Z]")
_FORMATTING = re.compile("(?i)<(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?![a-z0-9])")
# An element that holds text alone and is closed at once, written so plainly that every parser reads it so.
_CLOSED = re.compile(r'(?i)<([a-z][a-z0-9]*)(?:\s+[\w:-]+="[^"<>]*")*\s*>[^<>]*</\1\s*>')
_PASSES = 16  # elements in elements that are seen to be closed; a table within a table has 8
_SPAN = re.compile("[0-9]{1,9}")
_TAG = re.compile(r'<(/?[a-z0-9]+)((?: [a-z]+="[^"]*")*)>')  # as nh3 writes it
_ASKED = re.compile(r'(col|row)span="(\d+)"')
_SURROGATES = re.compile("[\ud800-\udfff]")


class TooMuch(ValueError):
    """Parsing this HTML could take long."""


def reduced(source: str) -> str:
    """The HTML of `source` without anything but texts, lists, tables and links to the web.

    Where its tables would have too many places, their cells take one each.
    Errors  TooMuch if the text is nested so deeply, or so much of it is left open, that parsing it could take long, and
            for tables that have too many places even then.
    """
    if _is_costly(source):
        raise TooMuch
    for attributes in (ATTRIBUTES, {"a": ATTRIBUTES["a"]}):
        clean = _clean(source, attributes)
        if CHARS_A_PLACE * _places(clean) <= len(source) + ROOM:
            return clean.replace(f'<a rel="{REL}">', "<a>")  # no link, only its text
    raise TooMuch


def _clean(source: str, attributes: dict[str, set[str]]) -> str:
    return nh3.clean(
        _SURROGATES.sub("\ufffd", source),
        tags=set(TAGS),
        clean_content_tags={"script", "style"},
        attributes={**attributes, "*": set()},  # else `title` and `lang` pass everywhere
        attribute_filter=_attribute,
        url_schemes={"http", "https", "mailto"},
        url_relative="deny",
        link_rel=REL,
    )


def _places(clean: str) -> int:
    """The places of all tables in what nh3 has written, or a few more: how wide each row is, nobody works out."""
    places, around, table = 0, [], _Table()
    for name, said in _TAG.findall(clean):
        if name == "table":
            around.append(table)
            table = _Table()
        elif name == "/table" and around:
            places, table = places + table.rows * (table.widest + table.from_above), around.pop()
        elif name == "tr":
            table.rows, table.width = table.rows + 1, 0
        elif name in ("td", "th"):
            asked = {kind: int(number) for kind, number in _ASKED.findall(said)}
            table.width += asked.get("col", 1)
            table.widest = max(table.widest, table.width)
            table.from_above += asked.get("col", 1) if asked.get("row", 1) > 1 else 0
    return places


@dataclass
class _Table:
    """A table: its rows, how many columns the current one and the widest have, and what cells of several rows have."""

    rows: int = 0
    width: int = 0
    widest: int = 0
    from_above: int = 0


def _attribute(_: str, name: str, value: str) -> str | None:
    if name in ("colspan", "rowspan"):
        return str(min(SPAN, int(value))) if _SPAN.fullmatch(value) else None
    return value if name != "href" or WEB.fullmatch(value) else None


def _is_costly(source: str) -> bool:
    tags = source.count("<")
    for _ in range(_PASSES):
        source, closed = _CLOSED.subn("x", source)
        if not closed:
            break
    return len(_START.findall(source)) * tags > LOOKS or len(_FORMATTING.findall(source)) * tags > COPIES
