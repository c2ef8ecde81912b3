"""The hub that tests start: docs/jupyterhub/jupyterhub_config.py, and what a test must have otherwise.

Otherwise are: ports and folders; who is let in, which is anybody on the list; how servers are started, all of them by
the one account that runs the tests, each with a home of its own; and a service that gets tokens for the users.
"""

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
HERE = Path(os.environ["HOME"])  # of the hub, a temporary folder; the users' homes lie in it
HUB, PROXY, PUBLIC, SERVICE = os.environ["ATTENTION_TEST_PORTS"].split()
MARK = "ATTENTION_TEST_SERVER"

load_subconfig(str(REPOSITORY / "docs" / "jupyterhub" / "jupyterhub_config.py"))  # noqa: F821  (given by traitlets)
c = get_config()  # noqa: F821

c.JupyterHub.bind_url = f"http://127.0.0.1:{PUBLIC}"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{HUB}"
c.JupyterHub.db_url = f"sqlite:///{HERE / 'jupyterhub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(HERE / "cookie_secret")
c.ConfigurableHTTPProxy.command = [str(REPOSITORY / "tests/web/node_modules/.bin/configurable-http-proxy")]
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{PROXY}"
c.ConfigurableHTTPProxy.pid_file = str(HERE / "proxy.pid")

c.JupyterHub.authenticator_class = "dummy"
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = str(HERE / "{username}")
c.Spawner.args = ["--allow-root"] if os.geteuid() == 0 else []
c.Spawner.env_keep = ["PATH", "LANG", MARK, "ATTENTION_EXCHANGE"]
c.Spawner.start_timeout = c.Spawner.http_timeout = 300

(watch,) = c.JupyterHub.services
command = watch["command"][-5:]  # one account does it all here, which may not be root
watch |= {"cwd": str(HERE / "teacher" / "attention"), "url": f"http://127.0.0.1:{SERVICE}", "command": command}
kept = {name: os.environ[name] for name in ("PATH", "LANG", MARK, "ATTENTION_EXCHANGE") if name in os.environ}
watch["environment"] |= {**kept, "HOME": str(HERE / "teacher")}
c.JupyterHub.services.append({"name": "tests", "api_token": os.environ["ATTENTION_TEST_TOKEN"]})
scopes = ["admin:users", "admin:servers", "tokens", "access:servers"]
c.JupyterHub.load_roles.append({"name": "tests", "scopes": scopes, "services": ["tests"]})
