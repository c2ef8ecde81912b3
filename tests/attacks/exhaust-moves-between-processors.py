"""Has threads of Linux's own, which come before all others, move twenty processes from processor to processor."""
# part: 3
# earns: 10
# %%
# MODEL
# %%
import os
import time

end, processors = time.monotonic() + 1, os.sched_getaffinity(0)
for _ in range(20):
    if os.fork() == 0:
        while time.monotonic() < end:
            for processor in processors:
                os.sched_setaffinity(0, {processor})
        os._exit(0)
time.sleep(1)
