"""The system calls that code inside the walls may make, by name, with their numbers on x86-64 and aarch64.

Everything else is refused (`seccomp`). The list has what torch, NumPy, matplotlib, IPython and the programs that a
notebook may start need, as `benchmarks/system_calls.py` sees it while all tests run, and the older or newer forms of
the same calls. Left out are calls

- that hand out memory which no limit counts: memfd, System V, message queues, io_uring, vmsplice, inotify, attributes
  of files, whose lists of rights may take 64 kB each, and mbind, by which Linux notes 340 bytes for each page of a
  file, also of an empty one;
- that look into other processes: ptrace, process_vm_readv, pidfd_getfd, kcmp;
- that only an administrator asks for: mounts, namespaces, modules, clocks, keys, users;
- that are rarely used and often broken: bpf, perf_event_open, userfaultfd, and bytes sent out of turn (MSG_OOB), by
  which code in a browser's sandbox has taken over Linux;
- that tell about others through files that all may read, be it a sign to the notebook next door or a look at what runs
  outside: flock, locks on parts of files, inotify on /usr;
- that slow others down: sync, opening a file so that each read of it comes from the disk (O_DIRECT), timers whose
  ends interrupt a processor for long, and choosing processors (sched_setaffinity);
- that send open files: sendmsg, because Linux counts those on the way by user, who may be the grader's too;
- that close half a connection: shutdown, because whether a reply still leaves would be luck;
- that let a process wait by choice: priorities, because waiting is not its own time;
- that tell or change which pages of a file are in memory: fadvise, readahead, mincore, preadv2, which carry 64 bits
  from one notebook to the next;
- that send signals with a description of the sender's own: rt_sigqueueinfo, by which process 1 ends itself as only the
  system could.

open, openat, socket, socketpair, bind, setsockopt, getsockopt, clone, mmap, madvise, msync, ioctl, fcntl, prctl,
sched_setscheduler, setrlimit, prlimit64, sendto, kill, tkill, tgkill and pidfd_send_signal are allowed by their
arguments; the tables at the end have the commands, kinds and options. fsync and its like succeed, and do nothing, and
so do sched_setaffinity and set_mempolicy.

Numbers: asm/unistd_64.h and asm-generic/unistd.h of Linux 6.1, and for futex_wake, futex_wait, futex_requeue and
fchmodat2 of 6.7. On aarch64 the list was tried in an emulated machine alone (docs/walls.md, at its end): a notebook
that computes, draws and starts programs missed nothing there, but the tests have not been traced there as on x86-64.
"""

