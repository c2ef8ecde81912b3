"""The service's own pages on a port of this machine, on a thread of their own.

Names are shown to whoever brings the token that the service prints at its start, as JupyterLab has it; on a JupyterHub
to whom the hub says they are: administrators all names, students their own.
"""

import asyncio
import os
import secrets
import socket
import threading

import tornado.httpserver
import tornado.httputil
import tornado.iostream
import tornado.web

from grading.classroom.service import handlers
from grading.classroom.service.metrics import Metrics
from grading.classroom.service.status import Board

ON_HUB = "JUPYTERHUB_SERVICE_PREFIX"  # set for services that a JupyterHub runs
# Connections at once. Any account on the machine may open as many as it likes, and each is an open file of the service.
MOST_OPEN = 64
IDLE_S = 20.0  # that one may take for a request, or wait for the next


class Server(tornado.httpserver.HTTPServer):
    """A server that has a few connections at once: of more than those, the one that was opened first is closed."""

    _open: tuple[tornado.iostream.IOStream, ...] = ()

    def handle_stream(self, stream: tornado.iostream.IOStream, address: tuple) -> None:
        """Takes a connection, in place of the oldest where there are too many."""
        there = [each for each in self._open if not each.closed()]
        while len(there) >= MOST_OPEN:
            there.pop(0).close()
        self._open = (*there, stream)
        super().handle_stream(stream, address)

    def start_request(
        self, server_conn: object, request_conn: tornado.httputil.HTTPConnection
    ) -> tornado.httputil.HTTPMessageDelegate:
        """Answers the next request of a connection; none of one that is closed.

        Tornado answers all that had come by then, thousands in 64 kB, and keeps the connection until it has: who opened
        connections faster than that took the service's memory.
        """
        if server_conn.stream.closed():
            return _NoMore(request_conn)
        return super().start_request(server_conn, request_conn)


class _NoMore(tornado.httputil.HTTPMessageDelegate):
    """Ends a connection at its next request, unanswered."""

    def __init__(self, connection: tornado.httputil.HTTPConnection) -> None:
        self._connection = connection

    def headers_received(self, *_: object) -> None:
        """Gives up the connection: of one that is given up here, Tornado reads no more."""
        self._connection.detach()


class Pages:
    """The pages of one service, on a thread of their own."""

    def __init__(self, board: Board, port: socket.socket, prefix: str = "/", token: str | None = None) -> None:
        self.board, self.prefix, self.token = board, prefix, token or secrets.token_urlsafe(24)
        self._socket = port
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended = threading.Event()

    @property
    def address(self) -> str:
        """Where the page is, with the token that opens it; on a JupyterHub the hub says who may."""
        if ON_HUB in os.environ:
            return f"{self.prefix} on the JupyterHub"
        return f"http://127.0.0.1:{self.port}{self.prefix}?token={self.token}"

    def __enter__(self) -> "Pages":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=5)

    def _serve(self) -> None:
        self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        server = Server(self._application(), max_body_size=10_000, idle_connection_timeout=IDLE_S, body_timeout=IDLE_S)
        server.add_sockets([self._socket])
        if not self._ended.is_set():
            self._loop.run_forever()
        server.stop()

    def _application(self) -> tornado.web.Application:
        about = {"board": self.board, "prefix": self.prefix, "token": self.token}
        routes = [
            (f"{self.prefix}health", handlers.Health, about),
            (f"{self.prefix}metrics", handlers.Measured, {"measured": Metrics(self.board)}),
        ]
        if ON_HUB in os.environ:
            from grading.classroom.service import hub  # JupyterHub is installed where it runs the service

            routes += hub.routes(self.prefix, about)
            return tornado.web.Application(routes, cookie_secret=secrets.token_bytes(32), log_function=_silent)
        return tornado.web.Application([(self.prefix, handlers.Queue, about), *routes], log_function=_silent)


def _silent(handler: tornado.web.RequestHandler) -> None:
    """Logs no request: an address may hold the token."""
