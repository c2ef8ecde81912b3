"""Has Linux note a policy for each page of an empty file (`mbind`): memory that belongs to no process and no file."""
# part: 3
# earns: 10
# %%
# MODEL
# %%
import ctypes
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
mbind, node = {"x86_64": 237}.get(platform.machine(), 235), ctypes.c_ulong(1)
noted = 0
for name in range(40):
    file = os.open(f"empty-{name}", os.O_RDWR | os.O_CREAT)
    os.ftruncate(file, 2**24)
    for page in range(0, 2**24, 4096):
        place = libc.mmap(None, 4096, 1, 1, file, page)
        noted += libc.syscall(mbind, ctypes.c_void_p(place), 4096, 2, ctypes.byref(node), 64, 0) == 0
        libc.munmap(place, 4096)
print(noted * 340 // 2**20, "MiB")
