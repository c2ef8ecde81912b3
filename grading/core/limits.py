"""Every limit of grading, in one place, each with its unit in its name.

The limits of what crosses between a test and a student's kernel stand in `wire`, whose text is sent there. Those that
tests make small can be set in the environment: CALL_LIMIT_S by GRADING_CALL_LIMIT_S, and so on.
"""

import os
from enum import Enum

from grading.core import memory

PREFIX = "GRADING_"  # of environment variables that set limits


def _set(name: str, default: float) -> float:
    """The default, or what the environment says, as a number of the same type."""
    return type(default)(os.environ.get(PREFIX + name, default))


def changed() -> dict[str, str]:
    """The limits that the environment sets, by the names of its variables."""
    return {name: value for name, value in os.environ.items() if name.startswith(PREFIX)}


class EndedBy(Enum):
    """The limit that ended a notebook."""

    MEMORY = "memory"
    SESSIONS = "sessions"
    STARTED = "processes started"
    COMPUTING = "computing time"
    TIME = "time"
    STUDENT = "the time of all notebooks"
    SILENCE = "silence"
    # No limits of the student's: the notebook has to be graded again.
    BUSY = "a machine that is too busy"
    KILLED = "the system or another program"

    @property
    def is_ours(self) -> bool:
        """Whether this is our failure, for which nobody loses marks."""
        return self in (EndedBy.BUSY, EndedBy.KILLED)


# Limits on students' code count own time (`clock`): what it computed and slept, not what it waited for a processor.
CALL_LIMIT_S = _set("CALL_LIMIT_S", 20.0)  # one call of a student's function by a hidden test
TEST_LIMIT_S = _set("TEST_LIMIT_S", 120.0)  # the limits of a hidden test's calls that ran out of time, together
TESTS_LIMIT_S = _set("TESTS_LIMIT_S", 240.0)  # all calls of one hidden test together, however they end
# What a hidden test itself computes in the judge, without its calls: processor time of its thread; at most 11 s so far.
WORK_LIMIT_S = _set("WORK_LIMIT_S", 120.0)
SEARCH_LIMIT_S = _set("SEARCH_LIMIT_S", 20.0)  # looking for one usual mistake, on top of that
GRACE_S = _set("GRACE_S", 3.0)  # after a call's own limit, for the way there and back; then again after an interrupt
# By the wall clock, for a cell's outputs to come through once it has ended: what is late is not shown, nothing more.
OUTPUTS_LIMIT_S = _set("OUTPUTS_LIMIT_S", 60)
RESPONSE_LIMIT_S = _set("RESPONSE_LIMIT_S", 5.0)  # for a kernel whose cell was interrupted to be ready for the next
# One cell of a notebook, student's or ours; an answer that trains or measures something takes 5 to 20 s on one core.
CELL_LIMIT_S = _set("CELL_LIMIT_S", 180)
NBGRADER_CELL_LIMIT_S = 30  # the same in a course that was written for nbgrader alone: nbgrader's own default
CHECK_LIMIT_S = _set("CHECK_LIMIT_S", 60.0)  # one notebook up to its visible checks, as a student runs them
NOTEBOOK_BYTES = 20 * 2**20  # a submission's notebook file: the release's are below 0.1 MB, pictures included 1 MB
NOTEBOOK_LISTS = 2_000_000  # lists and mappings in it, those in texts included: ten million take 3 s to read, and 1 GB
FILE_BYTES = 20 * 2**20  # any other file of a submission
FILES_BYTES = 100 * 2**20  # all of them together
NAMED = 10  # files of a submission that notices name, of each kind
ENTRIES = 5_000  # names in a submission's folders that are looked at
FILES = 200  # files of a submission, notebooks included
FILE_DEPTH = 4  # folders in folders of a submission
SOCKET_PATH_CHARS = 70  # of the 107 that a socket's path may have, what its folder may take
CELLS = 500  # cells of one notebook
SOURCE_CHARS = 500_000  # the text of all cells that a student writes, Markdown and code
CODE_CHARS = 50_000  # the code among it: the model answers have 3,000, and a rule reads 50,000 in up to 5 s
PRINTED_CHARS = 20_000  # what a probed call printed, handed to the test
OUTPUT_CHARS = 1_000_000  # what one cell's output keeps in the graded notebook
NOTEBOOK_OUTPUT_CHARS = 3_000_000  # what all cells' outputs keep
OUTPUT_COST_CHARS = 200  # what one output counts in addition to its text, so that their number is bounded
# A picture's pixels for each character that it counts as: 64 million pixels in a cell, each 4 bytes in a browser.
PIXELS_A_CHAR = 64
TEXT_PIXELS_A_CHAR = 256  # the most that a picture within a Markdown text may have for each of its own characters
SHOWN_CHARS = 20_000  # a text of Markdown that pages show as such; a longer one is shown as plain text
HTML_CHARS = 100_000  # the same for HTML; a table of 100 rows and 20 columns has 50,000, and is read within 0.1 s
PAGE_LIMIT_S = 10.0  # for all such texts of a page
PAGE_CHARS = 20_000_000  # the HTML of all such texts of a page; formulas and coloured code are 30 times their text
FORMULA_CHARS = 1_500  # a formula that pages draw; the longest that we know has 330
MESSAGE_BYTES = 16 * 2**20  # one message of a kernel, but for the bytes of a reply: larger outputs are left out
HEADER_BYTES = 2**16  # what each of the two headers of a message may have; they have 300 bytes
# A longer message may hold so many texts, numbers and lists: 20 MB of empty lists take 4 s to read, and 0.6 GB.
PLAIN_BYTES, MESSAGE_PIECES = 2**20, 500_000
JUDGE_BYTES = _set("JUDGE_BYTES", 2 * 2**30)  # what a notebook may make the judge's own memory grow by
MESSAGE_CHARS = 400  # one message that a student reads

