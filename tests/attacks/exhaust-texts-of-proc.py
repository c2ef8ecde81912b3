"""Keeps texts of `/proc` open in which the path of a mapped file takes 2 MB: Linux holds them, for no process."""
# part: 3
# earns: 0
# %%
# MODEL
# %%
import mmap
import os
import time

for _ in range(2000):
    os.mkdir("\n" * 255)
    os.chdir("\n" * 255)
file = os.open("file", os.O_RDWR | os.O_CREAT)
os.ftruncate(file, 4096)
mapped = mmap.mmap(file, 4096)
for _ in range(3):
    if os.fork() == 0:
        break
for _ in range(60):
    text = os.open("/proc/self/maps", os.O_RDONLY)
    while os.read(text, 2**20):
        pass
time.sleep(170)
