"""Everybody's server: closes its user's home to others, and starts terminals that find the environment's programs."""

import os
from pathlib import Path

c = get_config()  # noqa: F821  (given by traitlets)

# As JupyterLab starts a shell, /etc/profile would set another PATH: without nbgrader, and with the system's Python.
c.ServerApp.terminado_settings = {"shell_command": [os.environ.get("SHELL") or "/bin/sh"]}

# Answers, feedback and the secrets by which feedback is found lie there. Many systems make homes that all may read.
Path.home().chmod(0o700)
