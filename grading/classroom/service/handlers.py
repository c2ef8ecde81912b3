"""What the service answers on its port: the queue, as a page and as JSON, /health, and /metrics.

Nothing that is shown without a token, or by a JupyterHub's word, holds a name.
"""

import hmac
import json
import secrets

import tornado.web

from grading.classroom.service import metrics, status
from grading.classroom.service.status import Board, Status
from grading.pages import student_pages

COOKIE = "watch-token"
JSON = "application/json; charset=utf-8"
NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"  # a browser may run or load
POLICY = f"{NOTHING}; style-src 'unsafe-inline'; script-src 'nonce-{{nonce}}'; connect-src 'self'"


class Page(tornado.web.RequestHandler):
    """A page of the service; nothing of it may be kept, framed, or run from elsewhere."""

    def initialize(self, board: Board, prefix: str, token: str) -> None:
        """Takes what all pages share."""
        self.board, self.prefix, self.token = board, prefix, token

    def set_default_headers(self) -> None:
        """Sets what every answer says."""
        self.set_header("Server", "watch")
        self.set_header("Cache-Control", "no-store")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Referrer-Policy", "no-referrer")
        self.set_header("Content-Security-Policy", NOTHING)

    def show(self, shown: Status, whose: str, reloads: bool = False) -> None:
        """Answers with the queue, as a page or as JSON. The page fetches what is new, or `reloads` itself."""
        if self.get_query_argument("format", "") == "json":
            self.say(document(shown))
            return
        nonce = secrets.token_urlsafe(12)
        self.set_header("Content-Security-Policy", POLICY.format(nonce=nonce))
        about = {"whose": whose, "nonce": nonce, "reloads": reloads, "utc": status.in_utc}
        page = student_pages.render("queue.html", status=shown, **about)
        self.finish(page)

    def say(self, found: dict) -> None:
        """Answers with JSON, by a type that no browser takes for a page: names in it may be markup."""
        self.set_header("Content-Type", JSON)
        self.finish(json.dumps(found))


class Queue(Page):
    """The queue, for whoever has the token."""

    def get(self) -> None:
        """Shows all names; with a token in the address it is kept in a cookie first."""
        given = self.get_query_argument("token", None)
        if given is not None and self._is_token(given):
            self.set_cookie(COOKIE, given, httponly=True, samesite="Strict", path=self.prefix)
            if self.get_query_argument("format", "") != "json":
                self.redirect(self.prefix)
                return
        elif not self._is_token(self.get_cookie(COOKIE, "")):
            self.set_status(403)
            self.finish("This page needs the address with its token, which the service printed when it started.\n")
            return
        self.show(self.board.read(), "")

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self.token.encode())


class Health(Page):
    """Whether the service grades: 200, or 503 and why not."""

    def get(self) -> None:
        """Answers with JSON, without names."""
        found = metrics.health(self.board.read())
        self.set_status(200 if found["status"] == "ok" else 503)
        self.say(found)


class Measured(tornado.web.RequestHandler):
    """Counts and times for Prometheus."""

    def initialize(self, measured: metrics.Metrics) -> None:
        """Takes what all answers share."""
        self.measured = measured

    def get(self) -> None:
        """Answers in Prometheus' text format."""
        self.set_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        self.finish(self.measured.text())


def document(now: Status) -> dict:
    """The queue as JSON."""
    found = {name: [vars(each) for each in getattr(now, name)] for name in ("waiting", "at_work", "done")}
    return {"schema": "queue-1", **metrics.health(now), **found, "counts": now.counts, "workers": now.workers}
