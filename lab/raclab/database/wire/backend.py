"""What seerdb asks of a database, answered by a session on the simulated cluster; and the serving of one client."""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, Final, TypeVar

import seerdb.server.session
from seerdb.common.tns import ColumnMeta
from seerdb.server import BackendError, Capability, Result, lockout, serve_session
from seerdb.server.backend import SessionInfo
from seerdb.server.identity import ServerIdentity

from raclab import __version__
from raclab.database.engine import Engine
from raclab.database.oracle_error import OracleError, unsupported
from raclab.database.session import Outcome, Session
from raclab.database.session_environment import Client
from raclab.database.views import BANNER
from raclab.database.wire import cursors, logoff
from raclab.database.wire.results import column, plain, result, returned
from raclab.database.wire.stream import Stream
from raclab.database.workers import Workers

# What a server has to say to strangers goes to the log, for whoever wants it, and not into a notebook.
logging.getLogger("seerdb").addHandler(logging.NullHandler())
_log = logging.getLogger(__name__)
_log.addHandler(logging.NullHandler())

cursors.install()
logoff.install()

T = TypeVar("T")

USER: Final = "LAB"
FIELD_VERSION: Final = 24
UNKNOWN_SERVICE: Final = 12514
BAD_PACKET: Final = 12592
LEAST_SDU: Final = 512
"""Bytes of the smallest packets that a client may ask for, as Oracle has it."""

_IDENTITY = ServerIdentity(
    version_no=19 << 24,
    version_sql=b"26",
    version_string=b"",
    banner=f"{BANNER} {__version__}".encode(),
    banner_full=f"{BANNER} {__version__}".encode(),
)
_SERVICE = re.compile(r"RAC([1-9]\d?)(?:\..*)?", re.IGNORECASE)


def serve_client(stream: Stream, backend: "Backend") -> None:
    """Serve one client until its end. Raises whatever ends it otherwise: rubbish, a refused login, a connection that broke."""
    # Failures are counted by host, in the listener: a name that is locked would shut everybody out, and names would pile up.
    lockout.configure(0)
    stream.settimeout(seerdb.server.session.LOGIN_SECONDS)
    request = stream.connect_request()
    if request is not None and request.sdu < LEAST_SDU:  # seerdb would cut its answers into packets of nothing, without an end
        stream.refuse(BAD_PACKET)
        return
    if request is not None and backend.instance_of(request.service_name) is None:
        stream.refuse(UNKNOWN_SERVICE)
        return
    try:
        serve_session(stream, backend, field_version=FIELD_VERSION)
    finally:
        if backend.asked is not None:
            lockout.unlock(backend.asked)


