"""Whether the tests would notice: a process that a server leaves behind, a page that asks for something elsewhere."""

import sys
from pathlib import Path

import browser
import psutil
import pytest
import servers

# A server that starts a process in a session of its own, which does not end with it.
FORGETFUL = "import subprocess, time; subprocess.Popen(['sleep', '99'], start_new_session=True); time.sleep(99)"


def test_a_process_that_a_server_leaves_behind_is_named_and_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(servers, "STOP_LIMIT_S", 0.5)
    with (
        pytest.raises(AssertionError, match=r"left over after .*sleep 99"),
        servers.running([sys.executable, "-c", FORGETFUL], tmp_path, tmp_path / "home") as server,
    ):
        (left,) = server.wait(lambda: [each for each in server.process.children() if each.name() == "sleep"])
    assert not left.is_running() or left.status() == psutil.STATUS_ZOMBIE


def test_a_server_that_ends_at_once_is_told_with_its_log(tmp_path: Path):
    command = [sys.executable, "-c", "raise SystemExit('the port is taken')"]
    with (
        pytest.raises(AssertionError, match="the port is taken"),
        servers.running(command, tmp_path, tmp_path / "home") as server,
    ):
        server.wait(lambda: None)


def test_a_page_that_asks_for_something_elsewhere_is_found_out(tmp_path: Path):
    (tmp_path / "page.html").write_text('<script src="https://cdn.example/it.js"></script><script>it()</script>')
    with browser.opened() as opened:
        opened.page().goto((tmp_path / "page.html").as_uri())
        assert opened.foreign == ["https://cdn.example/it.js"]
        assert len(opened.errors) == 1 and "it is not defined" in opened.errors[0]
