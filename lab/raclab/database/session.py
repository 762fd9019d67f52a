"""One client's session on the simulated cluster: runs Oracle's statements on a cursor of the engine.

Transactions are as Oracle's, so far as DuckDB allows: the first change begins one, DDL commits, a failed statement undoes only itself.
DuckDB gives up a whole transaction when a statement in it fails; the changes made before are then made again. From its first change
to its end a transaction sees the database as it was at that change.
"""

import contextlib
import datetime
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import duckdb

from raclab.database import blocks
from raclab.database.dialect.names import OWN
from raclab.database.dialect.translate import Translation, Verb, translate
from raclab.database.engine import DATE_FORMAT, Engine
from raclab.database.engine_errors import oracle_error
from raclab.database.oracle_error import OracleError

MOST_ROWS = 200_000
MOST_CHANGES = 20_000
"""Changes of one transaction that are made again after an error; beyond that the transaction is rolled back."""

Values = Sequence[Any]


@dataclass(frozen=True)
class Outcome:
    """What a statement gave: columns (name and DuckDB type) with rows, or the number of rows changed."""

    columns: list[tuple[str, str]] = field(default_factory=list)
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    changed: int = 0


@dataclass
class Client:
    """What a client says of itself at login."""

    program: str = ""
    machine: str = ""
    osuser: str = ""
    terminal: str = ""


