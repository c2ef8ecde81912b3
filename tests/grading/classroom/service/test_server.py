"""The port of the status page: what it answers, whoever else holds connections to it."""

import json
import socket
import time
import urllib.request
from pathlib import Path

import browser
import page_checks
import pytest

from grading.classroom.service import handlers, ports, server, status
from grading.core import names


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def answers(pages: server.Pages) -> bool:
    with urllib.request.urlopen(f"http://127.0.0.1:{pages.port}/health", timeout=120) as answer:
        return answer.status == 200


def test_who_opens_connections_without_end_takes_no_more_open_files_of_the_service_and_keeps_nobody_out():
    board, held = status.Board(status.Status("Course", 1, 0.0, ready=True)), []
    with server.Pages(board, ports.opened(0)) as pages:
        assert answers(pages)
        before = open_files()
        for _ in range(4 * server.MOST_OPEN):
            held.append(socket.create_connection(("127.0.0.1", pages.port)))
            held[-1].send(b"GET /health HTTP/1.1\r\n")  # and never the end of it
        assert answers(pages)
        end = time.monotonic() + 120
        while (ours := open_files() - before - len(held)) > server.MOST_OPEN and time.monotonic() < end:
            time.sleep(0.05)
        assert ours <= server.MOST_OPEN
        for each in held:
            each.close()


def test_a_connection_that_asks_nothing_is_closed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(server, "IDLE_S", 0.2)
    with (
        server.Pages(status.Board(status.Status("Course", 1, 0.0)), ports.opened(0)) as pages,
        socket.create_connection(("127.0.0.1", pages.port), timeout=120) as silent,
    ):
        assert silent.recv(1) == b""


def test_of_a_connection_that_was_closed_nothing_more_is_answered(monkeypatch: pytest.MonkeyPatch):
    answered = []

    def answer_and_close(page: handlers.Page) -> None:
        answered.append(page)
        page.request.connection.stream.close()  # as of the one that was opened first, where there are too many

    monkeypatch.setattr(handlers.Health, "get", answer_and_close)
    with (
        server.Pages(status.Board(status.Status("Course", 1, 0.0, ready=True)), ports.opened(0)) as pages,
        socket.create_connection(("127.0.0.1", pages.port), timeout=10) as asking,
    ):
        asking.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n" * 500)
        for _ in range(20):  # of the one that is closed, another was answered at each turn
            with urllib.request.urlopen(f"http://127.0.0.1:{pages.port}/metrics", timeout=10) as other:
                assert other.status == 200
        assert len(answered) == 1


@pytest.mark.parametrize("page", ["&format=json", "health"])
def test_no_browser_takes_json_for_a_page_and_runs_what_a_student_put_into_a_name(page: str):
    board = status.Board(status.Status("Course", 1, 0.0, ready=True))
    board.add(status.Done(names.short("<img src=x onerror=alert(1)>"), 0.0, "not graded", "", None), "refused")
    with server.Pages(board, ports.opened(0)) as pages:
        address = f"http://127.0.0.1:{pages.port}/{page}" if page == "health" else pages.address + page
        with urllib.request.urlopen(address, timeout=120) as answer:
            assert answer.headers["Content-Type"] == "application/json; charset=utf-8"
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
            assert json.load(answer)["status"] == "ok"


@pytest.mark.parametrize("other", ["..", "an-ann-o-nym-" * 20], ids=["short", "long"])
@pytest.mark.parametrize("width", [900, page_checks.PHONE])
def test_a_name_stays_in_one_line_next_to_whatever_became_of_the_submission(width: int, other: str):
    board = status.Board(status.Status("Course", 1, 0.0, ready=True))
    said = f"The name of this folder in /{'exchange-of-all/' * 6} can't be a student's. Rename it, and submit it again."
    for student, why in (("jana", ""), (names.short(other), said)):
        board.add(status.Done(student, 1.8e9, "not graded", why, 7.4), "refused")
    with server.Pages(board, ports.opened(0)) as pages, browser.opened(width=width) as opened:
        page = opened.page()
        page.add_init_script("window.setTimeout = () => 0")  # or each second new cells take the place of those measured
        page.goto(pages.address)
        lines = "cell => (all => (all.selectNodeContents(cell), all.getClientRects().length))(document.createRange())"
        assert page.get_by_role("columnheader", name="student").evaluate(lines) == 1
        assert page.get_by_role("rowheader", name="jana").evaluate(lines) == 1
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        browser.photograph(page, f"queue-{width}-{len(other)}")
