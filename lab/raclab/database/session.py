"""One client's session on the simulated cluster: runs Oracle's statements on a cursor of the engine."""

import contextlib
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import duckdb

from raclab.database import blocks
from raclab.database.binds import Values, by_place
from raclab.database.constraint_errors import broken
from raclab.database.decimals import decimals
from raclab.database.dialect.ddl import Change
from raclab.database.dialect.parse import offset_of_words
from raclab.database.dialect.translate import Translation, Verb, translate
from raclab.database.engine import Engine
from raclab.database.engine_errors import oracle_error
from raclab.database.foreign_keys import ForeignKey, References
from raclab.database.oracle_error import OracleError
from raclab.database.session_environment import Client, Environment
from raclab.database.transaction import After, Transaction, columns_of
from raclab.database.view_shape import Definition
from raclab.database.written_out import narrowed, written_out

MOST_ROWS = 200_000
_NAMING = (904, 918, 937, 942, 979, 2289, 8002)
"""Errors whose message names what is wrong, so that its place in the text can be found."""


@dataclass(frozen=True)
class Outcome:
    """What a statement gave: columns (name and DuckDB type) with rows, the number of rows changed, or (``returned``) both."""

    columns: list[tuple[str, str]] = field(default_factory=list)
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    changed: int = 0
    returned: bool = False


