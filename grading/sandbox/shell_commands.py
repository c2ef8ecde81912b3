"""What a cell runs after "!": without a terminal, because there is none within the walls.

IPython would open one. What is written to a terminal is worked on by a thread of Linux's own, 40 microseconds for one
byte that has a long line shown again. It counts as nobody's time, no share of the processors bounds it, and whoever
waits behind it waits for a processor: with one write in a while, a notebook could keep all processors busy and hold its
own clock. Like the zygote this file stands alone.
"""

import codecs
import os
import select
import subprocess

LOOK_S = 0.05  # how often one looks whether the shell has ended, though what it started still holds its output open
PIECE_BYTES = 2**16
SIGNALLED = 128  # a shell's exit status, and a signal's number on top, if that ended a command


def run(command: str) -> int:
    """Runs a command in a shell, and shows all that it prints as it comes; its exit status, or less the signal."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    shell = subprocess.Popen(
        command,
        shell=True,
        executable=os.environ.get("SHELL"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    with shell.stdout as printed:
        try:
            while True:
                if select.select([printed], [], [], LOOK_S)[0]:
                    if not (piece := os.read(printed.fileno(), PIECE_BYTES)):
                        break
                    print(decoder.decode(piece), end="", flush=True)
                elif shell.poll() is not None:
                    break
        except KeyboardInterrupt:  # as in IPython the cell goes on
            shell.kill()
    code = shell.wait()
    return SIGNALLED - code if code > SIGNALLED else code
