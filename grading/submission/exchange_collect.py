"""nbgrader's exchange: `nbgrader collect` takes out what students submitted, `release_feedback` puts in their pages."""

import contextlib
import datetime
import functools
import glob
import os
from collections.abc import Iterator
from pathlib import Path

from nbgrader.exchange.default import ExchangeCollect, ExchangeReleaseFeedback

from grading.core import errors, messages, names
from grading.submission import collected, exchange_folder, extra_files, safe_walk, times


class Collect(ExchangeCollect):
    """nbgrader's collect, which takes a submission's time from the file system: `c.ExchangeFactory.collect`."""

    def init_src(self) -> None:
        """Finds the submissions; those under a name that is none are left out, and those in another student's name."""
        self._left_out: dict[str, str] = {}  # by a folder's name: why
        self._own: frozenset[str] | None = None
        self._at_end = contextlib.ExitStack()
        super().init_src()
        folder = self._at_end.enter_context(_opened(self, self.inbound_path))
        self.inbound_path = _by_descriptor(folder, self.inbound_path)
        for name, why in sorted(self._left_out.items()):
            self.log.error("%s: not collected: %s", names.printable(name), why)
        self.src_records = [record for record in self.src_records if record["filename"] not in self._left_out]

    def _path_to_record(self, path: str) -> dict:
        name = os.path.basename(path)
        try:
            if not safe_walk.is_folder(path):
                return self._nobody(name, messages.NO_FOLDER_IN_EXCHANGE)
            record = super()._path_to_record(path)
        except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError):  # of a time that is none
            return self._nobody(name, messages.NAME_IN_EXCHANGE)
        student, claimed = record["username"], record["timestamp"]
        if names.trouble(student):
            return self._nobody(name, messages.NAME_IN_EXCHANGE)
        place = self.coursedir.format_path(self.coursedir.submitted_directory, student, self.coursedir.assignment_id)
        if os.path.islink(folder := Path(place).parent):  # what it leads to would be replaced
            return self._nobody(name, messages.linked(names.whole_path(folder)))
        if self.check_owner and student in self._with_own(path) and (of := exchange_folder.owner(path)) != student:
            return self._nobody(name, messages.OTHER_OWNER_TOO % of)
        record["timestamp"] = times.in_exchange(Path(path), claimed)
        if record["timestamp"] != claimed:
            self.log.warning(messages.OTHER_TIME, record["username"], claimed, record["timestamp"])
        return record

    def _nobody(self, name: str, why: str) -> dict:
        """A record with a name that nobody has, which is left out."""
        self._left_out[name] = why
        return {"username": f"/{name}", "filename": name, "timestamp": datetime.datetime.min}

    def _with_own(self, path: str) -> frozenset[str]:
        """The students who have a folder of their own account: none where accounts have other names than students."""
        if self._own is None:
            middle, named = f"+{self.coursedir.assignment_id}+", functools.cache(exchange_folder.name_of)
            found = [(name.rsplit(middle, 1)[0], name) for name in os.listdir(os.path.dirname(path)) if middle in name]
            accounts = ((student, exchange_folder.account(Path(path).with_name(name))) for student, name in found)
            own = (student for student, of in accounts if of is not None and named(of) == student)
            self._own = frozenset(own)
        return self._own

    def copy_files(self) -> None:
        """Copies the submissions; nbgrader may remove a former copy before it makes one, so it is kept meanwhile."""
        of = functools.partial(self.coursedir.format_path, self.coursedir.submitted_directory)
        places = [Path(of(record["username"], self.coursedir.assignment_id)) for record in self.src_records]
        if self.check_owner:
            self._check_owners()
        self.check_owner = False  # nbgrader's own check ends all collecting where a folder is gone by now
        with self._at_end, collected.kept_meanwhile(places, removing=self.update or self.before_duedate):
            super().copy_files()

    def _check_owners(self) -> None:
        for record in self.src_records:
            account = exchange_folder.owner(os.path.join(self.inbound_path, record["filename"]))
            if account != record["username"]:
                self.log.warning(messages.OTHER_OWNER, names.printable(record["filename"]), account)

    def do_copy(self, src: str, dest: str, log: object = None) -> None:
        """Copies a submission without following a link in it, and notes when it was made."""
        record = next(record for record in self.src_records if record["filename"] == os.path.basename(src))

        def note() -> None:
            made = times.in_exchange(Path(src), record["timestamp"])
            times.note(Path(self.coursedir.root), record["username"], made)

        try:
            for kept in collected.take(self.coursedir, Path(src), Path(dest), note):
                self.log.warning(kept)
        except (collected.TooLargeError, collected.UnreadableError) as error:  # else nobody after this one is collected
            why = getattr(error, "strerror", error)
            self.log.error("%s: not collected: %s", names.printable(record["filename"]), why)


class ReleaseFeedback(ExchangeReleaseFeedback):
    """nbgrader's release_feedback, which a submission without a secret, or from elsewhere, keeps from nobody."""

    def copy_files(self) -> None:
        """Copies each student's pages; those of a submission that came another way are named and left out.

        They go into the folder that was looked at, even if a student has put another one in its place meanwhile.
        """
        with _opened(self, self.dest_path) as folder:
            self.dest_path = _by_descriptor(folder, self.dest_path)
            self._copy_pages()

    def _copy_pages(self) -> None:
        for folder in sorted(glob.glob(self.src_path)):
            if Path(folder, extra_files.TIMESTAMP).is_file() and exchange_folder.secret(Path(folder)) is not None:
                self.src_path = glob.escape(folder)
                super().copy_files()
            else:
                self.log.warning("%s: %s", names.path(Path(folder)), messages.NOT_FROM_EXCHANGE)


@contextlib.contextmanager
def _opened(exchange: ExchangeCollect | ExchangeReleaseFeedback, inner: str) -> Iterator[int]:
    """A descriptor of a folder within the course's own; it ends the command, with a line, if either is another's."""
    instructors = exchange_folder.instructors(Path(exchange.coursedir.root), exchange.coursedir.groupshared)
    try:
        at_end = contextlib.ExitStack()
        opened = at_end.enter_context(exchange_folder.opened_within(Path(inner).parent, Path(inner).name, instructors))
    except errors.CourseError as error:
        exchange.fail(str(error))
    except OSError as error:
        exchange.fail(f"{names.whole_path(Path(inner))} can't be opened: {error.strerror}.")
    with at_end:
        yield opened


def _by_descriptor(folder: int, path: str) -> str:
    """The path of an open folder, whatever lies by now where it was found; elsewhere than on Linux the one given."""
    there = f"/proc/self/fd/{folder}"
    return there if os.path.isdir(there) else path
