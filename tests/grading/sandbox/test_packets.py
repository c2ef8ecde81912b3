"""What the judge and a sandbox send each other comes whole, or somebody hears that it doesn't."""

import os
import socket
import subprocess
import sys

from dev.packages import REPOSITORY
from grading.sandbox import packets

FULL = """
import os, resource, socket
from grading.sandbox import packets
here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
packets.send(here, {"path": "a"}, 0, 0, 0)
taken = max(here.fileno(), there.fileno()) + 1
resource.setrlimit(resource.RLIMIT_NOFILE, (taken + 2, taken + 2))  # room for two of three
try:
    packets.receive(there)
finally:
    for _ in range(2):  # what came of them is closed
        os.dup(0)
"""


def test_descriptors_come_beside_a_message():
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with here, there, open(os.devnull, "rb") as file:
        packets.send(here, {"path": "a"}, file.fileno())
        message, (fd,) = packets.receive(there)
        assert message == {"path": "a"} and os.path.sameopenfile(fd, file.fileno())
        assert not os.get_inheritable(fd)
        os.close(fd)


def test_a_descriptor_that_finds_no_room_is_an_error_that_says_so():
    run = subprocess.run([sys.executable, "-c", FULL], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert run.stderr.splitlines()[-1].startswith("OSError: [Errno 24] this process may open no more files")
