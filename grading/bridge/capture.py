"""What an answer prints, warns of and displays while a hidden test asks for it: kept out of the cell that examines it.

Like `remote` it runs next to the student's names, and is sent there.
"""

import contextlib
import io
import sys
import warnings
from collections.abc import Iterator


class Shown(io.StringIO):
    """What an answer prints, up to a number of characters; the rest is forgotten at once."""

    def __init__(self, chars: int) -> None:
        super().__init__()
        self.left = chars
        self.displayed: object = None  # all that display() was given, as IPython keeps it

    def write(self, text: str) -> int:
        """As any stream, but past the limit nothing is kept."""
        self.left -= super().write(text[: self.left])
        return len(text)

    def text(self) -> str:
        """All that was printed, and then the plain texts of what was displayed."""
        displayed, self.displayed = self.displayed, None
        with contextlib.suppress(Exception):  # an answer can reach that list, and put anything there
            for output in displayed or ():
                if isinstance(text := (output["data"] or {}).get("text/plain"), str):
                    self.write(f"{text}\n")
        return self.getvalue()


@contextlib.contextmanager
def quiet(printed: Shown) -> Iterator[None]:
    """Puts what is printed and displayed meanwhile there; warnings and what goes to stderr are dropped."""
    with (
        warnings.catch_warnings(action="ignore"),
        _displays_kept(printed),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(Shown(0)),
    ):
        yield


@contextlib.contextmanager
def _displays_kept(printed: Shown) -> Iterator[None]:
    """As IPython's `capture_output` does for displays, with a publisher that nobody has configured."""
    if (here := shell()) is None:
        yield
        return
    from IPython.core.displayhook import CapturingDisplayHook
    from IPython.core.displaypub import CapturingDisplayPublisher

    # Without its `__init__`, which reads a configuration: that takes longer than most answers.
    publisher = CapturingDisplayPublisher.__new__(CapturingDisplayPublisher)
    vars(publisher).update(shell=None, _is_publishing=False, _in_post_execute=False)
    publisher.outputs = printed.displayed = []
    before = here.display_pub, sys.displayhook
    here.display_pub, sys.displayhook = publisher, CapturingDisplayHook(here, printed.displayed)
    try:
        yield
    finally:
        here.display_pub, sys.displayhook = before


def shell() -> object:
    """The IPython shell that this code runs in, or None."""
    return getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
