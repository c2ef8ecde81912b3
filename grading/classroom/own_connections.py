"""Dask's ports on this machine: who imports this refuses the connections of other accounts, as soon as they are there.

Nobody gives a worker orders without the run's certificate. But a connection on which nothing is said is an open file,
too: any account could hold so many that nobody was graded any more. Dask's pages, which nobody looks at, get no port.
"""

import contextlib
import os
import socket
import struct

from distributed.comm import tcp
from distributed.node import ServerNode
from tornado.iostream import IOStream

# Linux' sock_diag(7): asked for the connection between two ports, it says whose it is.
_DIAGNOSES, _BY_FAMILY, _REQUEST, _ANY = 4, 20, 1, 0xFFFFFFFF
_ASKED, _ENDS = struct.Struct("=IHHII BBBB I"), struct.Struct("!HH 4s12x 4s12x III")
_WHOSE = 16 + 64  # after the head of an answer, and what it says before that
_prepare, _start_pages = tcp.TLSListener._prepare_stream, ServerNode.start_http_server


async def _prepare_stream(self: tcp.TLSListener, stream: IOStream, address: str) -> IOStream | None:
    with contextlib.suppress(OSError):  # it is gone, or the system doesn't say
        theirs = account(stream.socket)
        if theirs and theirs != os.geteuid():  # root is nobody to keep out, and Windows doesn't say
            stream.close()
            return None
    return await _prepare(self, stream, address)


def _start_http_server(self: ServerNode, *arguments: object, **named: object) -> None:
    _start_pages(self, *arguments, **named)
    self.http_server.stop()


tcp.TLSListener._prepare_stream, ServerNode.start_http_server = _prepare_stream, _start_http_server


def account(connection: socket.socket) -> int | None:
    """The account at the other end of a connection on this machine; None where the system doesn't say.

    Errors  OSError if the connection is gone, or the system can't be asked.
    """
    if connection.family != socket.AF_INET or not hasattr(socket, "AF_NETLINK"):
        return None
    (here, port), (there, their_port) = connection.getsockname(), connection.getpeername()
    ends = _ENDS.pack(their_port, port, socket.inet_aton(there), socket.inet_aton(here), 0, _ANY, _ANY)
    length = _ASKED.size + len(ends)
    asked = _ASKED.pack(length, _BY_FAMILY, _REQUEST, 0, 0, socket.AF_INET, socket.IPPROTO_TCP, 0, 0, _ANY)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _DIAGNOSES) as system:
        system.settimeout(1.0)
        system.sendto(asked + ends, (0, 0))
        answer = system.recv(4096)
    return struct.unpack_from("=I", answer, _WHOSE)[0] if struct.unpack_from("=4xH", answer)[0] == _BY_FAMILY else None
