"""Has the interrupt at a timer's end go through thousands that wait for it, on each processor over and over.

That counts as the time of whoever computes there: a neighbour's own time then passes twelve times as fast.
"""
# part: 3
# earns: 10
# %%
# MODEL
# %%
import ctypes
import os
import select
import threading
import time

libc = ctypes.CDLL(None, use_errno=True)


class Asked(ctypes.Structure):
    _fields_ = [("file", ctypes.c_int), ("events", ctypes.c_short), ("found", ctypes.c_short)]


def keep_interrupting(processor):
    timer = libc.timerfd_create(time.CLOCK_MONOTONIC, 0)
    if timer < 0:
        print(os.strerror(ctypes.get_errno()))
        return
    last = select.epoll()
    between = [select.epoll() for _ in range(8)]
    for each in between:
        each.register(timer, select.EPOLLIN)
        last.register(each, select.EPOLLIN)
    many = (Asked * 150)(*[Asked(last.fileno(), select.POLLPRI, 0)] * 150)
    for _ in range(40):
        threading.Thread(target=libc.poll, args=(many, 150, -1), daemon=True).start()
    os.sched_setaffinity(0, {processor})
    after, told = (ctypes.c_long * 4)(0, 0, 0, 300_000), ctypes.create_string_buffer(8)
    while True:
        libc.timerfd_settime(timer, 0, after, None)
        libc.read(timer, told, 8)


threading.stack_size(2**16)
for processor in os.sched_getaffinity(0):
    threading.Thread(target=keep_interrupting, args=(processor,), daemon=True).start()
time.sleep(1)