class Backend:
    """What seerdb asks of a database, for one client. ``asked`` is the user name that a login was tried with.

    Whatever the session does, it does in a thread of the workers: the client's own never calls DuckDB.
    """

    capabilities = frozenset({Capability.TRANSACTIONS})
    server_identity = _IDENTITY

    def __init__(self, engine: Engine, workers: Workers, password: str, logged_in: Callable[[], None], clock: Callable[[], float]) -> None:
        self._engine = engine
        self._workers = workers
        self._password = password
        self._logged_in = logged_in
        self._clock = clock
        self._client = Client()
        self.asked: str | None = None
        self.session: Session | None = None

    # -- login

    def set_client_identity(self, said: Mapping[str, str]) -> None:
        """Program, machine and user as the client says, for V$SESSION."""
        self._client = Client(**{name: said[name] for name in ("program", "machine", "osuser", "terminal") if said.get(name)})

    def authenticate(self, username: str) -> str | None:
        """The password of a user, None for one that there is not."""
        self.asked = username
        return self._password if username.upper() == USER else None

    def instance_of(self, service: str | None) -> int | None:
        """The instance that a service leads to, RAC1 to 1; None if there is none."""
        match = _SERVICE.fullmatch(service or "")
        number = int(match[1]) if match else 0
        return number if 1 <= number <= self._engine.instances else None

    def open_session(self, attributes: Mapping[str, Any]) -> None:
        """Begin the session, once the password has proved right. Raises BackendError."""
        number = self.instance_of(str(attributes.get("service_name") or ""))
        if number is None:
            raise BackendError("the listener knows no such service", ora_code=UNKNOWN_SERVICE)
        self.session = self._workers.run(lambda: Session(self._engine, number, self._client))
        self._logged_in()

    def session_info(self) -> SessionInfo:
        """What the driver shows of the session without asking for it."""
        session = self._in_session()
        return SessionInfo(
            session_id=session.sid,
            serial_num=session.sid,
            instance_name=f"rac{session.instance}",
            db_name="RACLAB",
            service_name=f"RAC{session.instance}",
        )

    def session_release(self) -> ServerIdentity:
        """The release that the driver shows."""
        return _IDENTITY

    def alter_session(self, statement: str) -> None:
        """A client's own settings at login, e.g. its time zone: the cluster keeps to its own."""

    # -- statements

    def execute(self, sql: str, binds: Sequence[Any] = ()) -> Result:
        """Run one statement. Raises BackendError with Oracle's code, as all that follows."""
        session = self._in_session()
        return self._translated(lambda: result(self._timed(lambda: session.execute(sql, [plain(bind) for bind in binds]))))

    def execute_many(self, sql: str, rows: Sequence[Sequence[Any]]) -> int:
        """Run a change with many rows of values; how many rows it changed."""
        try:
            return self.execute_many_rowcounts(sql, rows)[0]
        except BackendError as error:
            error.row_counts = []  # only a client that asked for counts can read them
            raise

    def execute_many_rowcounts(self, sql: str, rows: Sequence[Sequence[Any]]) -> tuple[int, list[int]]:
        """As execute_many, with the number for each row of values."""
        session = self._in_session()
        counts: list[int] = []

        def run() -> None:
            for row in rows:
                counts.append(session.execute(sql, [plain(bind) for bind in row]).changed)

        try:
            self._translated(lambda: self._timed(run))
        except BackendError as error:
            error.rowcount, error.row_counts = sum(counts), counts
            raise
        return sum(counts), counts

    def execute_returning(self, sql: str, rows: Sequence[Sequence[Any]]) -> Result:
        """Run a change that returns something, once for each row of values; what it returned each time."""
        session = self._in_session()

        def run() -> list[Outcome]:
            return [session.execute(sql, [plain(bind) for bind in row]) for row in rows]

        def all_returned() -> Result:
            outcomes = self._timed(run)
            given = [
                returned(outcome, [bind.tns_type for bind in row[-len(outcome.columns) :]])
                for outcome, row in zip(outcomes, rows, strict=True)
            ]
            return Result(rowcount=sum(outcome.changed for outcome in outcomes), returned_rows=given)

        return self._translated(all_returned)

    def describe(self, sql: str) -> list[ColumnMeta]:
        """The columns of a query, without running it."""
        session = self._in_session()
        return self._translated(lambda: [column(name, kind, ()) for name, kind in self._workers.run(lambda: session.columns(sql))])

    def parse(self, sql: str) -> None:
        """Check a statement without running it."""
        session = self._in_session()
        self._run(lambda: session.check(sql))

    def commit(self) -> None:
        """End the transaction and keep its changes."""
        self._run(self._in_session().commit)

    def rollback(self) -> None:
        """End the transaction and undo its changes."""
        self._run(self._in_session().rollback)

    def sessionless_begin(self, name: bytes, timeout: int) -> None:
        """A transaction that outlives its session, or spans databases (``tpc_begin``): refused."""
        refused = unsupported("transactions that are not one session's own")
        raise BackendError(refused.message, ora_code=refused.code)

    def sessionless_resume(self, name: bytes, timeout: int) -> None:
        """As sessionless_begin."""
        self.sessionless_begin(name, timeout)

    def ping(self) -> None:
        """Nothing, while there is a session."""
        self._in_session()

    def set_end_to_end(self, attributes: Mapping[str, str | None]) -> None:
        """Module, action, client info and identifier, as the driver's attributes set them."""
        session = self._in_session()
        self._run(lambda: session.describe({name: value or "" for name, value in attributes.items()}))

    def close(self) -> None:
        """End the session, if there is one."""
        if self.session is not None and not self.session.closed:  # a client that logged off has closed it already
            self._workers.run(self.session.close)

    def _in_session(self) -> Session:
        if self.session is None:
            raise BackendError("not logged on", ora_code=1012)
        return self.session

    def _timed(self, run: Callable[[], T]) -> T:
        session = self._in_session()

        def begun() -> T:
            session.started = self._clock()
            return run()

        session.started = inf
        try:
            return self._workers.run(begun)
        finally:
            session.started = None

    def _run(self, run: Callable[[], None]) -> None:
        self._translated(lambda: self._workers.run(run))

    def _translated(self, run: Callable[[], T]) -> T:
        try:
            return run()
        except OracleError as error:
            raise BackendError(error.message, ora_code=error.code, error_offset=error.offset) from None
        except MemoryError:
            raise BackendError("out of process memory", ora_code=4030) from None
        except Exception as error:  # a client never sees a traceback
            _log.exception("statement failed")
            # not ORA-00600: drivers take that for the end of the session, and close the connection
            refused = unsupported(f"way to run this statement: an error of its own ({type(error).__name__}) came in between")
            raise BackendError(refused.message, ora_code=refused.code) from None
