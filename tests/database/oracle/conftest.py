"""A database that speaks Oracle's wire protocol and answers as a test tells it: the real driver, no Oracle.

It knows the lab's queries, keeps the workload's objects, and records every statement that reaches it. It is no SQL engine.
"""

import logging
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest
from seerdb.common.tns import ColumnMeta
from seerdb.common.tns_consts import TNS_TYPE_NUMBER, TNS_TYPE_VARCHAR
from seerdb.server.backend import BackendError, BindVar, Capability, Result, SessionInfo
from seerdb.server.service import Server

PASSWORD = "S3cret-of-the-test"
RACLAB_VARIABLES = (
    "RACLAB_DSN",
    "RACLAB_USER",
    "RACLAB_PASSWORD",
    "RACLAB_WALLET",
    "RACLAB_WALLET_PASSWORD",
    "RACLAB_I_OWN_THIS_DATABASE",
    "RACLAB_ADMIN_USER",
    "RACLAB_ADMIN_PASSWORD",
)


def rows(names: str, *values: tuple[Any, ...]) -> Result:
    """A result; a column whose first value is a number is NUMBER, any other VARCHAR2."""
    first = values[0] if values else ("",) * len(names.split())
    columns = [
        ColumnMeta(name.encode(), TNS_TYPE_NUMBER, 22, 22)
        if isinstance(value, int | float)
        else ColumnMeta(name.encode(), TNS_TYPE_VARCHAR, 500, 500)
        for name, value in zip(names.split(), first, strict=True)
    ]
    return Result(columns=columns, rows=list(values))


@dataclass
class FakeOracle:
    """What the database is, what it holds, and what it was asked.

    statements   (sid, statement) in order of arrival; ends (sid, "commit" | "rollback" | "closed")
    elsewhere    instances that are in truth another database's, with its name
    tracing      (sid, {"module": ..., "action": ...}) as the sessions set them
    work         called for the workload's block with the session; its answer is ``calls``; may raise
    """

    instances: dict[int, str] = field(default_factory=lambda: {1: "RAC1"})
    user: str = "RACLAB"
    password: str = PASSWORD
    database: str = "FREE"
    container: str = "FREEPDB1"
    mark: tuple[str, str, str] | None = ("RACLAB", "FREE", "FREEPDB1")
    banner: str = "Oracle Database 23ai Free Release 23.0.0.0.0 - Develop, Learn, and Run for Free"
    field_version: int = 24
    elsewhere: dict[int, str] = field(default_factory=dict)
    claimed: bool = False
    objects: set[str] = field(default_factory=set)
    users: dict[str, str] = field(default_factory=dict)
    refuse: dict[str, tuple[int, str]] = field(default_factory=dict)
    before_login: Callable[[], object] = lambda: None
    work: Callable[["FakeSession"], int] = lambda session: 10_000
    statements: list[tuple[int, str]] = field(default_factory=list)
    ends: list[tuple[int, str]] = field(default_factory=list)
    tracing: list[tuple[int, dict[str, str | None]]] = field(default_factory=list)
    binds: list[tuple[int, list[Any]]] = field(default_factory=list)
    others: dict[str, Callable[["FakeSession"], Result]] = field(default_factory=dict)
    sids: Iterator[int] = field(default_factory=lambda: count(101))
    lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> "FakeOracle":
        """Listen on an ephemeral port of loopback."""
        self.server = Server(port=0, backend_factory=lambda: FakeSession(self), field_version=self.field_version)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    @property
    def dsn(self) -> str:
        """host:port/service; the service leads to instance 1."""
        return f"127.0.0.1:{self.server.port}/FREEPDB1"

    @staticmethod
    def rows(names: str, *values: tuple[Any, ...]) -> Result:
        """An answer for ``others``; see the function of that name."""
        return rows(names, *values)

    def sent(self) -> list[str]:
        """All statements, in one line each."""
        return [" ".join(statement.split()) for _, statement in self.statements]


