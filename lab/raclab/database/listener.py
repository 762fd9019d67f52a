"""The lab's listener: Oracle's wire protocol in front of the engine. The only module that imports seerdb.

seerdb 3.3.0 calls its server side a preview: it is pinned exactly, what the lab uses of it is here (``serve_session`` over a
``PacketStream`` and a backend), and tests/database/test_wire.py holds each thing that is relied on.
"""

import contextlib
import logging
import re
import select
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, TypeVar

from seerdb.common.tns import ColumnMeta
from seerdb.common.tns_consts import (
    TNS_DATA,
    TNS_MARKER,
    TNS_TYPE_CLOB,
    TNS_TYPE_DATE,
    TNS_TYPE_INTERVALDS,
    TNS_TYPE_NUMBER,
    TNS_TYPE_RAW,
    TNS_TYPE_TIMESTAMP,
    TNS_TYPE_VARCHAR,
)
from seerdb.server import BackendError, BindVar, Capability, PacketStream, Result, lockout, serve_session
from seerdb.server.backend import SessionInfo
from seerdb.server.identity import ServerIdentity

from raclab import __version__
from raclab.database.engine import Engine
from raclab.database.errors import ListenerError
from raclab.database.oracle_error import OracleError
from raclab.database.session import Client, Outcome, Session
from raclab.database.views import BANNER

# What a server has to say to strangers goes to the log, for whoever wants it, and not into a notebook.
logging.getLogger("seerdb").addHandler(logging.NullHandler())
_log = logging.getLogger(__name__)
_log.addHandler(logging.NullHandler())

T = TypeVar("T")

USER: Final = "LAB"
FIELD_VERSION: Final = 24
MOST_CONNECTIONS: Final = 250
LONGEST_STATEMENT_S: Final = 60.0
CLOSING_S: Final = 5.0
_BUSY_S, _IDLE_S = 0.1, 0.5
_WAITING = 128
_HEADER, _TYPE = 8, 4  # a packet's header, and where in it the packet's type stands

_IDENTITY = ServerIdentity(
    version_no=19 << 24,
    version_sql=b"26",
    version_string=b"",
    banner=f"{BANNER} {__version__}".encode(),
    banner_full=f"{BANNER} {__version__}".encode(),
)
_SERVICE = re.compile(r"RAC([1-9]\d?)(?:\..*)?", re.IGNORECASE)
_LONGEST_VARCHAR = 32_767
_USUAL_VARCHAR = 4_000


class Listener:
    """Serves an engine on one address until it is closed: one thread a client, one that accepts, one that watches.

    ``host`` and ``port`` are where it listens (port 0 asks for a free one). Raises ListenerError if the address can't be had.
    """

    def __init__(self, engine: Engine, password: str, host: str = "127.0.0.1", port: int = 0) -> None:
        self._engine = engine
        self._password = password
        self._clients: set[_Client] = set()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        # A name locked after failed logins would let a stranger shut everybody out; the growing delay after each failure stays.
        lockout.configure(0)
        try:
            family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            self._socket = socket.create_server(address[:2], family=family, backlog=_WAITING)
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
        for client in clients:
            client.cut()
        for thread in [*self._threads, *(client.thread for client in clients)]:
            thread.join(CLOSING_S)
        self._socket.close()

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                accepted, _ = self._socket.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            with self._lock:
                if self._closing.is_set() or len(self._clients) >= MOST_CONNECTIONS:
                    accepted.close()
                    continue
                client = _Client(accepted, _Backend(self._engine, self._password), self._ended)
                self._clients.add(client)
                client.thread.start()

    def _ended(self, client: "_Client") -> None:
        with self._lock:
            self._clients.discard(client)

    def _watch(self) -> None:
        """Stop statements that run too long, whose client asks for it (Ctrl-C, a call timeout), or whose client is gone."""
        pause = _IDLE_S
        while not self._closing.wait(pause):
            too_long = time.monotonic() - LONGEST_STATEMENT_S
            pause = _IDLE_S
            with self._lock:
                clients = list(self._clients)
            for client in clients:
                session = client.backend.session
                started = session.started if session is not None else None
                if session is None or started is None:
                    continue
                pause = _BUSY_S
                if started < too_long or client.stream.breaks():
                    session.interrupt()


