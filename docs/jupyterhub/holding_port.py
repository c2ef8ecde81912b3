"""Runs a command as another account, with a port of this machine that root has opened for it: see jupyterhub.md.

    python holding_port.py ACCOUNT PORT COMMAND ...

The command gets the port as systemd gives one. A port below 1024 only root may open, so no student's program can answer
there while the command isn't running. Containers often let every account open any port: that is said.
"""

import os
import pwd
import socket
import sys
from pathlib import Path

GIVEN = 3  # the first descriptor after the standard ones, where systemd puts it
OPEN_TO_ALL = Path("/proc/sys/net/ipv4/ip_unprivileged_port_start")  # from this port on

name, port, *command = sys.argv[1:]
account = pwd.getpwnam(name)
if OPEN_TO_ALL.exists() and int(port) >= int(OPEN_TO_ALL.read_text()):
    sys.stderr.write(f"Any account may open port {port} here while the service isn't running: see {OPEN_TO_ALL}.\n")
listening = socket.create_server(("127.0.0.1", int(port)))
os.initgroups(account.pw_name, account.pw_gid)
os.setgid(account.pw_gid)
os.setuid(account.pw_uid)
if listening.fileno() == GIVEN:
    os.set_inheritable(GIVEN, True)
else:
    os.dup2(listening.fileno(), GIVEN)
own = {"HOME": account.pw_dir, "USER": name, "LOGNAME": name, "SHELL": account.pw_shell}
os.execvpe(command[0], command, {**os.environ, **own, "LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1"})
