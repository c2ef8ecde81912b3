"""What the judge, the keeper and the preloaded process say to each other: JSON on SOCK_SEQPACKET sockets, with files.

    control   {"op": "start", …} + a status socket, a gate, its ends of shell and iopub
              {"op": "go"}                                     the notebook begins, and with it the watch over it
              {"op": "ping", "n": …}                           answered {"pong": n}
              and first of all from the preloaded process: {"up": process} or {"failed": why}
    status    from the judge {"signal": n}, or the end of the socket: the notebook is over
              from the sandbox {"failed": why}, {"exit": code, "struck": the limit that ended it or null, "cpu_s": …}
    gate      first of all, once the last notebook is gone, {} + a descriptor of the kernel's process, with its number
              to the kernel {"path": …} + an open file          put it into the notebook's folder
              {"package": true}                                has the course's package in that folder
              {"seed": n}                                      what its random numbers follow from
              and the end of the socket: the folder is complete, cells may run
    way       from the keeper the judge's "start", with the supervisor's socket after status and gate
              answered {"forked": n} or {"failed": why}
              {"op": "bury", "pid": n}                         answered by bytes of wait4 (`keeper.ENDED`)

This file stands alone: it is there on both sides of the walls.
"""

import array
import errno
import json
import os
import socket


def send(sock: socket.socket, message: dict, *fds: int) -> None:
    """Sends one message, with open file descriptors; the filter lets a kernel send none."""
    data = json.dumps(message).encode()
    if fds:
        sock.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))])
    else:
        sock.send(data)


def receive(sock: socket.socket) -> tuple[dict | None, list[int]]:
    """One message and its file descriptors; None when the other end is gone.

    Errors  OSError if this process may not open so many.
    """
    fds = array.array("i")
    try:
        data, beside, flags, _ = sock.recvmsg(1 << 16, socket.CMSG_SPACE(8 * fds.itemsize), socket.MSG_CMSG_CLOEXEC)
    except ConnectionError:
        return None, []
    for level, kind, content in beside:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            fds.frombytes(content[: len(content) - len(content) % fds.itemsize])
    if flags & socket.MSG_CTRUNC:
        for fd in fds:
            os.close(fd)
        raise OSError(errno.EMFILE, "this process may open no more files, so what came with a message is lost")
    return (json.loads(data) if data else None), list(fds)
