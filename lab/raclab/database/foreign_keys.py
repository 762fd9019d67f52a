"""Foreign keys as Oracle looks after them: at the end of each statement, and for all sessions.

DuckDB's own would refuse to delete a parent whose children went earlier in the same transaction, know no ON DELETE, and keep a table from
being altered. So DuckDB is told of none; what a statement wrote is looked at after it. Two sessions that do not see each other's changes
yet are kept apart when they commit: of one that takes parents away and one that adds children, the second is rolled back.
"""

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import duckdb

from raclab.database.constraints import CASCADE, NO_ACTION, PRIMARY, REFERENCE, Constraint, Notes, no_table, quote
from raclab.database.oracle_error import OracleError


@dataclass(frozen=True)
class Write:
    """What a statement does to a table of LAB: "insert", "delete", or "update" of these columns."""

    table: str
    action: str
    columns: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ForeignKey:
    """A foreign key with its own table."""

    table: str
    constraint: Constraint

    def grown_by(self, write: Write) -> bool:
        """Whether rows may lead somewhere else after that."""
        return write.table == self.table and (write.action == "insert" or bool(write.columns & set(self.constraint.columns)))

    def shrunk_by(self, write: Write) -> bool:
        """Whether what rows lead to may have gone by that."""
        to = self.constraint
        return write.table == to.to and (write.action == "delete" or bool(write.columns & set(to.to_columns)))

    @property
    def orphans(self) -> str:
        """A FROM clause that gives the rows that lead nowhere."""
        here, there = (tuple(quote(one) for one in columns) for columns in (self.constraint.columns, self.constraint.to_columns))
        given = " AND ".join(f"child.{one} IS NOT NULL" for one in here)
        same = " AND ".join(f"parent.{key} = child.{one}" for one, key in zip(here, there, strict=True))
        found = f"SELECT 1 FROM {quote('LAB', self.constraint.to)} AS parent WHERE {same}"
        return f"{quote('LAB', self.table)} AS child WHERE {given} AND NOT EXISTS ({found})"

    def broken(self, cursor: duckdb.DuckDBPyConnection) -> bool:
        """Whether there are such rows."""
        return cursor.execute(f"SELECT 1 FROM {self.orphans} LIMIT 1").fetchone() is not None

    @property
    def action(self) -> str:
        """The statement that ON DELETE stands for."""
        if self.constraint.rule == CASCADE:
            return f"DELETE FROM {self.orphans}"
        nulls = ", ".join(f"{quote(one)} = NULL" for one in self.constraint.columns)
        return f"UPDATE {self.orphans.replace(' WHERE ', f' SET {nulls} WHERE ', 1)}"


def foreign_keys(notes: Mapping[str, Notes]) -> list[ForeignKey]:
    """All that there are."""
    return [ForeignKey(table, one) for table, known in notes.items() for one in known.constraints if one.kind == REFERENCE]


# -- in a statement


def uphold(cursor: duckdb.DuckDBPyConnection, keys: Collection[ForeignKey], writes: Sequence[Write]) -> list[str]:
    """After a statement: do what ON DELETE says, then look for rows that lead nowhere. Returns the statements done.

    Raises ORA-02291 for the rows written that do, ORA-02292 for those of other tables.
    """
    done: list[str] = []
    written = list(writes)
    for write in written:  # which grows
        for key in keys if write.action == "delete" else ():
            if key.shrunk_by(write) and key.constraint.rule != NO_ACTION and _changed(cursor, key.action):
                done.append(key.action)
                cascades = key.constraint.rule == CASCADE
                written.append(
                    Write(key.table, "delete" if cascades else "update", frozenset() if cascades else frozenset(key.constraint.columns))
                )
    for key in keys:
        grown, shrunk = (any(changed(write) for write in written) for changed in (key.grown_by, key.shrunk_by))
        if (grown or shrunk) and key.broken(cursor):
            found, which = ("parent key not found", 2291) if grown and not shrunk else ("child record found", 2292)
            raise OracleError(which, f"integrity constraint (LAB.{key.constraint.name}) violated - {found}")
    return done


def _changed(cursor: duckdb.DuckDBPyConnection, sql: str) -> bool:
    row = cursor.execute(sql).fetchone()
    return row is not None and row[0] > 0


# -- in a definition


