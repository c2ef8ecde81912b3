"""How a kernel reads a cell before it runs: as IPython does, which for each cell looks twice for syntax of its own.

It looks with a tokenizer, which takes longer than Python's compiler. But none of that syntax is Python's: in a cell
that compiles there is none. Like the zygote this file stands alone.
"""

import ast
import inspect
import re

from IPython.core.inputtransformer2 import TransformerManager
from IPython.core.interactiveshell import InteractiveShell

# Where a line may be more than Python, or IPython's tokenizer may fail at what the compiler takes.
PECULIAR = re.compile(r"^[^\S\n]*[\\!%,;/?]|\?\s*$|=\s*[%!]|[\f\v]", re.MULTILINE)


class Reader(TransformerManager):
    """Reads the cells of a shell; as IPython alone would, if a cell has changed how that is done."""

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__()
        self._shell, self._should_run_async = shell, shell.should_run_async
        self._usual = self._ways()
        self._read: tuple[str, str] | None = None  # the last cell, and what became of it
        self._compiled: tuple[str, bool] | None = None  # what was compiled, and whether it awaits, until that is asked

    def take_over(self) -> None:
        """From now on the shell reads cells in this way."""
        self._shell.input_transformer_manager = self
        self._shell.should_run_async = self.should_run_async

    def transform_cell(self, cell: str) -> str:
        """Python for a cell that may hold more than that."""
        if self._ways() != self._usual:
            return super().transform_cell(cell)
        if self._read is None or self._read[0] != cell:
            self._read = cell, super().transform_cell(cell)
        return self._read[1]

    def do_token_transforms(self, lines: list[str]) -> list[str]:
        """Lines without any syntax of IPython's own."""
        text = "".join(lines)
        plain = len(lines) > 1 and all(line.endswith("\n") for line in lines) and not PECULIAR.search(text)
        if plain and self._ways() == self._usual and self._compiles(text):
            return lines
        return super().do_token_transforms(lines)

    def should_run_async(self, raw_cell: str, *, transformed_cell: str | None = None, **found: object) -> bool:
        """Whether a cell awaits, which was found out when it was compiled.

        That tells once: the shell asks twice, and whatever the compiler warns of is to appear as often as in Jupyter.
        """
        compiled, self._compiled = self._compiled, None
        if compiled is not None and compiled[0] == transformed_cell:
            return compiled[1]
        return self._should_run_async(raw_cell, transformed_cell=transformed_cell, **found)

    def _ways(self) -> list:
        return [*self.cleanup_transforms, *self.line_transforms, *self.token_transformers]

    def _compiles(self, text: str) -> bool:
        if not self._shell.autoawait:  # then nobody asks, and the compiler would warn once more
            return False
        try:
            flags = compile(text, "<>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT).co_flags
        except (SyntaxError, MemoryError):
            self._compiled = text, False  # as IPython takes it
            return False
        except (ValueError, OverflowError, RecursionError):
            return False
        self._compiled = text, bool(flags & inspect.CO_COROUTINE)
        return True