class _Client:
    """One client's connection and the thread that serves it."""

    def __init__(self, accepted: socket.socket, backend: "_Backend", ended: Callable[["_Client"], None]) -> None:
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        accepted.settimeout(None)
        self.backend = backend
        self.stream = _Stream(accepted)
        self._socket = accepted
        self._over = ended
        self.thread = threading.Thread(target=self._serve, name="raclab-client", daemon=True)

    def _serve(self) -> None:
        try:
            serve_session(self.stream, self.backend, field_version=FIELD_VERSION)
        except Exception as error:  # rubbish from a client, a refused login, a connection that broke: no harm to anybody else
            _log.info("a connection ended: %s", error)
        finally:
            self.backend.close()
            self._socket.close()
            self._over(self)

    def cut(self) -> None:
        """Stop what runs and cut the connection; its thread then ends."""
        if self.backend.session is not None:
            self.backend.session.interrupt()
        with contextlib.suppress(OSError):  # the client may be gone already
            self._socket.shutdown(socket.SHUT_RDWR)


class _Stream(PacketStream):
    """A packet stream that heeds a client's break while its statement runs.

    A client that breaks (Ctrl-C, a call timeout) sends a marker and waits for the exchange of markers, not for the answer. seerdb does
    that exchange once the statement is over; the statement's own answer must not come before it.
    """

    def __init__(self, accepted: socket.socket) -> None:
        super().__init__(accepted)
        self._accepted = accepted

    def breaks(self) -> bool:
        """Whether the client has sent a break that was not read yet, or is gone."""
        try:
            if not select.select([self._accepted], [], [], 0)[0]:
                return False
            header = self._accepted.recv(_HEADER, socket.MSG_PEEK)
        except (OSError, ValueError):
            return False  # the connection is being closed by its own thread
        return not header or (len(header) > _TYPE and header[_TYPE] == TNS_MARKER)

    def write_packet(self, packet_type: int, body: bytes) -> None:
        if packet_type == TNS_DATA and self.breaks():
            return
        super().write_packet(packet_type, body)


class _Backend:
    """What seerdb asks of a database, for one client."""

    capabilities = frozenset({Capability.TRANSACTIONS})
    server_identity = _IDENTITY

    def __init__(self, engine: Engine, password: str) -> None:
        self._engine = engine
        self._password = password
        self._client = Client()
        self.session: Session | None = None

    # -- login

    def set_client_identity(self, said: Mapping[str, str]) -> None:
        self._client = Client(**{name: said[name] for name in ("program", "machine", "osuser", "terminal") if said.get(name)})

    def authenticate(self, username: str) -> str | None:
        return self._password if username.upper() == USER else None

    def open_session(self, attributes: Mapping[str, Any]) -> None:
        service = str(attributes.get("service_name") or "")
        match = _SERVICE.fullmatch(service)
        number = int(match[1]) if match else 0
        if not 1 <= number <= self._engine.instances:
            known = ", ".join(f"RAC{instance}" for instance in range(1, self._engine.instances + 1))
            raise BackendError(f"the listener knows no service {service or '(none)'}; it knows {known}", ora_code=12514)
        self.session = Session(self._engine, number, self._client)

    def session_info(self) -> SessionInfo:
        session = self._in_session()
        return SessionInfo(
            session_id=session.sid,
            serial_num=session.sid,
            instance_name=f"rac{session.instance}",
            db_name="RACLAB",
            service_name=f"RAC{session.instance}",
        )

    def session_release(self) -> ServerIdentity:
        return _IDENTITY

    def alter_session(self, statement: str) -> None:
        """A client's own settings at login, e.g. its time zone: the cluster keeps to its own."""

    # -- statements

    def execute(self, sql: str, binds: Sequence[Any] = ()) -> Result:
        session = self._in_session()
        return self._translated(lambda: _result(self._timed(lambda: session.execute(sql, [_value(bind) for bind in binds]))))

    def execute_many(self, sql: str, rows: Sequence[Sequence[Any]]) -> int:
        try:
            return self.execute_many_rowcounts(sql, rows)[0]
        except BackendError as error:
            error.row_counts = []  # only a client that asked for counts can read them
            raise

    def execute_many_rowcounts(self, sql: str, rows: Sequence[Sequence[Any]]) -> tuple[int, list[int]]:
        session = self._in_session()
        counts: list[int] = []

        def run() -> None:
            for row in rows:
                counts.append(session.execute(sql, [_value(bind) for bind in row]).changed)

        try:
            self._translated(lambda: self._timed(run))
        except BackendError as error:
            error.rowcount, error.row_counts = sum(counts), counts
            raise
        return sum(counts), counts

    def describe(self, sql: str) -> list[ColumnMeta]:
        session = self._in_session()
        return self._translated(lambda: [_column(name, kind, ()) for name, kind in session.columns(sql)])

    def parse(self, sql: str) -> None:
        session = self._in_session()
        self._translated(lambda: session.check(sql))

    def commit(self) -> None:
        self._translated(self._in_session().commit)

    def rollback(self) -> None:
        self._translated(self._in_session().rollback)

    def ping(self) -> None:
        self._in_session()

    def set_end_to_end(self, attributes: Mapping[str, str | None]) -> None:
        self._translated(lambda: self._in_session().describe({name: value or "" for name, value in attributes.items()}))

    def close(self) -> None:
        if self.session is not None:
            self.session.close()

    def _in_session(self) -> Session:
        if self.session is None:
            raise BackendError("not logged on", ora_code=1012)
        return self.session

    def _timed(self, run: Callable[[], T]) -> T:
        session = self._in_session()
        session.started = time.monotonic()
        try:
            return run()
        finally:
            session.started = None

    def _translated(self, run: Callable[[], T]) -> T:
        try:
            return run()
        except OracleError as error:
            raise BackendError(error.message, ora_code=error.code, error_offset=error.offset) from None
        except MemoryError:
            raise BackendError("out of process memory", ora_code=4030) from None
        except Exception as error:  # a client never sees a traceback
            _log.exception("statement failed")
            raise BackendError(f"internal error of the simulated cluster ({type(error).__name__})", ora_code=600) from None


