"""The system calls that code inside the walls may make, by name, with their numbers on x86-64 and aarch64.

Everything else is refused with EPERM (`seccomp`). The list has what torch, NumPy, matplotlib, IPython and the programs
that a notebook may start need, as `benchmarks/system_calls.py` sees it while all tests run, and what belongs to it: the
same call in its older or newer form. Not in it is what hands out memory that no limit counts (memfd, System V, message
queues, io_uring, vmsplice, inotify, and attributes of files, whose lists of rights may take 64 kB each), what looks
into other processes (ptrace, process_vm_readv, pidfd_getfd, kcmp), what only an administrator asks for (mounts,
namespaces, modules, clocks, keys, users), what is rarely used and often broken (bpf, perf_event_open, userfaultfd), and
what tells about others by way of files that all may read (flock, locks on parts of files, inotify on /usr: a sign to
the notebook next door, or a look at what is run outside) or slows them down (sync), what sends open files (sendmsg:
Linux counts those on the way by user, who may be the grader's too), what closes half a connection (shutdown: whether a
reply still leaves would be luck), what lets a process wait by choice (priorities: waiting is not its own time), what
tells or changes which pages of a file are in memory (fadvise, readahead, mincore, preadv2: 64 bits from one notebook to
the next), and signals with a description of the sender's own (rt_sigqueueinfo, by which process 1 ends itself as only
the system could). socket, setsockopt, clone, clone3, mmap, ioctl, fcntl, sched_setscheduler, setrlimit, prlimit64 and
pidfd_send_signal are allowed by their arguments.

Numbers: asm/unistd_64.h and asm-generic/unistd.h of Linux 6.1, and for futex_wake, futex_wait, futex_requeue and
fchmodat2 of 6.7.
"""

