"""A real JupyterHub on loopback, as docs/jupyterhub/ configures it, and what its users do through it."""

import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
import requests
import servers

from attention.course import COURSE
from dev import installation

CONFIG = Path(__file__).parent / "hub_config.py"
PROXY = installation.WEB / "node_modules" / ".bin" / "configurable-http-proxy"
WATCH = ["-m", "grading", "watch", "--release"]  # how its command ends
STEP_LIMIT_S = 300  # a request; the slowest, a submission graded, takes 10 s on two quiet cores


@dataclass(frozen=True)
class Person:
    """A user of the hub, who speaks to their own server through the hub's proxy."""

    address: str
    name: str
    token: str

    def ask(self, method: str, path: str, **body: object) -> requests.Response:
        """The answer of a server: the user's own, or another's if `path` begins with a slash."""
        url = self.address + (path if path.startswith("/") else f"/user/{self.name}/{path}")
        headers = {"Authorization": f"token {self.token}"}
        return requests.request(method, url, json=body or None, headers=headers, timeout=STEP_LIMIT_S)

    def listed(self, action: str = "") -> list[dict]:
        """What nbgrader's Assignment List shows, after `action`: fetch, submit or fetch_feedback the assignment."""
        about = {"course_id": COURSE.name, "assignment_id": COURSE.name}
        if action:
            answer = self.ask("POST", f"assignments/{action}", **about)
        else:
            answer = self.ask("GET", f"assignments?course_id={COURSE.name}")
        answer.raise_for_status()
        shown = answer.json()
        assert shown["success"], shown["value"]
        return shown["value"]

    def notebook(self, stem: str) -> dict:
        """The user's notebook of a part, as their server has it."""
        answer = self.ask("GET", f"api/contents/{COURSE.name}/{stem}.ipynb")
        answer.raise_for_status()
        return answer.json()["content"]

    def write(self, stem: str, answer: str) -> None:
        """Saves a part's notebook with an answer in it."""
        notebook = self.notebook(stem)
        next(cell for cell in notebook["cells"] if cell["id"] == f"{stem}-answer")["source"] = answer
        path = f"api/contents/{COURSE.name}/{stem}.ipynb"
        self.ask("PUT", path, type="notebook", format="json", content=notebook).raise_for_status()


@contextmanager
def running(home: Path, exchange: Path, names: list[str]) -> Iterator[dict[str, Person]]:
    """Runs a hub in the folder `home`, where the users' homes are too; the users, their servers being started."""
    if not PROXY.exists():
        pytest.fail(f"{PROXY.name} is not installed. `make test` installs it with npm.")
    token = secrets.token_hex(16)
    own = {"ATTENTION_TEST_TOKEN": token, "ATTENTION_EXCHANGE": str(exchange)}
    command = [sys.executable, "-m", "jupyterhub", "--config", str(CONFIG)]
    with (
        servers.free_ports(4) as ports,
        servers.running(command, home, home, ATTENTION_TEST_PORTS=" ".join(map(str, ports)), **own) as server,
    ):
        address = f"http://127.0.0.1:{ports[2]}"
        service = Person(address, "", token)
        server.wait(lambda: _answers(service))
        users = {}
        for name in names:
            made = service.ask("POST", f"/hub/api/users/{name}/tokens", note="tests")
            made.raise_for_status()
            users[name] = Person(address, name, made.json()["token"])
            service.ask("POST", f"/hub/api/users/{name}/server").raise_for_status()
        for name in names:
            server.wait(lambda name=name: service.ask("GET", f"/hub/api/users/{name}").json()["server"])
        yield users


def watching(home: Path) -> psutil.Process:
    """The process of the service that grades each submission as it arrives, once it takes submissions."""
    end = time.monotonic() + servers.START_LIMIT_S
    while "waiting: " not in (home / "server.log").read_text():
        assert time.monotonic() < end
        time.sleep(0.1)
    folder = str(home / "teacher" / COURSE.name)
    found = [
        p for p in psutil.process_iter(["cmdline"]) if (p.info["cmdline"] or [])[-4:] == WATCH and p.cwd() == folder
    ]
    return min(found, key=lambda process: process.create_time())


def _answers(service: Person) -> bool:
    """Whether the hub answers through its proxy."""
    try:
        return service.ask("GET", "/hub/api/users").ok
    except requests.ConnectionError:
        time.sleep(0.1)
        return False
