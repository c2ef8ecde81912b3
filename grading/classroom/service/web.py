"""The service's own pages on a port of this machine: the queue, /health, and /metrics for Prometheus.

Names are shown to whoever brings the token that the service prints at its start, as JupyterLab has it; on a JupyterHub
to whom the hub says they are: administrators all names, students their own. /health and /metrics hold none.
"""

import asyncio
import hmac
import json
import os
import secrets
import threading
import time

import tornado.httpserver
import tornado.netutil
import tornado.web
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics import Histogram

from grading.classroom.service import status
from grading.classroom.service.status import Board, Status
from grading.core import errors
from grading.pages import student_pages

SILENT_S = 30.0  # after which a service that has not looked for submissions is unwell
COOKIE = "watch-token"
BUCKETS_S = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600)
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-{nonce}'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)


class Pages:
    """The pages of one service, on a thread of their own."""

    def __init__(self, board: Board, port: int, prefix: str = "/", token: str | None = None) -> None:
        """Errors  CourseError if the port is taken."""
        self.board, self.prefix, self.token = board, prefix, token or secrets.token_urlsafe(24)
        try:
            (self._socket, *_) = tornado.netutil.bind_sockets(port, "127.0.0.1")
        except OSError as error:
            raise errors.CourseError(
                f"port {port} of this machine can't be used: {error.strerror}. Set another with --port."
            ) from None
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended = threading.Event()

    @property
    def address(self) -> str:
        """Where the page is, with the token that opens it."""
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
        server = tornado.httpserver.HTTPServer(self._application(), max_body_size=10_000)
        server.add_sockets([self._socket])
        if not self._ended.is_set():
            self._loop.run_forever()
        server.stop()

    def _application(self) -> tornado.web.Application:
        about = {"board": self.board, "pages": self}
        metrics = Metrics(self.board)
        routes = [(f"{self.prefix}health", Health, about), (f"{self.prefix}metrics", Measured, {"metrics": metrics})]
        if "JUPYTERHUB_SERVICE_PREFIX" in os.environ:
            from grading.classroom.service import hub  # JupyterHub is installed where it runs the service

            routes += hub.routes(self.prefix, about)
            return tornado.web.Application(routes, cookie_secret=secrets.token_bytes(32), log_function=_silent)
        return tornado.web.Application([(self.prefix, Queue, about), *routes], log_function=_silent)


class Page(tornado.web.RequestHandler):
    """A page of the service; nothing of it may be kept, framed, or run from elsewhere."""

    def initialize(self, board: Board, pages: Pages) -> None:
        """Takes what all pages share."""
        self.board, self.pages = board, pages

    def set_default_headers(self) -> None:
        """Sets what every answer says."""
        self.set_header("Server", "watch")
        self.set_header("Cache-Control", "no-store")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Referrer-Policy", "no-referrer")

    def show(self, shown: Status, whose: str) -> None:
        """Answers with the queue, as a page or as JSON."""
        if self.get_query_argument("format", "") == "json":
            self.finish(json.dumps(document(shown)))
            return
        nonce = secrets.token_urlsafe(12)
        self.set_header("Content-Security-Policy", POLICY.format(nonce=nonce))
        self.finish(student_pages.render("queue.html", status=shown, whose=whose, nonce=nonce, utc=status.in_utc))


class Queue(Page):
    """The queue, for whoever has the token."""

    def get(self) -> None:
        """Shows all names; with a token in the address it is kept in a cookie first."""
        given = self.get_query_argument("token", None)
        if given is not None and self._is_token(given):
            self.set_cookie(COOKIE, given, httponly=True, samesite="Strict", path=self.pages.prefix)
            if self.get_query_argument("format", "") != "json":
                self.redirect(self.pages.prefix)
                return
        elif not self._is_token(self.get_cookie(COOKIE, "")):
            self.set_status(403)
            self.finish("This page needs the address with its token, which the service printed when it started.\n")
            return
        self.show(self.board.read(), "")

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self.pages.token.encode())


class Health(Page):
    """Whether the service grades: 200, or 503 and why not."""

    def get(self) -> None:
        """Answers with JSON, without names."""
        found = health(self.board.read())
        self.set_status(200 if found["status"] == "ok" else 503)
        self.finish(json.dumps(found))


class Measured(tornado.web.RequestHandler):
    """Counts and times for Prometheus."""

    def initialize(self, metrics: "Metrics") -> None:
        """Takes what all answers share."""
        self.metrics = metrics

    def get(self) -> None:
        """Answers in Prometheus' text format."""
        self.set_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        self.finish(self.metrics.text())


class Metrics:
    """The status as Prometheus reads it."""

    def __init__(self, board: Board) -> None:
        self._board, self._registry = board, CollectorRegistry()
        self._times = Histogram(
            "watch_feedback_seconds",
            "From a submission's arrival to its end",
            buckets=BUCKETS_S,
            registry=self._registry,
        )
        self._registry.register(self)

    def text(self) -> bytes:
        """All metrics."""
        for seconds in self._board.new_times():
            self._times.observe(seconds)
        return generate_latest(self._registry)

    def collect(self) -> list:
        """What prometheus_client asks a collector for."""
        now = self._board.read()
        done = CounterMetricFamily("watch_submissions", "Submissions that came to their end", labels=["outcome"])
        for outcome, number in sorted(now.counts.items()):
            done.add_metric([outcome], number)
        gauges = {
            "watch_waiting": ("Submissions in line", len(now.waiting)),
            "watch_at_work": ("Submissions that are being graded", len(now.at_work)),
            "watch_workers": ("Submissions that can be graded at once", now.workers),
            "watch_healthy": ("1 while it grades, 0 while something keeps it from it", health(now)["status"] == "ok"),
        }
        return [done, *(GaugeMetricFamily(name, text, value=float(value)) for name, (text, value) in gauges.items())]


def health(now: Status) -> dict:
    """Whether the service is well, and what it does, without names."""
    silent = time.monotonic() - now.looked > SILENT_S
    trouble = now.trouble or ("it has not looked for submissions for a while" if silent else "")
    state = "unwell" if trouble else "ok" if now.ready else "starting"
    return {"status": state, "trouble": trouble, "waiting": len(now.waiting), "at_work": len(now.at_work)}


def document(now: Status) -> dict:
    """The queue as JSON."""
    found = {name: [vars(each) for each in getattr(now, name)] for name in ("waiting", "at_work", "done")}
    return {"schema": "queue-1", **health(now), **found, "counts": now.counts, "workers": now.workers}


def _silent(handler: tornado.web.RequestHandler) -> None:
    """Logs no request: an address may hold the token."""