def joined(notes: Mapping[str, Notes], table: str, new: Sequence[Constraint]) -> Notes:
    """A table's notes with new constraints; foreign keys know from now on where they lead.

    Raises ORA-02260, 02261 and 02275 for a key that the table has already, ORA-00942, 02256, 02268 and 02270 for a foreign key that
    leads to no key.
    """
    known = notes.get(table, Notes())
    for one in new:
        if one.kind != REFERENCE:
            _refuse_second(known, one)
            known = replace(known, constraints=(*known.constraints, one))
    for one in new:
        if one.kind == REFERENCE:
            found = _led(known if one.to == table else notes.get(one.to), one)
            if any(other.kind == REFERENCE and (other.columns, other.to) == (found.columns, found.to) for other in known.constraints):
                raise OracleError(2275, "such a referential constraint already exists in the table")
            known = replace(known, constraints=(*known.constraints, found))
    return known


def _refuse_second(known: Notes, new: Constraint) -> None:
    if new.kind == PRIMARY and any(one.kind == PRIMARY for one in known.constraints):
        raise OracleError(2260, "table can have only one primary key")
    if new.key and any(one.key and one.columns == new.columns for one in known.constraints):
        raise OracleError(2261, "such unique or primary key already exists in the table")


def _led(parent: Notes | None, new: Constraint) -> Constraint:
    if parent is None:
        raise no_table(new.to)
    columns = new.to_columns
    if not columns:
        columns = next((one.columns for one in parent.constraints if one.kind == PRIMARY), ())
        if not columns:
            raise OracleError(2268, f"referenced table does not have a primary key: {new.to}")
    if len(columns) != len(new.columns):
        raise OracleError(2256, "number of referencing columns must match referenced columns")
    if not any(one.key and sorted(one.columns) == sorted(columns) for one in parent.constraints):
        raise OracleError(2270, f"no matching unique or primary key for this column-list: {new.to} ({', '.join(columns)})")
    return replace(new, to_columns=columns)


def check_rows(cursor: duckdb.DuckDBPyConnection, key: ForeignKey) -> None:
    """Look at the rows that a new foreign key finds. Raises ORA-02298."""
    if key.broken(cursor):
        raise OracleError(2298, f"cannot validate (LAB.{key.constraint.name}) - parent keys not found")


# -- between sessions


class References:
    """A session's part in it: what its open transaction wrote."""

    def __init__(self, commits: "Commits") -> None:
        self._commits = commits
        self._began = 0
        self._writes: set[Write] = set()

    def begin(self) -> None:
        """A transaction begins now."""
        self._began = self._commits.now
        self._writes = set()

    def after(self, cursor: duckdb.DuckDBPyConnection, keys: Collection[ForeignKey], writes: Sequence[Write]) -> list[str]:
        """``uphold``, after a statement of the transaction."""
        self._writes |= set(writes)
        return uphold(cursor, keys, writes)

    @contextmanager
    def committing(self, keys: Callable[[], Collection[ForeignKey]]) -> Iterator[None]:
        """Around the transaction's COMMIT; ``keys`` gives those that there are then. Raises ORA-08177."""
        with self._commits.alone():
            found = keys()
            self._commits.check(found, self._writes, self._began)
            yield
            self._commits.ended(found, self._writes)


class Commits:
    """What transactions wrote that ended while others went on, so far as foreign keys have to do with it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._number = 0
        self._last: dict[Write, int] = {}

    @property
    def now(self) -> int:
        """The number of the last commit: what a transaction has to remember when it begins."""
        return self._number

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Around a COMMIT, and around the whole transaction of a definition."""
        with self._lock:
            yield

    def check(self, keys: Collection[ForeignKey], writes: Collection[Write], began: int) -> None:
        """Before a COMMIT. Raises ORA-08177 if another transaction, since this one began, took away what this one's rows may lead to, or
        wrote rows that may lead to what this one took away.
        """
        later = [write for write, number in self._last.items() if number > began]
        for key in keys:
            for mine, other in ((key.grown_by, key.shrunk_by), (key.shrunk_by, key.grown_by)):
                if any(mine(write) for write in writes) and any(other(write) for write in later):
                    said = f"another session changed rows that foreign key {key.constraint.name} has to do with"
                    raise OracleError(8177, f"can't serialize access for this transaction: {said}")

    def ended(self, keys: Collection[ForeignKey], writes: Collection[Write]) -> None:
        """After a COMMIT."""
        self._number += 1
        self._last |= {write: self._number for write in writes if any(key.grown_by(write) or key.shrunk_by(write) for key in keys)}

    def defined(self, keys: Collection[ForeignKey]) -> None:
        """Foreign keys are new: transactions that are open have not heeded them."""
        self._number += 1
        for key in keys:
            for table, action in ((key.table, "insert"), (key.constraint.to, "delete")):
                self._last[Write(table, action)] = self._number
