"""The simulated cluster as a server of its own, for other clients and for a class: ``python -m raclab serve``."""

import contextlib
import ctypes
import ipaddress
import secrets
import signal
import socket
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

from raclab.database.admission import Limits
from raclab.database.engine import Engine
from raclab.database.errors import ListenerError
from raclab.database.listener import USER, Listener
from raclab.database.views import BANNER

if TYPE_CHECKING:
    from raclab.evidence.measurement import Measurement

LOOPBACK = "127.0.0.1"
PORT = 1521
SHORTEST_PASSWORD = 12
STATUS_S = 5.0
_M_ARENA_MAX = -8  # of glibc's malloc.h
LIMITS = Limits(idle_s=8 * 3600.0)
"""Whoever asks nothing for a working day is taken to have left."""


class ServedCluster:
    """A simulated cluster and its listener.

    host      address to listen on; any but a loopback address needs a password of the operator's
    port      0 for a free one
    password  of the user LAB; made if None, and then in ``password``
    Raises ListenerError with one sentence. A context manager.
    """

    def __init__(self, host: str = LOOPBACK, port: int = PORT, password: str | None = None) -> None:
        self.exposed = not _is_loopback(host)
        if password is None and self.exposed:
            raise ListenerError(
                f"Listening on {host} opens the simulated cluster to whoever reaches this machine: set RACLAB_SERVE_PASSWORD to a password "
                f"of your own (at least {SHORTEST_PASSWORD} characters)."
            )
        if password is not None and len(password) < SHORTEST_PASSWORD:
            raise ListenerError(f"RACLAB_SERVE_PASSWORD has {len(password)} characters; it takes at least {SHORTEST_PASSWORD}.")
        self.password = password or secrets.token_urlsafe(16)
        self._engine = Engine()
        try:
            self._listener = Listener(self._engine, self.password, host, port, LIMITS)
        except BaseException:
            self._engine.close()
            raise
        self.host, self.port = self._listener.host, self._listener.port

    @property
    def dsn(self) -> str:
        """What a client connects to, host:port/RAC1; for an address that stands for all of the machine's, with the machine's name."""
        everywhere = ipaddress.ip_address(self.host.split("%")[0]).is_unspecified
        host = socket.gethostname() if everywhere else f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}/RAC1"

    def status(self) -> str:
        """One line: where it listens, who is connected, what was run, and who was sent away."""
        count, door = self._listener.connections, self._listener.admission
        parts = [
            f"{_counted(count, 'connection')}" + (f" from {_counted(door.hosts, 'host')}" if count else ""),
            f"instances RAC1 to RAC{self._engine.instances}",
            f"{_counted(len(self._engine.runs), 'run')}",
        ]
        if door.wrong_passwords:
            parts.append(_counted(door.wrong_passwords, "wrong password"))
        if door.refused:
            parts.append(f"{_counted(door.refused, 'connection')} refused")
        return f"{self.dsn}: {', '.join(parts)}"

    def load(self, measurement: "Measurement", module: str = "") -> None:
        """Add every run of a simulated measurement to the counters. Raises LoadError for one that was not simulated."""
        from raclab.database.loader import load

        load(self._engine, measurement, module)

    def close(self) -> None:
        """Stop listening, end the connections, close the database."""
        self._listener.close()
        self._engine.close()

    def __enter__(self) -> "ServedCluster":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def serve(
    host: str = LOOPBACK,
    port: int = PORT,
    password: str | None = None,
    out: Callable[[str], None] = print,
    stop: threading.Event | None = None,
    fill: Callable[[ServedCluster], None] = lambda cluster: None,
) -> None:
    """Serve until Ctrl-C, SIGTERM or ``stop``, and say to ``out`` how to connect, how many do, and when it is over.

    ``fill`` puts runs into the cluster's views before it is announced. The password is said only if it was made here. Raises
    ListenerError with one sentence.
    """
    stop = stop or threading.Event()
    _few_heaps()
    with ServedCluster(host, port, password) as cluster, _signals(stop):
        fill(cluster)
        out(f"{BANNER} on {cluster.host}:{cluster.port}, services RAC1 and RAC2. Stop it with Ctrl-C.")
        out(f"  user      {USER}")
        out(f"  password  {cluster.password if password is None else '(the one that you gave)'}")
        out(f"  DSN       {cluster.dsn}")
        if cluster.exposed:
            out("  Anyone who reaches this address and knows the password can run SQL here, all as one user, and see and change each")
            out("  other's tables. Nothing but the simulation can be reached. What passes over the network is not encrypted.")
        last = ""
        while not stop.wait(STATUS_S if last else 0.0):
            status = cluster.status()
            if status != last:
                out(status)
            last = status
            _give_back()
        out("Stopping.")
    out("Stopped.")


class _signals:
    """SIGINT and SIGTERM set an event, while inside; elsewhere than in the main thread they are left alone."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._before: dict[int, Any] = {}

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._stop.set()

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._handle)

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


def _few_heaps() -> None:
    """Let all threads share two heaps, where the C library is glibc: one for every few of them would keep what they once needed."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)


def _give_back() -> None:
    """Return the memory that is no longer used to the system, where the C library is glibc; by itself it keeps most of it."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _is_loopback(host: str) -> bool:
    try:
        addresses = {str(info[4][0]) for info in socket.getaddrinfo(host, None)}
    except OSError:
        raise ListenerError(f"There is no host {host!r}; choose {LOOPBACK}, or an address that this machine has.") from None
    return bool(host) and all(ipaddress.ip_address(address.split("%")[0]).is_loopback for address in addresses)


if sys.platform == "win32":  # a wait without an end can't be interrupted there
    STATUS_S = 1.0