class FakeSession:
    """One session: what seerdb calls a backend."""

    capabilities = frozenset({Capability.TRANSACTIONS})

    def __init__(self, oracle: FakeOracle) -> None:
        self.oracle = oracle
        self.sid = next(oracle.sids)
        self.inst_id = 1
        self.worked = False
        self.holds_claim = False

    def authenticate(self, username: str) -> str | None:
        """The password of a user, None if there is no such user."""
        self.oracle.before_login()
        return {self.oracle.user: self.oracle.password, **self.oracle.users}.get(username.upper())

    def open_session(self, attributes: dict[str, str]) -> None:
        """A service that bears an instance's name leads to that instance; INSTANCE_NAME is not understood."""
        by_name = {name: inst_id for inst_id, name in self.oracle.instances.items()}
        self.inst_id = by_name.get(attributes.get("service_name", ""), 1)

    def session_info(self) -> SessionInfo:
        """What the login reports."""
        return SessionInfo(session_id=self.sid, instance_name=self.oracle.instances[self.inst_id])

    def set_end_to_end(self, attributes: dict[str, str | None]) -> None:
        """Module and action, as the client set them."""
        self.oracle.tracing.append((self.sid, attributes))

    def execute(self, sql: str, binds: Any = ()) -> Result:
        """Answer one statement."""
        oracle = self.oracle
        values = [bind.value if isinstance(bind, BindVar) else bind for bind in binds]
        with oracle.lock:
            oracle.statements.append((self.sid, sql))
            oracle.binds.append((self.sid, values))
        text = " ".join(sql.split()).lower()
        for pattern, (code, message) in oracle.refuse.items():
            if re.search(pattern, text):
                raise BackendError(message, ora_code=code)
        for pattern, answer in oracle.others.items():
            if re.search(pattern, text):
                return answer(self)
        if text.startswith("declare"):
            calls = oracle.work(self)
            self.worked = True
            return Result(out_binds=[calls if value is None else value for value in values])
        if text.startswith(("begin", "create", "drop", "grant", "insert", "commit")):
            return self._change(text)
        return self._read(text)

    def _change(self, text: str) -> Result:
        objects = self.oracle.objects
        if created := re.match(r"(create table|begin.*create sequence) (?:(\w+)\.)?(\w+)", text):
            objects.add(created[3].upper())
        elif dropped := re.match(r"drop (table|sequence) (\w+)", text):
            if dropped[2].upper() not in objects:
                code = 942 if dropped[1] == "table" else 2289
                raise BackendError(f"{dropped[1]} does not exist", ora_code=code)
            objects.discard(dropped[2].upper())
        return Result()

    def _read(self, text: str) -> Result:
        oracle = self.oracle
        if "'session_user'" in text:
            database = oracle.elsewhere.get(self.inst_id, oracle.database)
            return rows("U S D C", (oracle.user, oracle.user, database, oracle.container))
        if "'sid'" in text:
            return rows("SID INSTANCE DB", (str(self.sid), str(self.inst_id), oracle.elsewhere.get(self.inst_id, oracle.database)))
        if "raclab_mark" in text:
            if oracle.mark is None:
                raise BackendError("table or view does not exist", ora_code=942)
            if "for update" in text:
                if oracle.claimed:
                    raise BackendError("resource busy and acquire with NOWAIT specified or timeout expired", ora_code=54)
                oracle.claimed = self.holds_claim = True
            return rows("LAB_USER DB_UNIQUE_NAME CON_NAME", oracle.mark)
        if "from v$version" in text:
            return rows("BANNER", (oracle.banner,))
        if "from gv$instance" in text:
            return rows("INST_ID INSTANCE_NAME", *oracle.instances.items())
        if "v$session_event" in text:
            return rows("EVENT WAIT_CLASS TOTAL_WAITS TIME_WAITED_MICRO MAX_WAIT", *self.waits())
        if "v$sesstat" in text:
            return rows("NAME VALUE", *self.stats())
        if "from dual" in text:
            return rows("X", ("X",))
        raise BackendError("table or view does not exist", ora_code=942)

    def waits(self) -> list[tuple[Any, ...]]:
        """V$SESSION_EVENT of this session, before or after the workload."""
        idle = ("SQL*Net message from client", "Idle", 9 + self.worked, 5_000_000 * (1 + self.worked), 400)
        logon = ("SQL*Net message to client", "Network", 9, 31, 0)
        if not self.worked:
            return [idle, logon, ("log file sync", "Commit", 1, 40_000, 4)]
        return [
            idle,
            logon,
            ("row cache lock", "Concurrency", 5413, 62_860_000, 293),
            ("gc current block 2-way", "Cluster", 5166 + self.inst_id, 5_390_000, 1),
            ("log file sync", "Commit", 3, 44_000, 4),
        ]

    def stats(self) -> list[tuple[str, int]]:
        """V$SESSTAT of this session, before or after the workload."""
        before = {"CPU used by this session": 2, "execute count": 7, "session pga memory": 1_000_000, "user commits": 0}
        grown = {"CPU used by this session": 802, "execute count": 20_007, "session pga memory": 5_000_000, "user commits": 11}
        return list((grown if self.worked else before).items())

    def commit(self) -> None:
        """COMMIT."""
        self.oracle.ends.append((self.sid, "commit"))

    def rollback(self) -> None:
        """ROLLBACK."""
        self.oracle.ends.append((self.sid, "rollback"))
        self._release()

    def close(self) -> None:
        """The client has gone."""
        self.oracle.ends.append((self.sid, "closed"))
        self._release()

    def _release(self) -> None:
        if self.holds_claim:
            self.oracle.claimed = self.holds_claim = False


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """No RACLAB_ variable of the outside reaches a test, except where a real Oracle is meant."""
    if request.node.get_closest_marker("oracle") is None:
        for name in RACLAB_VARIABLES:
            monkeypatch.delenv(name, raising=False)


@pytest.fixture
def fake_oracle(caplog: pytest.LogCaptureFixture) -> Iterator[Callable[..., FakeOracle]]:
    """Make fake databases: ``fake_oracle(instances={1: "RAC1", 2: "RAC2"})``."""
    logging.getLogger("seerdb.server").setLevel(logging.CRITICAL)
    made: list[FakeOracle] = []

    def make(**what: Any) -> FakeOracle:
        made.append(FakeOracle(**what).start())
        return made[-1]

    yield make
    for oracle in made:
        oracle.server.close()


@pytest.fixture
def as_lab_user(monkeypatch: pytest.MonkeyPatch) -> Callable[[FakeOracle], None]:
    """Set the RACLAB_ variables to a fake database, its lab user, and its ownership."""

    def point(oracle: FakeOracle, owned: str = "FREE") -> None:
        monkeypatch.setenv("RACLAB_DSN", oracle.dsn)
        monkeypatch.setenv("RACLAB_USER", oracle.user)
        monkeypatch.setenv("RACLAB_PASSWORD", oracle.password)
        if owned:
            monkeypatch.setenv("RACLAB_I_OWN_THIS_DATABASE", owned)

    return point
