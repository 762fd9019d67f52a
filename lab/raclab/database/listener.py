"""The lab's listener: sockets, threads and limits in front of the engine; what passes over them is in ``wire``."""

import contextlib
import functools
import logging
import socket
import threading
import time
from collections.abc import Callable
from typing import Final

from raclab.database.admission import Admission, Limits
from raclab.database.engine import Engine
from raclab.database.errors import ListenerError
from raclab.database.wire.backend import USER, Backend, serve_client
from raclab.database.wire.stream import Stream, refusal
from raclab.database.workers import Workers

__all__ = ["USER", "Listener"]

_log = logging.getLogger(__name__)
_log.addHandler(logging.NullHandler())

CLOSING_S: Final = 5.0
LINGER_S: Final = 1.0
"""For so long a refused client may read why."""
_BUSY_S, _IDLE_S = 0.1, 0.5
_WAITING = 256
_LINGERING = 64
# Of a connection that is silent: first probe after so many seconds, then every so many, given up after so many.
_PROBES = {"TCP_KEEPIDLE": 60, "TCP_KEEPALIVE": 60, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}


class Listener:
    """Serves an engine on one address until it is closed: one thread a client, one that accepts, one that watches, and a few
    in which statements run.

    ``host`` and ``port`` are where it listens (port 0 asks for a free one). Raises ListenerError if the address can't be had.
    """

    def __init__(
        self,
        engine: Engine,
        password: str,
        host: str = "127.0.0.1",
        port: int = 0,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._engine = engine
        self._password = password
        self._limits = limits or Limits()
        self._clock = clock
        self.admission = Admission(self._limits, clock)
        self._workers = Workers()
        self._clients: set[_Client] = set()
        self._refused: list[tuple[float, socket.socket]] = []
        self._lock = threading.Lock()
        self._closing = threading.Event()
        try:
            self._socket = _listen(host, port)
        except OSError as error:
            raise ListenerError(_why_not(host, port, error)) from None
        self._socket.settimeout(_BUSY_S)  # so that closing is noticed on every system
        self.host, self.port = self._socket.getsockname()[:2]
        self._threads = [
            threading.Thread(target=self._accept, name="raclab-listener", daemon=True),
            threading.Thread(target=self._watch, name="raclab-watch", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def connections(self) -> int:
        """How many clients are logged in."""
        with self._lock:
            return sum(client.backend.session is not None for client in self._clients)

    def close(self) -> None:
        """Stop listening, end every session, and wait for the threads. Closing twice does nothing."""
        if self._closing.is_set():
            return
        self._closing.set()
        with self._lock:
            clients = list(self._clients)
        threads = [
            thread
            for thread in [*self._threads, *(client.thread for client in clients)]
            if thread is not threading.current_thread()  # one of its own closes it, where garbage is collected there
        ]
        end = time.monotonic() + CLOSING_S
        while any(thread.is_alive() for thread in threads) and time.monotonic() < end:
            for client in clients:
                client.cut()  # again and again: it may have been about to start a statement
            running = next((thread for thread in threads if thread.is_alive()), None)
            if running is not None:  # none: the last one has just ended
                running.join(0.05)
        self._workers.close()
        self._socket.close()
        for _, refused in self._refused:
            refused.close()
        self._refused.clear()

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                accepted, address = self._socket.accept()
            except TimeoutError:
                continue
            except OSError as error:
                if self._closing.wait(_IDLE_S):
                    return
                _log.warning("accepting a connection failed: %s", error)  # e.g. too many open files: those that are open go on
                continue
            host = str(address[0])
            code = self.admission.enter(host)
            if code is not None:
                self._refuse(accepted, code)
                continue
            with self._lock:
                if self._closing.is_set():
                    accepted.close()
                    return
                logged_in = functools.partial(self.admission.logged_in, host)
                backend = Backend(self._engine, self._workers, self._password, logged_in, self._clock)
                client = _Client(accepted, host, self._clock, backend, self.admission, self._ended)
                self._clients.add(client)
            client.thread.start()

    def _refuse(self, accepted: socket.socket, code: int) -> None:
        """Say no without waiting. The connection is closed a little later: closed at once, the client might not get to read why."""
        with contextlib.suppress(OSError):
            accepted.setblocking(False)
            accepted.send(refusal(code))
        with self._lock:
            self._refused.append((self._clock(), accepted))
            excess = self._refused[:-_LINGERING]
            del self._refused[:-_LINGERING]
        for _, one in excess:
            one.close()

    def _ended(self, client: "_Client") -> None:
        with self._lock:
            self._clients.discard(client)

    def _watch(self) -> None:
        pause = _IDLE_S
        while not self._closing.wait(pause):
            with self._lock:
                clients = list(self._clients)
            busy = [client.heed(self._limits) for client in clients]
            pause = _BUSY_S if any(busy) else _IDLE_S
            self.admission.forget()
            before = self._clock() - LINGER_S
            with self._lock:
                over = [one for since, one in self._refused if since < before]
                self._refused = [(since, one) for since, one in self._refused if since >= before]
            for one in over:
                one.close()


class _Client:
    """One client's connection and the thread that serves it."""

    def __init__(
        self,
        accepted: socket.socket,
        host: str,
        clock: Callable[[], float],
        backend: Backend,
        admission: Admission,
        ended: Callable[["_Client"], None],
    ) -> None:
        _keep_alive(accepted)
        accepted.settimeout(None)
        self.backend = backend
        self.stream = Stream(accepted, clock)
        self._socket = accepted
        self._host = host
        self._clock = clock
        self._since = clock()
        self._admission = admission
        self._over = ended
        self.thread = threading.Thread(target=self._serve, name="raclab-client", daemon=True)

    def _serve(self) -> None:
        try:
            serve_client(self.stream, self.backend)
        except Exception as error:  # rubbish from a client, a refused login, a connection that broke: no harm to anybody else
            _log.info("a connection ended: %s", error)
        finally:
            asked, logged_in = self.backend.asked is not None, self.backend.session is not None
            self.backend.close()
            self._socket.close()
            self._over(self)
            self._admission.leave(self._host, wrong_password=asked and not logged_in)

    def heed(self, limits: Limits) -> bool:
        """Stop what takes too long, or what the client asks to stop (Ctrl-C, a call timeout, its end). Whether it is busy."""
        now, session = self._clock(), self.backend.session
        sending, waiting = self.stream.sending_since, self.stream.waiting_since
        if session is None:
            if now - self._since > limits.login_s:
                self.cut()
            return True
        started = session.started
        if started is not None:
            if now - started > limits.statement_s or self.stream.breaks():
                session.interrupt()
            return True
        stuck = sending is not None and now - sending > limits.sending_s
        idle = waiting is not None and limits.idle_s is not None and now - waiting > limits.idle_s
        if stuck or idle:
            self.cut()
        return sending is not None

    def cut(self) -> None:
        """Stop what runs and cut the connection; its thread then ends."""
        if self.backend.session is not None:
            self.backend.session.interrupt()
        with contextlib.suppress(OSError):  # the client may be gone already
            self._socket.shutdown(socket.SHUT_RDWR)


def _listen(host: str, port: int) -> socket.socket:
    family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    if address[0] == "::" and socket.has_dualstack_ipv6():  # every address of this machine, those of IPv4 too
        return socket.create_server(("", port), family=socket.AF_INET6, backlog=_WAITING, dualstack_ipv6=True)
    return socket.create_server(address[:2], family=family, backlog=_WAITING)


def _keep_alive(accepted: socket.socket) -> None:
    """Send small packets at once, and notice a client whose machine is gone."""
    accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    accepted.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _PROBES.items():
        if hasattr(socket, name):
            with contextlib.suppress(OSError):
                accepted.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def _why_not(host: str, port: int, error: OSError) -> str:
    if isinstance(error, PermissionError):
        return f"The listener may not use port {port}: ports below 1024 belong to the system; choose another with --port."
    if isinstance(error, socket.gaierror):
        return f"There is no host {host!r} on this machine; choose 127.0.0.1, or an address that this machine has."
    why = error.strerror or str(error)
    return f"The listener can't use {host}:{port} ({why}): stop what listens there, or choose another port."