class Session:
    """A session on one instance. Used by one thread at a time; ``interrupt`` may be called from any."""

    def __init__(self, engine: Engine, instance: int, client: Client) -> None:
        self._engine = engine
        self.instance = instance
        self.sid = engine.next_sid()
        self.started: float | None = None  # when the running statement began; infinity while it waits for its turn
        self._kept: duckdb.DuckDBPyConnection | None = engine.cursor()
        self._transaction = Transaction()
        self._references = References(engine.commits)
        self._unseen: Mapping[str, Definition] = {}  # the views that were not there when the transaction began
        self._woken = threading.Event()
        self._environment = Environment(instance, self.sid, client)
        self._lock = threading.Lock()
        now = engine.now().replace(microsecond=0)
        said = [text or None for text in (client.osuser, client.machine, client.terminal, client.program)]
        self._cursor.execute(
            "INSERT INTO cluster.session VALUES ($1, $2, $2, $3, $3, true, $4, NULL, $5, $6, $7, NULL, NULL, NULL, NULL)",
            [instance, self.sid, now, *said],
        )
        self._environment.prepare(self._cursor)

    @property
    def closed(self) -> bool:
        """Whether it has ended."""
        return self._kept is None

    @property
    def _cursor(self) -> duckdb.DuckDBPyConnection:
        if self._kept is None:
            raise OracleError(1012, "not logged on: this session has ended")
        return self._kept

    # -- statements

    def execute(self, text: str, values: Values = ()) -> Outcome:
        """Run one statement with the values of its bind variables by place. Raises OracleError."""
        statement = self._translated(text)
        if statement.verb is Verb.BLOCK:
            blocks.run(text, list(values), self.describe, self._sleep)
            return Outcome()
        if statement.verb is Verb.SESSION:
            if statement.setting[0]:
                self._environment.set(*statement.setting)
                self._environment.prepare(self._cursor)
            return Outcome()
        if statement.verb is Verb.SAVEPOINT:
            self._transaction.savepoint(statement.setting[1])
            return Outcome()
        if statement.verb is Verb.COMMIT:
            self.commit()
            return Outcome()
        if statement.verb is Verb.ROLLBACK:
            if statement.setting[0]:
                self._transaction.rollback_to(self._cursor, statement.setting[1])
            else:
                self.rollback()
            return Outcome()
        if statement.returned:
            values = self._received(statement, values)
        placed = by_place(statement.binds, values)
        self._cursor.execute("SET VARIABLE now = $1::TIMESTAMP", [self._engine.now()])
        if statement.verb is Verb.DEFINE:
            self.commit()
            return self._define(statement, text)
        if statement.verb is Verb.CHANGE:
            return self._change(statement, placed, text)
        return self._query(statement, placed, text)

    def _translated(self, text: str) -> Translation:
        self._engine.catalog.read(self._engine.rows)
        statement = translate(text, self._environment.schema, self._engine.catalog)
        views = [name for schema, name in statement.touched if schema == "SYS"]
        if not views:
            return statement
        if statement.verb is Verb.DEFINE:  # what it creates rests on views, and it ends a transaction
            self._engine.need(views)
            return statement
        if self._transaction.open:
            written = [written_out(sql, self._unseen) for sql in statement.sql]
        else:
            written = [narrowed(sql) for sql in statement.sql]
            self._engine.need(name for one in written for name in one.names)
        return replace(statement, sql=tuple(one.sql for one in written))

    def check(self, text: str) -> None:
        """Parse a statement without running it. Raises OracleError."""
        self._translated(text)

    def columns(self, text: str) -> list[tuple[str, str]]:
        """The columns of a query (name and DuckDB type) without running it. Raises OracleError."""
        statement = self._translated(text)
        if statement.verb is not Verb.QUERY:
            return []
        limited = f"SELECT * FROM ({statement.sql[0]}) LIMIT 0"
        return self._query(Translation(Verb.QUERY, (limited,), touched=statement.touched), [None] * len(statement.binds), text).columns

    def _query(self, statement: Translation, values: list[Any], text: str) -> Outcome:
        def run() -> Outcome:
            result = self._cursor.execute(self._engine.parsed.of(self._cursor, statement.sql[0]), values)
            columns = columns_of(result)
            rows = result.fetchmany(MOST_ROWS + 1)
            if len(rows) > MOST_ROWS:
                raise OracleError(2395, f"exceeded call limit: the statement gives more than {MOST_ROWS:,} rows")
            return Outcome(columns, decimals(columns, rows))

        return self._guarded(run, statement, text)

    def _received(self, statement: Translation, values: Values) -> Values:
        """The values without those of the variables that receive what is returned; these stand behind all others."""
        if len(values) != len(statement.binds) + statement.returned:
            raise OracleError(1008, f"not all variables bound: {len(statement.binds) + statement.returned} places, {len(values)} values")
        return values[: len(statement.binds)]

    def _returning(self, statement: Translation, values: list[Any], text: str) -> Outcome:
        def run() -> Outcome:
            columns, rows = self._transaction.returning(self._cursor, statement.sql[0], values, statement.returned, self._after(statement))
            return Outcome(columns, decimals(columns, rows), len(rows), returned=True)

        return self._guarded(run, statement, text)

    def _change(self, statement: Translation, values: list[Any], text: str) -> Outcome:
        if not self._transaction.open:
            self._references.begin()
            self._unseen = self._engine.unseen()
        if statement.returned:
            return self._returning(statement, values, text)

        def run() -> Outcome:
            return Outcome(changed=self._transaction.change(self._cursor, statement.sql, values, self._after(statement)))

        return self._guarded(run, statement, text)

    def _after(self, statement: Translation) -> After:
        """Foreign keys are upheld after each change."""
        keys = self._engine.catalog.foreign_keys
        return lambda cursor: self._references.after(cursor, keys, statement.writes)

    def _define(self, statement: Translation, text: str) -> Outcome:
        def run() -> Outcome:
            plain = all(isinstance(step, str) for step in statement.steps)
            with contextlib.nullcontext() if plain else self._engine.commits.alone():
                before = set(self._foreign_keys())
                try:
                    self._make(statement.steps)
                finally:
                    self._engine.catalog.forget()
                if new := set(self._foreign_keys()) - before:
                    self._engine.commits.defined(new)
            return Outcome()

        return self._guarded(run, statement, text)

    def _make(self, steps: Iterable[str | Change]) -> None:
        """Take the steps of a definition, in one transaction."""
        self._cursor.execute("BEGIN")
        try:
            for step in steps:
                if isinstance(step, str):
                    self._cursor.execute(step)
                else:
                    step.make(self._cursor)
            self._cursor.execute("COMMIT")
        except BaseException:
            self._cursor.execute("ROLLBACK")
            raise

    def _foreign_keys(self) -> list[ForeignKey]:
        self._engine.catalog.read(self._engine.rows)
        return self._engine.catalog.foreign_keys

    def _guarded(self, run: Callable[[], Outcome], statement: Translation, text: str) -> Outcome:
        # Raised outside the handler, so that the error that a notebook keeps does not keep one of DuckDB's, and with it the engine.
        said = ""
        try:
            return run()
        except duckdb.Error as error:
            said = str(error)
            failure = self._explained(oracle_error(error), statement, text)
        except OracleError as error:
            failure = error
        except RuntimeError as error:  # what DuckDB raises where a signal of the process came in between
            if "interrupted" not in str(error):
                raise
            failure = OracleError(1013, "user requested cancel of current operation")
        self._transaction.undo_failed(self._cursor)
        raise self._named(said, statement) or failure

    def _named(self, said: str, statement: Translation) -> OracleError | None:
        """The error with its constraint's name, from what DuckDB said of a change."""
        tables = {write.table for write in statement.writes}
        if not said or not tables:
            return None
        return broken(said, tables, self._engine.catalog.notes, lambda sql: self._cursor.execute(sql).fetchall())

    def _explained(self, error: OracleError, statement: Translation, text: str) -> OracleError:
        """The error with its place in the text. A published table that is missing because its file is damaged says so."""
        for schema, name in statement.touched if error.code == 942 else ():
            if schema == "PUBLISHED" and name in self._engine.published.refused:
                return OracleError(29913, f"published table {name} can't be read: {self._engine.published.refused[name]}")
        if error.offset is not None:
            return error
        named = re.findall(r'"([^"]+)"|table or view (?:[\w$#]+\.)?([\w$#]+)|sequence ([\w$#]+)', error.message)
        words = [next(filter(None, groups)) for groups in named] if error.code in _NAMING else []
        return OracleError(error.code, error.message, offset_of_words(text, words))

    def commit(self) -> None:
        """End the transaction and keep its changes. Raises ORA-02091 if another session's changes stand against it."""
        if self._kept is None:
            return
        if not self._transaction.open:
            self._transaction.commit(self._kept)  # savepoints end with it
            return
        try:
            with self._references.committing(self._foreign_keys):
                self._transaction.commit(self._kept)
        except OracleError as error:
            if error.code != 8177:
                raise
            self._transaction.rollback(self._kept)
            raise OracleError(2091, f"transaction rolled back: {error.message}") from None

    def rollback(self) -> None:
        """End the transaction and undo its changes."""
        if self._kept is not None:
            self._transaction.rollback(self._kept)

    # -- what the session knows and says of itself

    def describe(self, told: Mapping[str, str]) -> None:
        """Set module, action, client_info or client_identifier, as V$SESSION and USERENV show them."""
        known = self._environment.tell(told)
        if not known:
            return
        changes = ", ".join(f"{name} = nullif(${place}, '')" for place, name in enumerate(known, 1))
        where = f"inst_id = ${len(known) + 1} AND sid = ${len(known) + 2}"
        with self._engine.writing() as root:
            root.execute(f"UPDATE cluster.session SET {changes} WHERE {where}", [*known.values(), self.instance, self.sid])
        self._environment.prepare(self._cursor)

    # -- end

    def interrupt(self) -> None:
        """Stop the running statement, from another thread."""
        self._woken.set()
        with self._lock:
            if self._kept is not None:
                self._kept.interrupt()

    def _sleep(self, seconds: float) -> None:
        """DBMS_SESSION.SLEEP: until the time is over or the session is interrupted."""
        self._woken.clear()
        if self._woken.wait(seconds):
            raise OracleError(1013, "user requested cancel of current operation")

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
