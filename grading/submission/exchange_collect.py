"""nbgrader's exchange: `nbgrader collect` takes out what students submitted, `release_feedback` puts in their pages."""

import datetime
import functools
import glob
import os
from pathlib import Path

from nbgrader.exchange.default import ExchangeCollect, ExchangeReleaseFeedback

from grading.core import errors, messages, names
from grading.submission import collected, exchange_folder, extra_files, safe_walk, times


class Collect(ExchangeCollect):
    """nbgrader's collect, which takes a submission's time from the file system: `c.ExchangeFactory.collect`."""

    def init_src(self) -> None:
        """Finds the submissions; those under a name that is none are left out."""
        super().init_src()
        _check_own(self, self.inbound_path)
        refused = {record["filename"]: names.trouble(record["username"]) for record in self.src_records}
        for name in sorted(name for name, why in refused.items() if why):
            is_folder = safe_walk.is_folder(os.path.join(self.inbound_path, name))
            why = messages.NAME_IN_EXCHANGE if is_folder else messages.NO_FOLDER_IN_EXCHANGE
            self.log.error("%s: not collected: %s", names.printable(name), why)
        self.src_records = [record for record in self.src_records if not refused[record["filename"]]]

    def _path_to_record(self, path: str) -> dict:
        name = os.path.basename(path)
        # With a name that nobody has, so that it is left out.
        nobody = {"username": f"/{name}", "filename": name, "timestamp": datetime.datetime.min}
        if not safe_walk.is_folder(path):
            return nobody
        try:
            record = super()._path_to_record(path)
        except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError):  # of a time that is none
            return nobody
        claimed = record["timestamp"]
        record["timestamp"] = times.in_exchange(Path(path), claimed)
        if record["timestamp"] != claimed:
            self.log.warning(messages.OTHER_TIME, record["username"], claimed, record["timestamp"])
        return record

    def copy_files(self) -> None:
        """Copies the submissions; nbgrader may remove a former copy before it makes one, so it is kept meanwhile."""
        of = functools.partial(self.coursedir.format_path, self.coursedir.submitted_directory)
        places = [Path(of(record["username"], self.coursedir.assignment_id)) for record in self.src_records]
        if self.check_owner:
            self._check_owners()
        self.check_owner = False  # nbgrader's own check ends all collecting where a folder is gone by now
        with collected.kept_meanwhile(places, removing=self.update or self.before_duedate):
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
            self.log.error("%s: not collected: %s", names.printable(src), getattr(error, "strerror", error))


class ReleaseFeedback(ExchangeReleaseFeedback):
    """nbgrader's release_feedback, which a submission without a secret, or from elsewhere, keeps from nobody."""

    def init_dest(self) -> None:
        """Makes the folder that the pages go to."""
        super().init_dest()
        _check_own(self, self.dest_path)

    def copy_files(self) -> None:
        """Copies each student's pages; those of a submission that came another way are named and left out."""
        for folder in sorted(glob.glob(self.src_path)):
            if Path(folder, extra_files.TIMESTAMP).is_file() and exchange_folder.secret(Path(folder)) is not None:
                self.src_path = glob.escape(folder)
                super().copy_files()
            else:
                self.log.warning("%s: %s", names.path(Path(folder)), messages.NOT_FROM_EXCHANGE)


def _check_own(exchange: ExchangeCollect | ExchangeReleaseFeedback, inner: str) -> None:
    """Ends the command, with a line, if the course's folder, or this one within it, is another account's."""
    instructors = exchange_folder.instructors(Path(exchange.coursedir.root), exchange.coursedir.groupshared)
    try:
        with exchange_folder.opened_within(Path(inner).parent, Path(inner).name, instructors):
            return
    except errors.CourseError as error:
        exchange.fail(str(error))
    except OSError as error:
        exchange.fail(f"{names.whole_path(Path(inner))} can't be opened: {error.strerror}.")
