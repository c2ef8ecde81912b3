"""Formulas of TeX as MathML, which browsers draw by themselves: no script, nothing loaded from elsewhere.

A formula may be a student's. What `latex2mathml` makes of it is read as a tree and written again from known elements
and attributes, each text escaped. What it cannot read, and what is longer than a formula, is shown as it was written.
"""

import html
import re
from xml.etree.ElementTree import Element

from latex2mathml.converter import Converter

from grading.core import limits

ELEMENTS = frozenset(
    "math mrow mi mn mo ms mtext mspace msub msup msubsup munder mover munderover mmultiscripts mprescripts none "
    "mfrac msqrt mroot mtable mtr mtd mpadded mphantom mstyle".split()
)
ATTRIBUTES = frozenset(
    "display displaystyle scriptlevel mathvariant form fence separator stretchy symmetric accent accentunder "
    "movablelimits lspace rspace minsize maxsize linethickness width height depth columnalign columnlines "
    "columnspacing rowspacing rowlines".split()
)
_VALUE = re.compile(r"[\w.+\-% ]{1,60}", re.ASCII)
# A longer length is left out: one of 9,999,999em makes a page so high that a browser shows nothing below it.
_LENGTH = re.compile(r"[+-]?(\d*\.?\d+) ?(em|ex|cm|in|pc|rem|ic|cap|lh|vh|vw)?.*", re.ASCII)
LONGEST, LONGEST_LARGE = 400.0, 40.0  # in small units, such as points, and in these; of heights a quarter
_DEFINES = re.compile(r"\\(?:def|let|(?:re|provide)?newcommand|newenvironment)\b")  # repeated use can grow without end
_TAG = re.compile(r"\\tag\{([^{}]*)\}")
# Elements in one another; what people write has 16 at most. Chromium's time grows with the cube of how many of some
# there are: 2 s for 148 times \phantom, in a formula of which a page may hold hundreds.
MAX_DEPTH = 40
_SPACED = frozenset(["mi", "mn", "mo", "ms", "mtext"])  # the elements that hold text
# How many elements these must hold: browsers draw any other number of them in a row, an exponent on the line.
_HOLD = {"msub": 2, "msup": 2, "munder": 2, "mover": 2, "mfrac": 2, "mroot": 2, "msubsup": 3, "munderover": 3}
_FENCED = frozenset(["mtable", "mfrac"])  # what stands between two brackets in a matrix or a binomial coefficient


def shown(tex: str, block: bool = False) -> str:
    """HTML of a formula: MathML, or the TeX itself as code where that cannot be."""
    if len(tex) <= limits.FORMULA_CHARS and not _DEFINES.search(tex):
        try:
            numbered = _TAG.sub(r"\\qquad\\text{(\1)}", tex)
            return _written(Converter(display="block" if block else "inline").convert_to_element(numbered))
        except Exception:  # noqa: BLE001, S110  (whatever it raises: this is no formula, and is shown as it is)
            pass
    return f'<code class="tex">{html.escape(tex.strip())}</code>'


def _written(element: Element, around: int = 0) -> str:
    """An element as MathML, which has so many `around` it; one that is not known gives only what is in it.

    Errors  ValueError beyond MAX_DEPTH, and for one that holds another number of elements than it must.
    """
    if around >= MAX_DEPTH:
        raise ValueError("elements too deep in one another")
    inside = "".join(_written(child, around + 1) for child in _held(element))
    if element.tag in _SPACED:
        inside = html.escape(html.unescape(element.text or "").replace("\\_", "_"), quote=False) + inside
    if element.tag not in ELEMENTS:
        return f"<mrow>{inside}</mrow>"
    kept = [f' {name}="{value}"' for name, value in element.items() if _is_kept(element, name, str(value))]
    return f"<{element.tag}{''.join(kept)}>{inside}</{element.tag}>"


def _is_kept(element: Element, name: str, value: str) -> bool:
    """Whether an attribute is written again. A box without height is drawn over what stands above it, but for what
    nobody sees."""
    if name not in ATTRIBUTES or not _VALUE.fullmatch(value):
        return False
    length = _LENGTH.fullmatch(value)
    if length is None:
        return True
    number, upright = float(length[1]), name in ("height", "depth")
    if upright and number == 0 and element.tag == "mpadded" and any(child.tag != "mphantom" for child in element):
        return False
    return number <= (LONGEST_LARGE if length[2] else LONGEST) / (4 if upright else 1)


def _held(element: Element) -> list[Element]:
    """The elements in one; a matrix to a power, which latex2mathml leaves in three pieces, is one of them.

    Errors  ValueError if there are more or fewer than there must be.
    """
    held, must = list(element), _HOLD.get(element.tag)
    if must is None:
        return held
    at = 1
    while len(held) > must and at + 1 < len(held):
        if held[at].tag in _FENCED and held[at - 1].tag == held[at + 1].tag == "mo":
            row = Element("mrow")
            row.extend(held[at - 1 : at + 2])
            held[at - 1 : at + 2] = [row]
        else:
            at += 1
    if len(held) != must:
        raise ValueError(f"{len(held)} elements in {element.tag}")
    return held