def _value(bind: Any) -> Any:
    """A bound value; a null comes with its type around it."""
    return bind.value if isinstance(bind, BindVar) else bind


def _result(outcome: Outcome) -> Result:
    if not outcome.columns:
        return Result(rowcount=outcome.changed)
    kinds = [_wire_type(kind) for _, kind in outcome.columns]
    rows = [tuple(_sent(value, kind) for value, kind in zip(row, kinds, strict=True)) for row in outcome.rows]
    columns = [_column(name, kind, (row[place] for row in rows)) for place, (name, kind) in enumerate(outcome.columns)]
    return Result(columns=columns, rows=rows)


_WIRE = {
    "TIMESTAMP_S": TNS_TYPE_DATE,
    "TIMESTAMP": TNS_TYPE_TIMESTAMP,
    "DATE": TNS_TYPE_DATE,
    "INTERVAL": TNS_TYPE_INTERVALDS,
    "BLOB": TNS_TYPE_RAW,
}
_WIDTHS = {TNS_TYPE_NUMBER: 22, TNS_TYPE_DATE: 7, TNS_TYPE_TIMESTAMP: 11, TNS_TYPE_INTERVALDS: 11, TNS_TYPE_RAW: 2000}
_UNKNOWN_SCALE = -127


def _wire_type(kind: str) -> int:
    if kind in _WIRE:
        return _WIRE[kind]
    return TNS_TYPE_VARCHAR if kind in ("VARCHAR", '"NULL"', "UUID", "ENUM") else TNS_TYPE_NUMBER


def _column(name: str, kind: str, values: Any) -> ColumnMeta:
    wire = _wire_type(kind)
    label = name.encode()
    if wire == TNS_TYPE_VARCHAR:
        widest = max((len(value.encode()) for value in values if value is not None), default=0)
        if widest > _LONGEST_VARCHAR:
            return ColumnMeta(name=label, data_type=TNS_TYPE_CLOB, data_length=_USUAL_VARCHAR, max_size=0)
        width = max(widest, _USUAL_VARCHAR)
        return ColumnMeta(name=label, data_type=wire, data_length=width, max_size=width)
    width = _WIDTHS[wire]
    scale = {TNS_TYPE_NUMBER: _UNKNOWN_SCALE, TNS_TYPE_TIMESTAMP: 6}.get(wire, 0)
    return ColumnMeta(name=label, data_type=wire, data_length=width, max_size=width, scale=scale)


def _sent(value: Any, wire: int) -> Any:
    """A value as the wire takes it. A binary fraction goes as the 15 digits that it holds, an empty string as null."""
    if value is None or value == "":
        return None
    if wire == TNS_TYPE_NUMBER:
        if isinstance(value, bool):
            return int(value)
        if isinstance(value, float):
            if value != value or value in (float("inf"), float("-inf")):
                raise OracleError(1426, "numeric overflow")
            value = Decimal(f"{value:.15g}")
        if isinstance(value, Decimal):
            return int(value) if value == value.to_integral_value() else value.normalize()
        return value
    return str(value) if wire == TNS_TYPE_VARCHAR and not isinstance(value, str) else value


def _why_not(host: str, port: int, error: OSError) -> str:
    if isinstance(error, PermissionError):
        return f"The listener may not use port {port}: ports below 1024 belong to the system; choose another with --port."
    if isinstance(error, socket.gaierror):
        return f"There is no host {host!r} on this machine; choose 127.0.0.1, or an address that this machine has."
    why = error.strerror or str(error)
    return f"The listener can't use {host}:{port} ({why}): stop what listens there, or choose another port."