# Name, number on x86-64, number on aarch64; "-" where the machine has no such call.
TABLE = """
# Files
read 0 63, write 1 64, readv 19 65, writev 20 66, pread64 17 67, pwrite64 18 68, preadv 295 69, pwritev 296 70,
open 2 -, openat 257 56, creat 85 -, close 3 57,
close_range 436 436, lseek 8 62, stat 4 -, fstat 5 80, lstat 6 -, newfstatat 262 79, statx 332 291, statfs 137 43,
fstatfs 138 44, access 21 -, faccessat 269 48, faccessat2 439 439, dup 32 23, dup2 33 -, dup3 292 24,
truncate 76 45, ftruncate 77 46, fallocate 285 47,
getdents 78 -, getdents64 217 61, getcwd 79 17, chdir 80 49, fchdir 81 50, rename 82 -, renameat 264 38,
renameat2 316 276, mkdir 83 -, mkdirat 258 34, rmdir 84 -, link 86 -, linkat 265 37, unlink 87 -, unlinkat 263 35,
symlink 88 -, symlinkat 266 36, readlink 89 -, readlinkat 267 78, mknod 133 -, mknodat 259 33, chmod 90 -,
fchmod 91 52, fchmodat 268 53, fchmodat2 452 452, chown 92 -, fchown 93 55, lchown 94 -, fchownat 260 54,
umask 95 166, utime 132 -, utimes 235 -, utimensat 280 88, futimesat 261 -, getxattr 191 8, lgetxattr 192 9,
fgetxattr 193 10, listxattr 194 11, llistxattr 195 12, flistxattr 196 13,
removexattr 197 14, lremovexattr 198 15, fremovexattr 199 16, copy_file_range 326 285

# Memory
munmap 11 215, mprotect 10 226, mremap 25 216, brk 12 214,
mlock 149 228, mlock2 325 284, munlock 150 229, mlockall 151 230, munlockall 152 231, membarrier 324 283,
get_mempolicy 239 236, pkey_alloc 330 289, pkey_free 331 290,
pkey_mprotect 329 288

# Processes and threads
fork 57 -, vfork 58 -, execve 59 221, execveat 322 281, exit 60 93, exit_group 231 94, wait4 61 260, waitid 247 95,
getpid 39 172, getppid 110 173, gettid 186 178, getpgrp 111 -, getpgid 121 155, setpgid 109 154, getsid 124 156,
setsid 112 157, getuid 102 174, geteuid 107 175, getgid 104 176, getegid 108 177, getresuid 118 148,
getresgid 120 150, getgroups 115 158, capget 125 90, arch_prctl 158 -, set_tid_address 218 96,
set_robust_list 273 99, get_robust_list 274 100, rseq 334 293, futex 202 98, futex_waitv 449 449, futex_wake 454 454,
futex_wait 455 455, futex_requeue 456 456, sched_yield 24 124, sched_getaffinity 204 123,
sched_getparam 143 121, sched_getscheduler 145 120,
sched_getattr 315 275, sched_get_priority_max 146 125, sched_get_priority_min 147 126, sched_rr_get_interval 148 127,
getpriority 140 141, getrlimit 97 163, getrusage 98 165,
getcpu 309 168, pidfd_open 434 434, uname 63 160, sysinfo 99 179

# Signals
kill 62 129, tkill 200 130, tgkill 234 131, rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigpending 127 136,
rt_sigreturn 15 139, rt_sigsuspend 130 133, rt_sigtimedwait 128 137, sigaltstack 131 132, restart_syscall 219 128,
pause 34 -

# Time
alarm 37 -, setitimer 38 103, getitimer 36 102, nanosleep 35 101, clock_nanosleep 230 115, clock_gettime 228 113,
clock_getres 229 114, gettimeofday 96 169, time 201 -, times 100 153

# Waiting
select 23 -, pselect6 270 72, poll 7 -, ppoll 271 73, epoll_create 213 -, epoll_create1 291 20, epoll_ctl 233 21,
epoll_wait 232 -, epoll_pwait 281 22, epoll_pwait2 441 441, eventfd 284 -, eventfd2 290 19, pipe 22 -, pipe2 293 59

# Sockets
bind 49 200, listen 50 201, accept 43 202, accept4 288 242, connect 42 203, getsockname 51 204,
getpeername 52 205, sendto 44 206, recvfrom 45 207, recvmsg 47 212, recvmmsg 299 243

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
PRCTL, SOCKETPAIR, MADVISE, MSYNC = (157, 167), (53, 199), (28, 233), (26, 227)
SETRLIMIT, PRLIMIT, PIDFD_SIGNAL, GETSOCKOPT = (160, 164), (302, 261), (424, 424), (55, 209)  # and these
# Signals that no notebook sends. What the keeper stops for a look stays so: four processes that had one another go on,
# again and again, were still running after one time in three on two processors. Nor does Linux send them for it: as the
# signal that tells of a child's end, two processes got on with it after one time in five.
KEEPERS_SIGNALS = (18,)  # SIGCONT
SIGNAL_OF_END, PR_SET_PDEATHSIG = 0xFF, 1  # the part of clone's flags that is a signal; the option that asks for one
MSG_OOB = 1
READING_WITH_FLAGS = ((327, 286), (328, 287))  # preadv2 and pwritev2, for which libc falls back to preadv and pwritev
SETXATTR = ((188, 5), (189, 6), (190, 7))  # of a path, of a link, of an open file: refused as where there are none
# What an interrupt does counts as the time of whoever it interrupts. Where a timer is a file, its end goes through all
# that wait for this file, and where signals are one, each signal of a timer does: 110 threads that each name it 150
# times, by way of 8 epolls, made that 3 ms, over and over, and a neighbour's own time passed twelve times as fast. With
# neither an end still takes thrice the time that it takes to set the timer. So a process has one (setitimer). Refused
# as where Linux has none: `timeout` then takes that.
IN_INTERRUPTS = {
    "timer_create": (222, 107),
    "timerfd_create": (283, 85),
    "signalfd": (282, None),
    "signalfd4": (289, 74),
}
# sendfile and splice put pages of files into sockets and pipes, where they stay once the file is gone and its room is
# free again: memory that nobody counts. Refused as for files that can't do it, so that all copy by reading and writing.
SENDING_FILES = ((40, 71), (275, 76))

# Opening files, and the flag that is refused there and as a state of an open file: past the memory in which Linux keeps
# what was read once, some threads keep a disk so busy that a neighbour's import takes a minute, which is its own time.
# openat2 has its flags in memory, unseen; libc takes openat.
OPEN, OPENAT, OPENAT2, O_DIRECT, F_SETFL = (2, None), (257, 56), (437, 437), (0x4000, 0x10000), 4

# fsync, fdatasync and sync_file_range. On a file of the system's, which all may read, each has the disk itself write
# what it holds back: whoever writes notices, and so does each notebook that asks for the same. A notebook's own files
# are on no disk, so that nothing is left undone.
FLUSHING = ((74, 82), (75, 83), (277, 84))

# A thread of Linux's own moves whoever chooses another processor, before all others' work and as nobody's time. Twenty
# processes that did nothing else had these threads busy for 3.8 of 8 s on two processors, and a neighbour computed a
# fifth of what it did next to thirty that computed. A program that asks for it does as well without.
SET_AFFINITY = (203, 122)

# Where a part of the memory is used up (a node, of a machine that has several), Linux kills somebody with much of any:
# whoever asked for memory of that part alone, or a neighbour. So a notebook was killed by the system with a fifth of
# what it may have. A program that asks for it does as well without.
SET_MEMORY_POLICY = (238, 237)

# ioctl's requests: of terminals (not what types into them), of what waits in a pipe or socket, of closing in a child.
# Not among them: networks, of which the judge's sockets would tell; clones and attributes of files, and locks on them.
REQUESTS = {
    "TCGETS TCSETS TCSETSW TCSETSF": (0x5401, 0x5402, 0x5403, 0x5404),
    "TCGETS2 TCSETS2 TCSETSW2 TCSETSF2": (0x802C542A, 0x402C542B, 0x402C542C, 0x402C542D),
    "TCSBRK TCXONC TCFLSH TCSBRKP": (0x5409, 0x540A, 0x540B, 0x5425),
    "TIOCSCTTY TIOCGPGRP TIOCSPGRP TIOCNOTTY TIOCGSID": (0x540E, 0x540F, 0x5410, 0x5422, 0x5429),
    "TIOCOUTQ TIOCGWINSZ TIOCSWINSZ FIONREAD FIONBIO": (0x5411, 0x5413, 0x5414, 0x541B, 0x5421),
    "FIONCLEX FIOCLEX": (0x5450, 0x5451),
}
# With a GPU, what NVIDIA's driver is asked: by nvidiactl and nvidiaN all that is of its own kind ('F'), by nvidia-uvm
# numbers without a kind, of which 200 and above are its tests, and the two by which that begins and ends. Below 23 are
# some that CUDA no longer uses; in files, 1 and 2 are FIBMAP and FIGETBSZ. After nv-ioctl-numbers.h, uvm_ioctl.h and
# uvm_linux_ioctl.h of NVIDIA's open-gpu-kernel-modules, and what gVisor's nvproxy lets through of them.
NVIDIA_KIND, NVIDIA_NUMBERS, NVIDIA_UVM = 0x46, (23, 200), (0x30000001, 0x30000002)
# fcntl's commands. Not among them: locks, whose places are numbers that another notebook could read; leases and watches
# on files; hints about a file's use (F_SET_RW_HINT), which stay in a file of the system's as a note to the next one;
# signals from files; F_SETPIPE_SZ, because Linux counts pipes by user.
COMMANDS = {
    "F_DUPFD F_GETFD F_SETFD F_GETFL F_SETFL F_DUPFD_CLOEXEC": (0, 1, 2, 3, 4, 1030),
    "F_DUPFD_QUERY F_GETPIPE_SZ F_GET_SEALS": (1027, 1032, 1034),
}
# prctl's options. Not among them: further filters of system calls, who may run next to whom on a core
# (PR_SCHED_CORE: a way to have a neighbour's core stand still), how late a timer may be, and names of memory.
OPTIONS = {
    "PR_SET_PDEATHSIG PR_GET_PDEATHSIG PR_GET_DUMPABLE PR_SET_DUMPABLE": (1, 2, 3, 4),
    "PR_SET_NAME PR_GET_NAME PR_GET_SECCOMP PR_CAPBSET_READ PR_GET_SECUREBITS": (15, 16, 21, 23, 27),
    "PR_GET_TIMERSLACK PR_SET_CHILD_SUBREAPER PR_GET_CHILD_SUBREAPER": (30, 36, 37),
    "PR_SET_NO_NEW_PRIVS PR_GET_NO_NEW_PRIVS PR_GET_THP_DISABLE": (38, 39, 42),
    "PR_SVE_GET_VL PR_GET_TAGGED_ADDR_CTRL PR_SME_GET_VL PR_GET_AUXV": (51, 56, 64, 0x41555856),
}
# madvise's advice, about memory of one's own. Not among them: what reads pages of a file, drops them or has them go
# first (WILLNEED, POPULATE_READ, PAGEOUT, COLD), or makes one of many (COLLAPSE): all who read the file have these
# pages, also once the notebook has ended; and what Linux may share with others who hold the same (MERGEABLE).
ADVICE = {
    "MADV_NORMAL MADV_RANDOM MADV_SEQUENTIAL MADV_DONTNEED MADV_FREE MADV_REMOVE": (0, 1, 2, 4, 8, 9),
    "MADV_DONTFORK MADV_DOFORK MADV_HUGEPAGE MADV_NOHUGEPAGE MADV_DONTDUMP MADV_DODUMP": (10, 11, 14, 15, 16, 17),
    "MADV_WIPEONFORK MADV_KEEPONFORK MADV_GUARD_INSTALL MADV_GUARD_REMOVE": (18, 19, 102, 103),
}
# Types of Unix sockets, without SOCK_CLOEXEC and SOCK_NONBLOCK. There are no others: not IPv4, by which nobody is
# reached, but each look for a way to 0.0.0.0 is counted for the whole machine, in /proc/net/stat/rt_cache: a note to a
# later notebook, as exact as SO_COOKIE below; nor IPv6, because where it is switched off Linux starts modprobe outside,
# as root, for each that is asked for.
SOCKETS = (1, 2)  # SOCK_STREAM SOCK_DGRAM
CUDA_SOCKETS = (5,)  # SOCK_SEQPACKET: CUDA listens on one, for others that share its memory, and does not start without
# setsockopt's options, of sockets themselves (SOL_SOCKET). Not among them: sizes of buffers, because nobody counts what
# lies in them; filters, encryption and other protocols' parts, which take memory or load modules; pages that stay in a
# socket (SO_ZEROCOPY); senders' numbers (SO_PASSCRED), with which Linux names each socket that has no name, as NAMELESS
# says.
# REUSEADDR DONTROUTE BROADCAST KEEPALIVE OOBINLINE LINGER REUSEPORT RCVLOWAT RCVTIMEO SNDTIMEO, in 64 bits
SOCKET_OPTIONS = (2, 5, 6, 9, 10, 13, 15, 18, 20, 21, 66, 67)
# The length of an address without a name, for which Linux makes one up. Before 5.17 it numbers these for the whole
# machine, in 20 bits, and hardly anything asks for one: as exact a note.
NAMELESS = 2
# What else getsockopt tells of a socket. Not among them: the process at the other end, opened (SO_PEERPIDFD), which is
# the judge's, its groups and its label; numbers that Linux counts on for the whole machine, one a socket, whenever
# somebody asks (SO_COOKIE): notes to a later notebook, exact, because hardly anything else asks.
TOLD = (3, 4, 7, 8, 17, 19, 30, 38, 39)  # TYPE ERROR SNDBUF RCVBUF PEERCRED SNDLOWAT ACCEPTCONN PROTOCOL DOMAIN
