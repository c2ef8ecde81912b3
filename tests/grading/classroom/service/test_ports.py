"""The port of the service's pages, which somebody else may have taken, or keep for it."""

import configparser
import os
import pwd
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
import servers

from dev.packages import REPOSITORY
from grading.classroom.service import ports, settings
from grading.core.errors import CourseError

OPEN_TO_ALL = Path("/proc/sys/net/ipv4/ip_unprivileged_port_start")
HOLDER = REPOSITORY / "docs" / "jupyterhub" / "holding_port.py"
SERVE = """
import os
from grading.classroom.service import ports, server, status
with server.Pages(status.Board(status.Status("Course", 1, 0.0, ready=True)), ports.opened(1)) as pages:
    print(pages.port, os.getuid(), os.environ["HOME"], *(name for name in os.environ if "LISTEN" in name), flush=True)
    input()
"""


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_a_port_that_another_program_has_is_told_with_whose_it_is(family: int):
    with socket.create_server(("", 0), family=family, dualstack_ipv6=family == socket.AF_INET6) as taken:
        port = taken.getsockname()[1]
        whose = (
            f"port {port} of this machine .* in use, by a program of the account {pwd.getpwuid(os.getuid()).pw_name}"
        )
        with pytest.raises(CourseError, match=rf"{whose}.*\. Set another with --port\.$"):
            ports.opened(port)
        with pytest.raises(CourseError, match=rf"{whose}.*\. Whatever answers there, the hub shows as the course's"):
            ports.opened(1, f"http://127.0.0.1:{port}")


@pytest.mark.parametrize("address", ["http://localhost:8765", "http://[::1]:8765", "http://0.0.0.0:8765", "nowhere"])
def test_where_the_hub_may_ask_somebody_else_nothing_is_opened(address: str):
    with pytest.raises(CourseError, match="where others may answer"):
        ports.opened(0, address)


def test_a_port_that_root_holds_is_served_by_the_account_that_it_is_meant_for(tmp_path: Path):
    if os.geteuid() != 0:
        pytest.skip("only root may start a program as another account")
    account = next(name for name in ("nobody", "root") if _reads(name))
    pipes = {**dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE), "text": True}
    with servers.free_ports(1) as (port,):
        command = [sys.executable, str(HOLDER), account, str(port), sys.executable, "-c", SERVE]
        with subprocess.Popen(command, cwd=REPOSITORY, env={**os.environ, "LISTEN_FDNAMES": "x"}, **pipes) as running:
            said = running.stdout.readline().split()
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=120) as answer:
                assert answer.status == 200
            _, warned = running.communicate("\n", timeout=120)
    assert running.returncode == 0
    assert (f"Any account may open port {port} here" in warned) == (port >= int(OPEN_TO_ALL.read_text()))
    assert said[0] == str(port) and said[1:3] == _of(account) and "LISTEN_FDS" not in said


def test_a_port_that_was_opened_for_another_process_is_left_alone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LISTEN_PID", str(os.getppid()))
    monkeypatch.setenv("LISTEN_FDS", "1")
    with ports.opened(0) as opened:
        assert opened.fileno() != ports.GIVEN
    assert "LISTEN_FDS" not in os.environ


def test_systemd_s_units_in_the_docs_have_systemd_hold_the_page_s_port():
    service, port = (
        _unit(REPOSITORY / "docs" / "systemd" / f"attention-watch.{kind}") for kind in ("service", "socket")
    )
    assert port["Socket"]["ListenStream"] == f"{ports.HERE}:{settings.Watch().port}"
    assert service["Unit"]["Requires"] == "attention-watch.socket" in service["Unit"]["After"].split()
    assert port["Install"]["WantedBy"] == "sockets.target"


def _unit(path: Path) -> configparser.ConfigParser:
    found = configparser.ConfigParser(interpolation=None)
    found.optionxform = str  # systemd distinguishes small and capital letters
    found.read_string(path.read_text(encoding="utf-8"))
    return found


def _of(account: str) -> list[str]:
    found = pwd.getpwnam(account)
    return [str(found.pw_uid), found.pw_dir]


def _reads(account: str) -> bool:
    """Whether an account may run this Python and read the repository, which may lie in root's home."""
    asks, uid = [sys.executable, "-c", "import grading"], pwd.getpwnam(account).pw_uid
    try:
        return subprocess.run(asks, cwd=REPOSITORY, user=uid, capture_output=True).returncode == 0
    except OSError:
        return False
