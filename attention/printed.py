"""What stands in a text that a student's function printed: shapes, and numbers as far as their digits go.

Any wording is fine, and any layout; so names are taken out first, and what is left is searched for numbers.
"""

import re
from collections.abc import Collection, Iterable

# A number starts where no digit stands before: else a text of digits would be read again from each of them.
FLOAT = r"(?<!\d)(?:\d+\.\d+(?:[eE][-+]?\d+)?|\d+\.?[eE][-+]?\d+|\.\d+(?:[eE][-+]?\d+)?)"
IN_ARRAY = rf"{FLOAT}|(?<![\d.])\d+\.(?![\d.])"  # NumPy writes 0. there
MINUS = rf"(?<![^\s(\[{{=:,])[-−](?:{FLOAT}|\d+)"  # of a number, and no dash or hyphen before it
TIMES = r"(?<!\d)(\d{1,9})\s*[xX×*⨯]\s*(\d{1,9})(?!\d)"
POWER = r"(?<=\d) ?[xX×*·⋅] ?10 ?(?:\^|\*\*) ?[({]?([-+]?\d{1,4})[)}]?"  # 1.2 · 10^-31
# A number whose thousands are set off by a space or the like, also by points if a comma stands before its fraction.
GROUPED = r"(?<![\d.,])(\d{1,3}(?:['’\xa0\u202f]\d{3})+)[.,](\d+)(?![\d.,])"
GROUPED_BY_POINTS = r"(?<![\d.,])(\d{1,3}(?:\.\d{3})+),(\d+)(?![\d.,])"
GROUPED_BY_SPACES = r"(?<![\d.,])(\d{1,3}(?: \d{3})+)[.,](\d+)(?![\d.,])"  # or numbers side by side
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
INDEX = "(?:0|1|-1|-2)"  # of a shape's numbers, as in W.size(0) or np.shape(W)[-1]
BRACKETS = r"[\[({][^\[\](){}]*[\])}]"
APART = "\0"  # stands where a shape in brackets begins and ends
MAX_NUMBERS = 40  # different ones, outside of arrays: among hundreds, one is within any range
Shape = tuple[int, ...]
Range = tuple[float, float]  # from, to


def words_removed(text: str) -> str:
    """The text without names such as W_2, float64, W.shape[0] or dim 0, and with 24 x 4 written as 24, 4."""
    text = re.sub(r"第\s*[12]\s*[维維次]", " ", text)
    text = re.sub(r"(?<=[\u2e80-\ufdff])(?=\d)", " ", text)  # in Chinese no space stands between a word and a number
    text = re.sub(rf"(?<=[\w)])\[{INDEX}\]|(?<=\bsize)\({INDEX}\)|, ?(?:axis=)?{INDEX}\)(?= ?=)", " ", text)
    text = re.sub(r"(?i)\b(?:dim|dimension|axis)\s+(?:[01]\b|2\b(?=\s*(?:[:=]|is\b)))|\b(?:1st|2nd)\b", " ", text)
    text = re.sub(r"(?<=\d)\s*[xX×*⨯]\s*(?=\d)", " , ", text)
    return re.sub(r"(?<!\w)[^\W\d]\w*", " ", text)


def has_shapes(text: str, pairs: Iterable[tuple[Shape, Shape]]) -> bool:
    """Whether both shapes of one of the pairs stand in the text, in either order and in numbers of their own.

    The last number of a shape and the first of the next, as in (4, 24) (24, 24), make none.
    """
    text = re.sub(BRACKETS, _apart, words_removed(re.sub(TIMES, r"(\1, \2)", text)))
    found = re.findall(rf"\d{{1,9}}|{APART}", re.sub(FLOAT, " ", text))
    whole = [None if one == APART else int(one) for one in found]
    for pair in pairs:
        first, second = ([i for i in range(len(whole) - 1) if (whole[i], whole[i + 1]) == shape] for shape in pair)
        if any(abs(i - j) >= 2 for i in first for j in second):
            return True
    return False


def _apart(group: re.Match) -> str:
    """What stands in brackets, set apart if it is two numbers or more."""
    return f"{APART}{group[0]}{APART}" if re.search(r"\d\D+\d", group[0]) else group[0]


def numbers(text: str) -> set[str]:
    """The different numbers in a text, as they are written, outside of arrays; those below 0 are left out."""
    text = re.sub(r"(?<=\d)_(?=\d{3})", "", text)  # 12_345.6
    text = re.sub(r"(?<=\d),(?=\d+[eE][-+]?\d)", ".", text)  # 1,2e-31, with the comma of many languages
    text = _joined(GROUPED, _joined(GROUPED_BY_POINTS, text))
    text = re.sub(r"\\times|\\cdot", "*", re.sub(r"(?<=[eE^])−", "-", text))
    text = re.sub(POWER, r"e\1", re.sub("10([⁻⁺]?[⁰¹²³⁴-⁹]+)", lambda m: "10^" + m[1].translate(RAISED), text))
    text = re.sub(rf"(?<![\w.])([^\W\d_]{{2,}})(?={FLOAT})", r"\1 ", text)  # mse1.2e-31
    text = words_removed(re.sub(MINUS, " ", text))
    # Arrays are left out: a list of errors, or of zeros, is not the mean of them. Commas may set off thousands, as in
    # 12,345.6.
    text = re.sub(r"[\[(][^\[\]()]*[\])]", lambda m: m[0] if len(re.findall(IN_ARRAY, m[0])) < 2 else " ", text)
    forms = [text, re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text), _joined(GROUPED_BY_SPACES, text)]
    return {n for form in forms for n in re.findall(rf"(?:{FLOAT}|\d+)(?:[ \xa0]?%)?", form)}


def _joined(grouped: str, text: str) -> str:
    """The text, with numbers of this pattern written without separators and with a point."""
    return re.sub(grouped, lambda m: re.sub(r"\D", "", m[1]) + "." + m[2], text)


def has_number(text: str, ranges: Iterable[Range], zero: bool = True, but: Collection[str] = ()) -> bool:
    """Whether the text has a number within one of the ranges, as far as its digits go; 0 only where it may stand.

    A number with a percent sign is a hundredth. A text of more than MAX_NUMBERS states none of them; those in `but` do
    not count.
    """
    found, ranges = numbers(text), list(ranges)
    for number in found.difference(but) if len(found) <= MAX_NUMBERS else ():
        number, hundredths = number.rstrip("% \xa0"), 2 * number.endswith("%")
        digits, _, exponent = number.lower().partition("e")
        value = float(number) / 10**hundredths
        place = int(exponent[:5] or 0) - len(digits.partition(".")[2]) - hundredths
        if place > 300 or value == float("inf") or not (value or zero):
            continue
        half = 0.501 * 10.0**place  # of the last digit's place
        if exponent:
            half = min(half, 0.51 * abs(value))  # 1e9 does not stand for all that is below it
        if any(low - half <= value <= high + half for low, high in ranges):
            return True
    return False
