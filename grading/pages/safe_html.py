"""A student's HTML, reduced to texts, lists and tables in bounded time.

nh3 parses the text as a browser does and writes a new tree of the elements and attributes listed here. Nothing in the
result runs, loads anything, or has a second reading: neither SVG nor MathML nor any raw text is left.
"""

import re

import nh3

TAGS = frozenset(
    "a abbr b blockquote br caption code dd div dl dt em h1 h2 h3 h4 h5 h6 hr i li ol p pre s span strong sub sup "
    "table tbody td tfoot th thead tr tt u ul".split()
)
ATTRIBUTES = {"a": {"href"}, "td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan"}}
# Columns or rows that a cell may take: a browser makes room for each. Thirty tables of 100 kB, in which each cell asked
# for 1,000 columns, took Chromium 59 s and 5 GB; with 100 it takes 6 s. pandas shows 20 columns and 60 rows.
SPAN = 100
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
_SURROGATES = re.compile("[\ud800-\udfff]")


class TooMuch(ValueError):
    """Parsing this HTML could take long."""


def reduced(source: str) -> str:
    """The HTML of `source` without anything but texts, lists, tables and links to the web.

    Errors  TooMuch if the text is nested so deeply, or so much of it is left open, that parsing it could take long.
    """
    if _is_costly(source):
        raise TooMuch
    clean = nh3.clean(
        _SURROGATES.sub("\ufffd", source),
        tags=set(TAGS),
        clean_content_tags={"script", "style"},
        attributes={**ATTRIBUTES, "*": set()},  # else `title` and `lang` pass everywhere
        attribute_filter=_attribute,
        url_schemes={"http", "https", "mailto"},
        url_relative="deny",
        link_rel=REL,
    )
    return clean.replace(f'<a rel="{REL}">', "<a>")  # no link, only its text


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