# A student's kernel (sandbox): what it may use, whatever the machine has.
SCRATCH_BYTES = _set("SCRATCH_BYTES", 512 * 2**20)  # all files of a notebook, the copy of the submission included
SHARED_BYTES = _set("SHARED_BYTES", 128 * 2**20)  # /dev/shm, through which processes share arrays
# What else is in the machine's memory while one notebook runs: the system, a worker, and a process with torch loaded.
GRADER_BYTES = 1536 * 2**20
LEAST_MEMORY_BYTES = 1536 * 2**20  # what each notebook may use, however small the machine; the model answers need half
HONEST_BYTES = 1280 * 2**20  # a worker, its preloaded process and a usual notebook: as many workers as find room start
MACHINE_BYTES = memory.total_bytes()  # None if the system does not say
USUAL_MEMORY_BYTES = 6 * 2**30


def _room(machine_bytes: int | None) -> int:
    """What all processes of a notebook may use where the machine has so much."""
    if machine_bytes is None:
        return USUAL_MEMORY_BYTES
    left_bytes = machine_bytes - GRADER_BYTES - SCRATCH_BYTES - SHARED_BYTES
    return min(USUAL_MEMORY_BYTES, max(LEAST_MEMORY_BYTES, left_bytes))


MEMORY_BYTES = _set("MEMORY_BYTES", _room(MACHINE_BYTES))  # memory of all processes of a notebook together
# Address space of one process, on top of what the libraries take: 1.2 GB with torch's CPU build, 3.7 GB with CUDA.
PROCESS_BYTES = _set("PROCESS_BYTES", min(5 * 2**30, _room(MACHINE_BYTES)))
# Signals to a notebook that wait. Linux counts them by user, as what epoll waits for.
SIGNALS = 1_000
# Pages of files that a process may hold in memory (mlock): nobody counts them, and Linux usually grants 8 MB or all.
LOCKED_BYTES = 64 * 2**10
PROCESSES = 128  # processes and threads; a kernel itself has about 8
# Sessions that its processes may be in at once: Linux shares the processors between sessions, however many processes
# each has, so that a notebook takes at most this many times its share. One more is refused (`sandbox.supervisor`).
SESSIONS = 4
# Processes and threads that a notebook may start in all. One that ends between two looks of a clock, within 0.5 s, may
# go uncounted: a notebook that divides its work into such pieces hides at most 42 minutes, and never becomes BUSY.
STARTED = 5_000
# Files that a notebook's processes add to what they wait for (epoll), in all: a kernel adds 20. Linux counts them by
# user, who may be the grader's too, of whom a machine of 8 GB allows 1.8 million. It tells them in a file of /proc, in
# 76 bytes each, and keeps that text for as long as somebody has the file open: in OPEN_FILES of PROCESSES, 1.3 GB.
ADDITIONS = 800
# With a GPU: what a notebook maps so that processes may share it, in all, what it gave back included. Each piece counts
# as a MB more. CUDA maps 100 MB. Without a file such memory counts for no process that doesn't touch it, and what CUDA
# manages, a mapping of a device file, counts for none.
GPU_SHARED_MB = 1024
OPEN_FILES = 160  # of one process; a kernel has about 40
WRITTEN_BYTES = 256 * 2**20  # one file that a notebook writes
SCRATCH_FILES = 20_000  # files and folders of a notebook
CPU_LIMIT_S = 1200  # computing time of one process, all its threads together
NOTEBOOK_LIMIT_S = _set("NOTEBOOK_LIMIT_S", 900.0)  # one notebook, from the start of its kernel to the end
# All notebooks of one submission together: one may take all of its NOTEBOOK_LIMIT_S, and then the others have as much
# again. The model answers of a course of 14 parts take 20 to 55 s on one core.
STUDENT_LIMIT_S = _set("STUDENT_LIMIT_S", 1800.0)
LEAST_S = _set("LEAST_S", 120.0)  # what each notebook has even then, so that an honest one keeps its marks
# By the wall clock a notebook may take this many times its own time; then the machine is too busy to grade on.
BUSY_FACTOR = 10
SANDBOX_LIMIT_S = 120.0  # a sandbox's start, which imports the course's libraries; torch takes 2 s on a quiet machine
# How long a sandbox may leave the judge without an answer before it is given up.
SILENCE_LIMIT_S = _set("SILENCE_LIMIT_S", 20.0)


def now(name: str) -> float:
    """A limit as the environment says now, for processes that are yet to start; KeyError if there is no such limit."""
    return _set(name, globals()[name])


def workers() -> int:
    """How many workers grade at once: one per core, as far as the memory goes."""
    cores = os.cpu_count() or 1
    return cores if MACHINE_BYTES is None else max(1, min(cores, MACHINE_BYTES // HONEST_BYTES))