class Session:
    """A session on one instance. Used by one thread at a time; ``interrupt`` may be called from any."""

    def __init__(self, engine: Engine, instance: int, client: Client) -> None:
        self._engine = engine
        self.instance = instance
        self.sid = engine.next_sid()
        self.schema = OWN
        self.started: float | None = None  # monotonic time at which the running statement began
        self._kept: duckdb.DuckDBPyConnection | None = engine.cursor()
        self._changes: list[tuple[str, list[Any]]] | None = None
        self._date_format = DATE_FORMAT
        self._told: dict[str, str] = {}
        self._client = client
        self._lock = threading.Lock()
        now = engine.now().replace(microsecond=0)
        said = [text or None for text in (client.osuser, client.machine, client.terminal, client.program)]
        self._cursor.execute(
            "INSERT INTO cluster.session VALUES ($1, $2, $2, $3, $3, true, $4, NULL, $5, $6, $7, NULL, NULL, NULL, NULL)",
            [instance, self.sid, now, *said],
        )
        self._prepare()

    @property
    def _cursor(self) -> duckdb.DuckDBPyConnection:
        if self._kept is None:
            raise OracleError(1012, "not logged on: this session has ended")
        return self._kept

    # -- statements

    def execute(self, text: str, values: Values = ()) -> Outcome:
        """Run one statement with the values of its bind variables by place. Raises OracleError."""
        statement = translate(text, self.schema)
        if statement.verb is Verb.BLOCK:
            blocks.run(text, list(values), self.describe)
            return Outcome()
        if statement.verb is Verb.SESSION:
            self._set(*statement.setting)
            return Outcome()
        if statement.verb is Verb.COMMIT:
            self.commit()
            return Outcome()
        if statement.verb is Verb.ROLLBACK:
            self.rollback()
            return Outcome()
        placed = _by_place(statement.binds, values)
        self._cursor.execute("SET VARIABLE now = $1::TIMESTAMP", [self._engine.now()])
        if statement.verb is Verb.DEFINE:
            self.commit()
            return self._define(statement, text)
        if statement.verb is Verb.CHANGE:
            return self._change(statement, placed, text)
        return self._query(statement, placed, text)

    def check(self, text: str) -> None:
        """Parse a statement without running it. Raises OracleError."""
        translate(text, self.schema)

    def columns(self, text: str) -> list[tuple[str, str]]:
        """The columns of a query (name and DuckDB type) without running it. Raises OracleError."""
        statement = translate(text, self.schema)
        if statement.verb is not Verb.QUERY:
            return []
        limited = f"SELECT * FROM ({statement.sql[0]}) LIMIT 0"
        return self._query(Translation(Verb.QUERY, (limited,), touched=statement.touched), [None] * len(statement.binds), text).columns

    def _query(self, statement: Translation, values: list[Any], text: str) -> Outcome:
        def run() -> Outcome:
            result = self._cursor.execute(statement.sql[0], values)
            columns = [(str(name), str(kind)) for name, kind, *_ in result.description or []]
            rows = result.fetchmany(MOST_ROWS + 1)
            if len(rows) > MOST_ROWS:
                raise OracleError(2395, f"exceeded call limit: the statement gives more than {MOST_ROWS:,} rows")
            return Outcome(columns, rows)

        return self._guarded(run, statement, text)

    def _change(self, statement: Translation, values: list[Any], text: str) -> Outcome:
        sql = statement.sql[0]

        def run() -> Outcome:
            if self._changes is None:
                self._cursor.execute("BEGIN")
                self._changes = []
            row = self._cursor.execute(sql, values).fetchone()
            self._changes.append((sql, values))
            return Outcome(changed=int(row[0]) if row else 0)

        return self._guarded(run, statement, text)

    def _define(self, statement: Translation, text: str) -> Outcome:
        def run() -> Outcome:
            for sql in statement.sql:
                self._cursor.execute(sql)
            return Outcome()

        return self._guarded(run, statement, text)

    def _guarded(self, run: Callable[[], Outcome], statement: Translation, text: str) -> Outcome:
        # Raised outside the handler, so that the error that a notebook keeps does not keep one of DuckDB's, and with it the engine.
        try:
            return run()
        except duckdb.Error as error:
            failure = self._explained(oracle_error(error), statement, text)
        except OracleError as error:
            failure = error
        self._undo_failed()
        raise failure

    def _explained(self, error: OracleError, statement: Translation, text: str) -> OracleError:
        """The error with its place in the text. A published table that is missing because its file is damaged says so."""
        for schema, name in statement.touched if error.code == 942 else ():
            if schema == "PUBLISHED" and name in self._engine.published.refused:
                return OracleError(29913, f"published table {name} can't be read: {self._engine.published.refused[name]}")
        if error.offset is None and error.code in (904, 918, 942, 979):
            named = re.findall(r'"([^"]+)"|table or view (?:[\w$#]+\.)?([\w$#]+)', error.message)
            wanted = [quoted or bare for quoted, bare in named]
            place = re.search(rf"(?<![\w$#]){re.escape(wanted[-1])}(?![\w$#])", text, re.IGNORECASE) if wanted else None
            return OracleError(error.code, error.message, place.start() if place else None)
        return error

    def _undo_failed(self) -> None:
        """After a failed statement: bring back the open transaction as it was before it."""
        if self._changes is None:
            return
        kept, self._changes = self._changes, None
        self._cursor.execute("ROLLBACK")
        if len(kept) > MOST_CHANGES:
            raise OracleError(2091, f"transaction rolled back: after an error, with more than {MOST_CHANGES:,} changes in it")
        if not kept:
            return
        try:
            self._cursor.execute("BEGIN")
            for sql, values in kept:
                self._cursor.execute(sql, values)
        except duckdb.Error as error:
            self._cursor.execute("ROLLBACK")
            raise OracleError(2091, f"transaction rolled back: {oracle_error(error).message}") from None
        self._changes = kept

    # -- transactions

    def commit(self) -> None:
        """End the transaction and keep its changes. Raises ORA-02091 if another session's changes stand against it."""
        if self._changes is None:
            return
        self._changes = None
        try:
            self._cursor.execute("COMMIT")
        except duckdb.Error as error:
            raise OracleError(2091, f"transaction rolled back: {oracle_error(error).message}") from None

    def rollback(self) -> None:
        """End the transaction and undo its changes."""
        if self._changes is not None:
            self._changes = None
            self._cursor.execute("ROLLBACK")

    # -- what the session knows and says of itself

    def describe(self, told: Mapping[str, str]) -> None:
        """Set module, action, client_info or client_identifier, as V$SESSION and USERENV show them."""
        known = {name: value or "" for name, value in told.items() if name in ("module", "action", "client_info", "client_identifier")}
        if not known:
            return
        self._told.update(known)
        changes = ", ".join(f"{name} = nullif(${place}, '')" for place, name in enumerate(known, 1))
        where = f"inst_id = ${len(known) + 1} AND sid = ${len(known) + 2}"
        with self._engine.writing() as root:
            root.execute(f"UPDATE cluster.session SET {changes} WHERE {where}", [*known.values(), self.instance, self.sid])
        self._prepare()

    def _set(self, name: str, value: str) -> None:
        if name == "CURRENT_SCHEMA":
            self.schema = value
        elif name == "NLS_DATE_FORMAT":
            self._date_format = value
        self._prepare()

    def _prepare(self) -> None:
        userenv = {
            "ACTION": self._told.get("action", ""),
            "AUTHENTICATED_IDENTITY": OWN,
            "CDB_NAME": "",
            "CLIENT_IDENTIFIER": self._told.get("client_identifier", ""),
            "CLIENT_INFO": self._told.get("client_info", ""),
            "CON_ID": "0",
            "CON_NAME": "RACLAB",
            "CURRENT_SCHEMA": self.schema,
            "CURRENT_USER": OWN,
            "DATABASE_ROLE": "PRIMARY",
            "DB_DOMAIN": "",
            "DB_NAME": "RACLAB",
            "DB_UNIQUE_NAME": "raclab",
            "HOST": self._client.machine,
            "INSTANCE": str(self.instance),
            "INSTANCE_NAME": f"rac{self.instance}",
            "ISDBA": "FALSE",
            "LANG": "US",
            "LANGUAGE": "AMERICAN_AMERICA.AL32UTF8",
            "MODULE": self._told.get("module", ""),
            "NLS_DATE_FORMAT": self._date_format,
            "OS_USER": self._client.osuser,
            "SERVER_HOST": f"node{self.instance}",
            "SERVICE_NAME": f"RAC{self.instance}",
            "SESSIONID": str(self.sid),
            "SESSION_USER": OWN,
            "SID": str(self.sid),
            "TERMINAL": self._client.terminal,
        }
        Engine.prepare(self._cursor, userenv, self._date_format)

    # -- end

    def interrupt(self) -> None:
        """Stop the running statement, from another thread."""
        with self._lock:
            if self._kept is not None:
                self._kept.interrupt()

    def close(self) -> None:
        """Roll back and end the session. Closing twice does nothing."""
        if self._kept is None:
            return
        with contextlib.suppress(duckdb.Error, OracleError):  # the engine may be closed, and with it everything that the session had
            self.rollback()
            self._cursor.execute("DELETE FROM cluster.session WHERE inst_id = $1 AND sid = $2", [self.instance, self.sid])
        with self._lock:
            self._kept.close()
            self._kept = None


def _by_place(binds: tuple[str, ...], values: Values) -> list[Any]:
    """Values for DuckDB's $1, $2 ...: one a place, or one a name where a name stands in several places."""
    given = [_plain(value) for value in values]
    if len(given) == len(binds):
        return given
    names = list(dict.fromkeys(binds))
    if len(given) == len(names):
        by_name = dict(zip(names, given, strict=True))
        return [by_name[name] for name in binds]
    if len(given) < len(binds):
        raise OracleError(1008, f"not all variables bound: {len(names)} in the statement, {len(given)} given")
    raise OracleError(1006, "bind variable does not exist: more values than variables in the statement")


def _plain(value: Any) -> Any:
    """A bound value as DuckDB takes it; an empty string is null."""
    if value == "" and isinstance(value, str):
        return None
    if isinstance(value, str):
        return str(value)
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, Decimal) and value == value.to_integral_value() and abs(value) < 10**18:
        return int(value)
    return value
