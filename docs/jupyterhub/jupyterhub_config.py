"""A JupyterHub for the course: who may log in, and what their servers are configured with."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent  # with everybody/ and instructors/ next to this file; all may read it
INSTRUCTORS = {"teacher"}
STUDENTS = {"anna", "ben"}

c = get_config()  # noqa: F821  (given by traitlets)

c.Authenticator.allowed_users = INSTRUCTORS | STUDENTS
c.Spawner.default_url = "/lab"


def configuration(spawner):
    """The folders that a user's server reads its configuration from; the first has the last word."""
    folders = ["instructors", "everybody"] if spawner.user.name in INSTRUCTORS else ["everybody"]
    return os.pathsep.join(str(HERE / name) for name in folders)


c.Spawner.environment = {"JUPYTER_CONFIG_PATH": configuration}

# Grades each submission as it arrives, and shows the queue under /services/watch/. Leave it out to grade by hand.
teacher, port = "teacher", "865"  # the account whose home holds the course, and a port that only root may open
watch = [sys.executable, "-m", "grading", "watch", "--release"]
c.JupyterHub.services = [
    {
        "name": "watch",
        "cwd": "/home/teacher/attention",
        "url": f"http://127.0.0.1:{port}",
        "command": [sys.executable, str(HERE / "holding_port.py"), teacher, port, *watch],
        "environment": {
            "JUPYTER_CONFIG_PATH": os.pathsep.join(str(HERE / name) for name in ("instructors", "everybody")),
            "WATCH_INSTRUCTORS": " ".join(sorted(INSTRUCTORS)),
        },
        "oauth_no_confirm": True,
    }
]
c.JupyterHub.load_roles = [{"name": "user", "scopes": ["self", "access:services!service=watch"]}]
