"""What keeps the service from going on for a while, such as a full disk: reported once, and tried again."""

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from grading.classroom.service.status import Board
from grading.core import errors, names
from grading.gradebook import trouble

TRY_AGAIN_S = 3.0
COURSE, DATABASE, FILES = (
    "The course or the exchange can't be read.",
    "The gradebook or the journal can't be reached.",
    "A file can't be read or written.",
)
WAITED_FOR = (OSError, errors.CourseError, DBAPIError, sqlite3.Error)  # whatever a moment, or somebody, may change


class Retrying:
    """What one service waits for, if anything."""

    def __init__(self, board: Board, place: Path, say: Callable[[str], None]) -> None:
        self._board, self._place, self._say = board, place, say
        self._trouble = self._kind = ""

    def begin_turn(self) -> None:
        """Begins a turn: all is well until something fails in it."""
        self._trouble = self._kind = ""

    def end_turn(self) -> None:
        """Ends the turn, and writes on the board whether all was well in it."""
        if self._board.read().trouble and not self._trouble:
            self._say("grading again")
        self._board.write(trouble=self._trouble, kind=self._kind)

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Reports what fails within, so that the caller goes on and tries again a moment later."""
        try:
            yield
            return
        except (errors.CourseError, DBAPIError, sqlite3.Error) as error:
            said = trouble.first_line(error)
            self._kind = COURSE if isinstance(error, errors.CourseError) else DATABASE
        except BrokenPipeError:  # nobody reads what the service prints
            raise
        except OSError as error:  # whichever: a service that ends does so again at each start, and grades nobody
            self._kind = FILES
            why = error.strerror or str(error) or type(error).__name__
            said = f"{why}: {names.whole_path(Path(str(error.filename or self._place)))}"
        said = names.printable(said).rstrip(".") + "."
        if said != self._board.read().trouble:
            self._say(f"waiting: {said} No submission is lost.")
        self._trouble = said
        self._board.write(trouble=said, kind=self._kind, looked=time.monotonic())
        time.sleep(TRY_AGAIN_S)
