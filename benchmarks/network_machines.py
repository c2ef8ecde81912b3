"""Machines by hand: namespaces of their own for network, processes, mounts and name, joined by a wire.

A machine's first process ends with this one, whatever ends it; the kernel then ends all others on the machine and takes
its namespaces away. A machine may find a folder empty, and nobody else sees what it writes there, so that
machines share no disk but the one with the programs.
"""

import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
from network_wire import DEVICE, Wire

NETWORK = "10.77.0"
TOOLS = {"ip": "iproute2", "unshare": "util-linux", "nsenter": "util-linux"}
UNSHARE = ["unshare", "--net", "--uts", "--pid", "--fork", "--mount-proc"]
EMPTY = '{ [ -z "$2" ] || mount -t tmpfs -o mode=1777 tmpfs "$2"; }'
UP = f'hostname "$1" && ip link set lo up && {EMPTY} && echo up && exec cat'
CARD = 'ip link set "$1" name eth0 && ip address add "$2/24" dev eth0 && ip link set eth0 up'


def missing() -> str:
    """What this machine lacks for such machines, in a line; empty if nothing."""
    if os.geteuid() != 0:
        return "network namespaces are made by root alone"
    for tool, package in TOOLS.items():
        if shutil.which(tool) is None:
            return f"{tool} is missing: install {package}"
    try:
        os.close(os.open(DEVICE, os.O_RDWR))
    except OSError as error:
        return f"{DEVICE}: {error.strerror}"
    made = subprocess.run([*UNSHARE, "true"], capture_output=True, text=True)
    return made.stderr.strip()


class Machine:
    """A machine on the wire. Its programs are found where they are here; what they say goes to a log."""

    def __init__(self, wire: Wire, name: str, number: int, own: Path | None) -> None:
        self._wire, self.name, self.address, self._own = wire, name, f"{NETWORK}.{number}", own
        self._holder: subprocess.Popen | None = None
        self._started: list[subprocess.Popen] = []
        self._first = 0

    def on(self) -> None:
        """Switches the machine on, with its own folder empty and its cable in.

        Errors  RuntimeError if it does not come up.
        """
        words = [*UNSHARE, "sh", "-c", UP, "sh", self.name, str(self._own or "")]
        self._holder = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self._holder.stdout.readline() != "up\n":
            self._holder.wait()
            raise RuntimeError(f"{self.name} does not come up")
        (first,) = psutil.Process(self._holder.pid).children()
        self._first = first.pid
        card = self._wire.plug(self.address)
        self._wire.put_back(self.address)
        subprocess.run(["ip", "link", "set", card, "netns", str(self._first)], check=True)
        subprocess.run(self._words(["sh", "-c", CARD, "sh", card, self.address]), check=True)

    def off(self) -> None:
        """Switches the machine off as a power cut does: nobody else hears of it."""
        self._wire.pull(self.address)
        self._holder.stdin.close()
        for process in (*self._started, self._holder):
            process.wait()
        self._holder.stdout.close()
        self._started.clear()
        self._holder = None
        self._wire.unplug(self.address)

    @property
    def is_on(self) -> bool:
        """Whether the machine is on."""
        return self._holder is not None

    def start(self, argv: list[str], folder: Path, env: dict[str, str], log: Path) -> subprocess.Popen:
        """Starts a program on the machine; it ends with it."""
        with log.open("a") as output:
            words = self._words(argv, folder)
            process = subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        self._started.append(process)
        return process

    def traffic(self) -> tuple[int, int]:
        """The bytes that its card has sent and received so far, headers and what was sent again included."""
        shown = subprocess.run(
            self._words(["ip", "-json", "-stats", "link", "show", "eth0"]), capture_output=True, check=True
        )
        (card,) = json.loads(shown.stdout)
        return card["stats64"]["tx"]["bytes"], card["stats64"]["rx"]["bytes"]

    def _words(self, argv: list[str], folder: Path = Path("/")) -> list[str]:
        spaces = [f"--target={self._first}", "--net", "--uts", "--pid", "--mount", f"--wdns={folder}", "--"]
        return ["nsenter", *spaces, *argv]


@contextlib.contextmanager
def room(wire: Wire, names: dict[str, Path | None]) -> Iterator[list[Machine]]:
    """Machines with these names, each with the folder of its own, switched on; off at the end.

    Errors  RuntimeError if one does not come up.
    """
    machines = [Machine(wire, name, number, own) for number, (name, own) in enumerate(names.items(), 1)]
    try:
        for machine in machines:
            machine.on()
        yield machines
    finally:
        for machine in machines:
            if machine.is_on:
                machine.off()
