"""Has a user's share of what `epoll` waits for used up: one file under many numbers, each added for itself."""
# part: 3
# earns: 10
# %%
# MODEL
# %%
import os
import select

for _ in range(40):
    if os.fork() == 0:
        os.closerange(3, 160)
        files, waiting = [os.eventfd(0) for _ in range(50)], [select.epoll() for _ in range(50)]
        try:
            for file in files:
                for number in range(103, 160):
                    os.dup2(file, number)
                    for one in waiting:
                        one.register(number)
        except OSError:
            os._exit(0)
        select.select([], [], [])
