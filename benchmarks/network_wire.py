"""A wire between network namespaces, without a kernel's netem: packets wait, some are lost, a cable can be pulled.

Each machine's network card is a TUN device. This process holds the other end, reads each IP packet, and hands it to its
receiver after a delay; packets between two machines keep their order. TCP sees what it would see on a real network, and
sends again what is lost.
"""

import contextlib
import fcntl
import heapq
import itertools
import os
import random
import select
import socket
import struct
import threading
import time
from collections import defaultdict
from pathlib import Path

DEVICE = Path("/dev/net/tun")
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000  # linux/if_tun.h
PACKET = 65536
IDLE_S = 0.2


class Wire:
    """Carries packets within the block; `lost` and `carried` count them.

    A packet takes `delay_s`, give or take `jitter_s`, and is lost with a probability of `loss`.
    """

    def __init__(self, delay_s: float, jitter_s: float, loss: float) -> None:
        self._delay_s, self._jitter_s, self._loss = delay_s, jitter_s, loss
        self._chance = random.Random(77)
        self._ports: dict[str, int] = {}  # file descriptors by address
        self._pulled: set[str] = set()
        self._lock, self._over = threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=self._carry_on)
        self.carried = self.lost = 0

    def __enter__(self) -> "Wire":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        for address in list(self._ports):
            self.unplug(address)

    def plug(self, address: str) -> str:
        """Makes a network card for the machine with this address, and returns its name; whoever asks moves it there.

        Errors  OSError if the kernel makes none.
        """
        port = os.open(DEVICE, os.O_RDWR | os.O_NONBLOCK)
        try:
            made = fcntl.ioctl(port, TUNSETIFF, struct.pack("16sH22x", b"wire%d", IFF_TUN | IFF_NO_PI))
        except OSError:
            os.close(port)
            raise
        with self._lock:
            self._ports[address] = port
        return made[:16].rstrip(b"\0").decode()

    def unplug(self, address: str) -> None:
        """Takes a machine's network card away."""
        with self._lock:
            if (port := self._ports.pop(address, None)) is not None:
                os.close(port)

    def pull(self, address: str) -> None:
        """Loses all packets from and to a machine, without a word to either side, until `put_back`."""
        self._pulled.add(address)

    def put_back(self, address: str) -> None:
        """Ends what `pull` began."""
        self._pulled.discard(address)

    def _carry_on(self) -> None:
        due: list[tuple[float, int, str, bytes]] = []  # by time; the number keeps the order of equals
        number, last = itertools.count(), defaultdict(float)
        while not self._over.is_set():
            wait_s = min(IDLE_S, max(0.0, due[0][0] - time.monotonic())) if due else IDLE_S
            with self._lock:
                ports = {port: address for address, port in self._ports.items()}
            ready, _, _ = select.select(list(ports), [], [], wait_s)
            with self._lock:
                for sender, packet in self._arrived([(port, ports[port]) for port in ready]):
                    receiver = socket.inet_ntoa(packet[16:20])
                    if receiver not in self._ports or self._is_lost(sender, receiver):
                        continue
                    wait_s = self._delay_s + self._chance.uniform(-self._jitter_s, self._jitter_s)
                    way = (sender, receiver)
                    last[way] = max(last[way], time.monotonic() + wait_s)
                    heapq.heappush(due, (last[way], next(number), receiver, packet))
                while due and due[0][0] <= time.monotonic():
                    _, _, receiver, packet = heapq.heappop(due)
                    self._deliver(receiver, packet)

    def _arrived(self, ready: list[tuple[int, str]]) -> list[tuple[str, bytes]]:
        """All packets that machines have sent by now; of IP version 4 alone."""
        found = []
        for port, address in ready:
            if self._ports.get(address) != port:
                continue
            with contextlib.suppress(OSError):  # none is left, or the machine has gone
                while True:
                    packet = os.read(port, PACKET)
                    if packet[0] >> 4 == 4:
                        found.append((address, packet))
        return found

    def _is_lost(self, sender: str, receiver: str) -> bool:
        if sender in self._pulled or receiver in self._pulled:
            return True
        if self._chance.random() < self._loss:
            self.lost += 1
            return True
        return False

    def _deliver(self, receiver: str, packet: bytes) -> None:
        if receiver in self._ports and receiver not in self._pulled:
            with contextlib.suppress(OSError):  # its card is down, or the machine has gone
                os.write(self._ports[receiver], packet)
                self.carried += 1
