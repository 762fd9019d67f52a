"""A session's transaction, as Oracle's, so far as DuckDB allows.

The first change begins one, DDL commits, a failed statement undoes only itself. DuckDB gives up a whole transaction when a statement
in it fails; the changes made before are then made again. From its first change to its end a transaction sees the database as it was at
that change.
"""

from collections.abc import Callable, Sequence
from typing import Any

import duckdb

from raclab.database.engine_errors import oracle_error
from raclab.database.oracle_error import OracleError

Row = tuple[Any, ...]

After = Callable[[duckdb.DuckDBPyConnection], list[str]]
"""What is to be done after a change, before it counts: the further statements that it has run."""

MOST_CHANGES = 20_000
"""Changes of one transaction that are made again after an error; beyond that the transaction is rolled back."""


class Transaction:
    """The transaction of a session, open or not; it works on the session's cursor."""

    def __init__(self) -> None:
        self._changes: list[tuple[str, list[Any]]] | None = None
        self._savepoints: dict[str, int] = {}  # how many changes had been made

    @property
    def open(self) -> bool:
        """Whether it has begun."""
        return self._changes is not None

    def change(self, cursor: duckdb.DuckDBPyConnection, statements: Sequence[str], values: list[Any], after: After) -> int:
        """Run the statements of one change; the rows changed. Errors of the engine and of ``after`` pass; ``undo_failed`` is then due."""
        changes = self._begun(cursor)
        made: list[tuple[str, list[Any]]] = []
        changed = 0
        for sql in statements:
            row = cursor.execute(sql, values).fetchone()
            made.append((sql, values))
            changed += int(row[0]) if row else 0
        made += [(sql, []) for sql in after(cursor)]
        changes += made
        return changed

    def returning(
        self, cursor: duckdb.DuckDBPyConnection, sql: str, values: list[Any], receivers: int, after: After
    ) -> tuple[list[tuple[str, str]], list[Row]]:
        """Run a change that returns something: the columns (name and DuckDB type), and a row for each that it changed.

        Errors as above, and ORA-00913 or 00947 where it does not return as many columns as there are receivers.
        """
        changes = self._begun(cursor)
        result = cursor.execute(sql, values)
        columns = columns_of(result)
        if len(columns) != receivers:
            raise OracleError(913 if len(columns) > receivers else 947, "RETURNING and INTO have not the same number of items")
        rows = result.fetchall()
        changes += [(sql, values), *((further, []) for further in after(cursor))]
        return columns, rows

    def _begun(self, cursor: duckdb.DuckDBPyConnection) -> list[tuple[str, list[Any]]]:
        """The changes of the transaction, which begins with the first."""
        if self._changes is None:
            cursor.execute("BEGIN")
            self._changes = []
        return self._changes

    def undo_failed(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """After a failed statement: bring back the open transaction as it was before it."""
        if self._changes is not None:
            self._redo(cursor, self._changes)

    def savepoint(self, name: str) -> None:
        """Remember this place in the transaction."""
        self._savepoints.pop(name, None)
        self._savepoints[name] = len(self._changes or ())

    def rollback_to(self, cursor: duckdb.DuckDBPyConnection, savepoint: str) -> None:
        """Undo the changes since a savepoint. Raises ORA-01086 where there is none of that name."""
        if savepoint not in self._savepoints:
            raise OracleError(1086, f"savepoint '{savepoint}' never established in this session or is invalid")
        made = self._savepoints[savepoint]
        for name in [name for name, changes in self._savepoints.items() if changes > made]:
            del self._savepoints[name]
        if self._changes is not None and len(self._changes) > made:
            self._redo(cursor, self._changes[:made])

    def _redo(self, cursor: duckdb.DuckDBPyConnection, kept: list[tuple[str, list[Any]]]) -> None:
        """Roll the transaction back, and make these changes of it again."""
        self._changes = None
        cursor.execute("ROLLBACK")
        if len(kept) > MOST_CHANGES:
            raise OracleError(2091, f"transaction rolled back: after an error, with more than {MOST_CHANGES:,} changes in it")
        if not kept:
            return
        try:
            cursor.execute("BEGIN")
            for sql, values in kept:
                cursor.execute(sql, values)
        except duckdb.Error as error:
            cursor.execute("ROLLBACK")
            raise OracleError(2091, f"transaction rolled back: {oracle_error(error).message}") from None
        self._changes = kept

    def commit(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """End the transaction and keep its changes. Raises ORA-02091 if another session's changes stand against it."""
        self._savepoints.clear()
        if self._changes is None:
            return
        self._changes = None
        try:
            cursor.execute("COMMIT")
        except duckdb.Error as error:
            raise OracleError(2091, f"transaction rolled back: {oracle_error(error).message}") from None

    def rollback(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """End the transaction and undo its changes."""
        self._savepoints.clear()
        if self._changes is not None:
            self._changes = None
            cursor.execute("ROLLBACK")


def columns_of(result: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """The columns (name and DuckDB type) of what a cursor has just run."""
    return [(str(name), str(kind)) for name, kind, *_ in result.description or []]
