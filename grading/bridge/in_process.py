"""The way without walls: for a test cell that runs in the student's own kernel, and for tests without cells."""

import re
import sys

from grading.bridge import capture, remote

HISTORY = re.compile(r"In|Out|_+|_i+|_i?\d+|_[oid]h|__\w+__|_exit_code")  # names that IPython sets


class InProcess:
    """For a test cell that runs in the student's own kernel, or for a test without any cells.

    A cell's names and the student's share one namespace. A test's `output` must not replace a student's helper of
    that name, nor its `import math` serve an answer that forgot to import it: so the student's names are put back for
    the time of each call, and when the cell is over.
    """

    def __init__(self) -> None:
        self.shell = capture.shell()
        self.names = self.shell.user_ns if self.shell else vars(sys.modules["__main__"])
        self.used = False
        self.student = dict(self.names)
        if self.shell:
            # This module is imported within a test cell: what came into the namespace after that cell's source, which
            # IPython keeps there as _i7 or the like, is not the student's.
            order = list(self.names)
            started = [place for place, name in enumerate(order) if re.fullmatch(r"_i\d+", name)]
            for name in order[started[-1] + 1 :] if started else ():
                del self.student[name]
            self.shell.events.register("pre_run_cell", self._cell_starts)
            self.shell.events.register("post_run_cell", self._cell_ends)

    def ask(self, request: bytes, limit_s: float) -> bytes:
        """The reply's bytes; the call's limit holds where signals work."""
        if not self.shell:
            return remote.answer(request, self.names)
        self.used = True
        test = dict(self.names)
        self._put(self.student)
        try:
            return remote.answer(request, self.names)
        finally:
            self.student = dict(self.names)
            self._put(test)

    def _put(self, names: dict) -> None:
        for name in [n for n in self.names if n not in names]:
            del self.names[name]
        self.names.update(names)

    def _cell_starts(self, *_: object) -> None:
        self.used, self.student = False, dict(self.names)

    def _cell_ends(self, *_: object) -> None:
        if self.used:
            history = {n: v for n, v in self.names.items() if HISTORY.fullmatch(n)}
            self._put({**self.student, **history})
            self.used = False
