"""A process that is killed once it is gone harms no other one, whose descriptor may have the same number by then."""

import os
import subprocess
import sys
import time

from grading.sandbox import pidfd_process

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


def test_what_is_killed_after_it_was_closed_is_left_alone_and_so_is_whoever_came_after_it():
    gone = pidfd_process.Process(SLEEP, stderr=subprocess.PIPE)
    gone.kill()
    gone.wait()
    number = gone._pidfd
    gone.close()
    gone.kill()
    with subprocess.Popen(SLEEP) as other:
        try:
            os.dup2(pidfd := os.pidfd_open(other.pid), number)
            gone.kill()
            time.sleep(0.1)
            assert other.poll() is None
        finally:
            os.close(number)
            if pidfd != number:
                os.close(pidfd)
            other.kill()


def test_a_wait_ends_with_its_limit_or_with_the_process():
    process = pidfd_process.Process(SLEEP, stderr=subprocess.PIPE)
    process.wait(0.01)
    assert process._popen.returncode is None
    process.kill()
    process.wait()
    assert process._popen.returncode == -9
    process.close()
