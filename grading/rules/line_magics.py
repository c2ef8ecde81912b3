"""The code that a line magic runs: its text without the options before it, taken apart as IPython does.

It has four ways to do so, in which options may be joined, quoted, cut short or ended by `--`. Each is its own function.
"""

from types import SimpleNamespace

from IPython.core.error import UsageError
from IPython.core.magic import Magics
from IPython.core.magic_arguments import parse_argstring

from grading.rules.compiling import UNTOLD

LONGEST = 10_000  # characters: IPython takes seconds to find the options of a text of a million
NO_DEFAULTS = SimpleNamespace(options_table={})  # in place of the magics, whose options nobody has set in advance


def code_of(name: str, text: str) -> str:
    """The code that `%time`, `%timeit`, `%prun` or `%debug` runs; none where it refuses its text.

    Where that is long and may have options, it is UNTOLD.
    """
    if "-" not in text:
        return text
    if len(text) > LONGEST:
        return UNTOLD
    try:
        if name == "timeit":
            options = {"posix": False, "strict": False, "preserve_non_opts": True}
            return Magics.parse_options(NO_DEFAULTS, text, "n:r:tcp:qov:", **options)[1]
        if name == "prun":
            return Magics.parse_options(NO_DEFAULTS, text, "D:l:rs:T:q", list_all=True, posix=False)[1]
        from IPython.core.magics import ExecutionMagics  # 20 modules that hardly any notebook needs

        asked, rest = parse_argstring(getattr(ExecutionMagics, name), text, partial=True)
        return text if name == "debug" and not asked.breakpoint else " ".join(rest)
    except (UsageError, ValueError):  # the latter for a quotation that never ends
        return ""