# Name, number on x86-64, number on aarch64; "-" where the machine has no such call.
TABLE = """
# Files
read 0 63, write 1 64, readv 19 65, writev 20 66, pread64 17 67, pwrite64 18 68, preadv 295 69, pwritev 296 70,
open 2 -, openat 257 56, openat2 437 437, creat 85 -, close 3 57,
close_range 436 436, lseek 8 62, stat 4 -, fstat 5 80, lstat 6 -, newfstatat 262 79, statx 332 291, statfs 137 43,
fstatfs 138 44, access 21 -, faccessat 269 48, faccessat2 439 439, dup 32 23, dup2 33 -, dup3 292 24,
fsync 74 82, fdatasync 75 83, sync_file_range 277 84, truncate 76 45, ftruncate 77 46, fallocate 285 47,
getdents 78 -, getdents64 217 61, getcwd 79 17, chdir 80 49, fchdir 81 50, rename 82 -, renameat 264 38,
renameat2 316 276, mkdir 83 -, mkdirat 258 34, rmdir 84 -, link 86 -, linkat 265 37, unlink 87 -, unlinkat 263 35,
symlink 88 -, symlinkat 266 36, readlink 89 -, readlinkat 267 78, mknod 133 -, mknodat 259 33, chmod 90 -,
fchmod 91 52, fchmodat 268 53, fchmodat2 452 452, chown 92 -, fchown 93 55, lchown 94 -, fchownat 260 54,
umask 95 166, utime 132 -, utimes 235 -, utimensat 280 88, futimesat 261 -, getxattr 191 8, lgetxattr 192 9,
fgetxattr 193 10, listxattr 194 11, llistxattr 195 12, flistxattr 196 13,
removexattr 197 14, lremovexattr 198 15, fremovexattr 199 16, sendfile 40 71,
copy_file_range 326 285, splice 275 76

# Memory
munmap 11 215, mprotect 10 226, mremap 25 216, madvise 28 233, brk 12 214, msync 26 227,
mlock 149 228, mlock2 325 284, munlock 150 229, mlockall 151 230, munlockall 152 231, membarrier 324 283,
mbind 237 235, get_mempolicy 239 236, set_mempolicy 238 237, pkey_alloc 330 289, pkey_free 331 290,
pkey_mprotect 329 288

# Processes and threads
fork 57 -, vfork 58 -, execve 59 221, execveat 322 281, exit 60 93, exit_group 231 94, wait4 61 260, waitid 247 95,
getpid 39 172, getppid 110 173, gettid 186 178, getpgrp 111 -, getpgid 121 155, setpgid 109 154, getsid 124 156,
setsid 112 157, getuid 102 174, geteuid 107 175, getgid 104 176, getegid 108 177, getresuid 118 148,
getresgid 120 150, getgroups 115 158, capget 125 90, prctl 157 167, arch_prctl 158 -, set_tid_address 218 96,
set_robust_list 273 99, get_robust_list 274 100, rseq 334 293, futex 202 98, futex_waitv 449 449, futex_wake 454 454,
futex_wait 455 455, futex_requeue 456 456, sched_yield 24 124, sched_getaffinity 204 123, sched_setaffinity 203 122,
sched_getparam 143 121, sched_getscheduler 145 120,
sched_getattr 315 275, sched_get_priority_max 146 125, sched_get_priority_min 147 126, sched_rr_get_interval 148 127,
getpriority 140 141, getrlimit 97 163, getrusage 98 165,
getcpu 309 168, pidfd_open 434 434, uname 63 160, sysinfo 99 179

# Signals
kill 62 129, tkill 200 130, tgkill 234 131, rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigpending 127 136,
rt_sigreturn 15 139, rt_sigsuspend 130 133, rt_sigtimedwait 128 137, sigaltstack 131 132, restart_syscall 219 128,
pause 34 -, signalfd 282 -, signalfd4 289 74

# Time
alarm 37 -, setitimer 38 103, getitimer 36 102, timer_create 222 107, timer_settime 223 110, timer_gettime 224 108,
timer_getoverrun 225 109, timer_delete 226 111, timerfd_create 283 85, timerfd_settime 286 86,
timerfd_gettime 287 87, nanosleep 35 101, clock_nanosleep 230 115, clock_gettime 228 113, clock_getres 229 114,
gettimeofday 96 169, time 201 -, times 100 153

# Waiting
select 23 -, pselect6 270 72, poll 7 -, ppoll 271 73, epoll_create 213 -, epoll_create1 291 20, epoll_ctl 233 21,
epoll_wait 232 -, epoll_pwait 281 22, epoll_pwait2 441 441, eventfd 284 -, eventfd2 290 19, pipe 22 -, pipe2 293 59

# Sockets
socketpair 53 199, bind 49 200, listen 50 201, accept 43 202, accept4 288 242, connect 42 203, getsockname 51 204,
getpeername 52 205, sendto 44 206, recvfrom 45 207, recvmsg 47 212, recvmmsg 299 243, getsockopt 55 209

# Random numbers
getrandom 318 278
"""


def _numbers() -> dict[str, tuple[int | None, int | None]]:
    entries = ", ".join(line.rstrip(",") for line in TABLE.splitlines() if line and not line.startswith("#"))
    rows = [entry.split() for entry in entries.split(", ")]
    return {name: tuple(None if n == "-" else int(n) for n in numbers) for name, *numbers in rows}


ALLOWED = _numbers()
SOCKET, CLONE, CLONE3, MMAP = (41, 198), (56, 220), (435, 435), (9, 222)  # by their arguments
IOCTL, FCNTL, SETSOCKOPT, SET_SCHEDULER = (16, 29), (72, 25), (54, 208), (144, 119)  # these, too
SETRLIMIT, PRLIMIT, PIDFD_SIGNAL = (160, 164), (302, 261), (424, 424)  # and these
READING_WITH_FLAGS = ((327, 286), (328, 287))  # preadv2 and pwritev2, for which libc falls back to preadv and pwritev
SETXATTR = ((188, 5), (189, 6), (190, 7))  # of a path, of a link, of an open file: refused as where there are none
