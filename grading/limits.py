"""Every limit of grading, in one place, each with its unit in its name.

The limits of what crosses between a test and a student's kernel stand in `wire`, whose text is sent there.
"""

import os

CALL_LIMIT_S = 20.0  # one call of a student's function by a hidden test
TEST_LIMIT_S = 120.0  # all calls of one hidden test together, once one of them has run out of time
TESTS_LIMIT_S = 240.0  # all calls of one hidden test together, however they end
# One cell of a notebook, student's or ours; the answer of part 13 takes 5 to 20 s on two cores.
CELL_LIMIT_S = int(os.environ.get("ATTENTION_CELL_LIMIT_S", "180"))
NOTEBOOK_BYTES = 20 * 2**20  # a hand-in's notebook file: the release's are below 0.1 MB, pictures included 1 MB
FILE_BYTES = 20 * 2**20  # any other file of a hand-in
FILES = 200  # files of a hand-in, notebooks included
FILE_DEPTH = 4  # folders in folders of a hand-in
CELLS = 500  # cells of one notebook
SOURCE_CHARS = 1_000_000  # the text of one cell
PRINTED_CHARS = 20_000  # what a probed call printed, handed to the test
OUTPUT_CHARS = 1_000_000  # what one cell's output keeps in the graded notebook
MESSAGE_CHARS = 400  # one message that a student reads

# A student's kernel (sandbox): what it may use, whatever the machine has.
PROCESS_BYTES = 4 * 2**30  # address space of one process; importing torch takes 0.6 GB of it, a kernel 1.8 GB
MEMORY_BYTES = 6 * 2**30  # memory of all processes of a notebook together
PROCESSES = 128  # processes and threads; a kernel itself has about 8
OPEN_FILES = 512  # of one process
WRITTEN_BYTES = 256 * 2**20  # one file that a notebook writes
SCRATCH_BYTES = 512 * 2**20  # all files of a notebook, the copy of the hand-in included
SHARED_BYTES = 128 * 2**20  # /dev/shm, through which processes share arrays
SCRATCH_FILES = 20_000  # files and folders of a notebook
CPU_LIMIT_S = 1200  # computing time of one process, all its threads together
NOTEBOOK_LIMIT_S = 900.0  # one notebook, from the start of its kernel to the end
SANDBOX_LIMIT_S = 120.0  # a sandbox's start, which imports torch; 2 s on a quiet machine
SILENCE_LIMIT_S = 20.0  # how long a sandbox may leave the judge without an answer before it is given up
