"""Imported first by a process that others are forked from, in which Python then looks for no rubbish.

Imports leave little rubbish, and looking for it is a fifth of their time. A fork shares the memory of what was loaded
until somebody writes there, as the collector would. Whoever is forked collects again, among its own objects alone.
"""

import gc
import os
import signal
import sys

STOPS = {signal.SIGINT, signal.SIGTERM}  # held back where this process starts


def look_for_none() -> None:
    """From now on this process looks for none, but whoever is forked from it."""
    gc.disable()
    os.register_at_fork(before=gc.freeze, after_in_child=gc.enable)


def hear_no_ctrl_c() -> None:
    """From now on Ctrl-C stops neither this process nor whoever is forked from it, and SIGTERM stops it again."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)


if any("multiprocessing.forkserver" in argument for argument in sys.orig_argv):  # whoever else imports it goes on
    look_for_none()
    hear_no_ctrl_c()
