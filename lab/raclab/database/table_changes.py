"""CREATE, DROP, TRUNCATE, RENAME and COMMENT for tables of LAB: what DuckDB does, and what is known of their constraints with it.

Every change is made inside a transaction of the caller's.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import duckdb
from sqlglot import exp, parse_one

from raclab.database.constraints import (
    Constraint,
    Notes,
    all_notes,
    column_renamed,
    literal,
    named,
    notes_of,
    parent_column_renamed,
    quote,
    referring,
    released,
    write,
    write_changed,
)
from raclab.database.foreign_keys import joined
from raclab.database.oracle_error import OracleError
from raclab.database.rebuild import parts_of

_IDENTITY = re.compile(r"ISEQ\$\$_[^\"']+")


@dataclass(frozen=True)
class Create:
    """CREATE TABLE by DuckDB's ``sql``, with its constraints; ``unless_there`` is IF NOT EXISTS."""

    table: str
    sql: str
    constraints: tuple[Constraint, ...]
    unless_there: bool = False

    def make(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Create it. Raises what ``named`` and ``joined`` raise, and DuckDB's errors."""
        notes = all_notes(cursor)
        if self.unless_there and self.table in notes:
            return
        known = Notes()
        if self.table not in notes:
            known = joined(notes, self.table, named(cursor, self.constraints, notes))
        cursor.execute(self.sql)
        write(cursor, self.table, known)


@dataclass(frozen=True)
class Drop:
    """DROP TABLE; ``if_there`` is IF EXISTS, ``cascade`` takes the foreign keys along that lead to it."""

    table: str
    if_there: bool
    cascade: bool

    def make(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Drop it. Raises ORA-00942 where there is none, and ORA-02449 where foreign keys lead to it."""
        notes = all_notes(cursor)
        if self.if_there and self.table not in notes:
            return
        known = notes_of(notes, self.table)
        referenced = OracleError(2449, "unique/primary keys in table referenced by foreign keys: drop it with CASCADE CONSTRAINTS")
        write_changed(cursor, notes, released(notes, self.table, known.constraints, self.cascade, referenced))
        identity = _IDENTITY.search(" ".join(part.sql("duckdb") for part in parts_of(cursor, self.table)))
        cursor.execute(f"DROP TABLE {quote('LAB', self.table)}")
        if identity:
            cursor.execute(f"DROP SEQUENCE IF EXISTS {quote('LAB', identity[0])}")


@dataclass(frozen=True)
class Truncate:
    """TRUNCATE TABLE."""

    table: str

    def make(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Empty it. Raises ORA-02266 where foreign keys of other tables lead to it, and DuckDB's errors."""
        if any(other != self.table for other, _ in referring(all_notes(cursor), self.table)):
            raise OracleError(2266, "unique/primary keys in table referenced by enabled foreign keys: use DELETE")
        cursor.execute(f"TRUNCATE {quote('LAB', self.table)}")


@dataclass(frozen=True)
class Keep:
    """A change of nothing but how Oracle would store a table."""

    table: str

    def make(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Raises ORA-00942 where there is no such table."""
        notes_of(all_notes(cursor), self.table)


@dataclass(frozen=True)
class Rename:
    """RENAME TO."""

    table: str
    to: str

    def make(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Rename it, and say so in the foreign keys that lead to it. Raises ORA-00942, and DuckDB's errors."""
        notes = all_notes(cursor)
        known = notes_of(notes, self.table)
        _alter(cursor, self.table, f"RENAME TO {quote(self.to)}", new_name=self.to)
        renamed = notes | {self.to: known}
        del renamed[self.table]
        renamed = {
            table: _map(one, lambda key: replace(key, to=self.to) if key.to == self.table else key) for table, one in renamed.items()
        }
        write_changed(cursor, notes | {self.to: known}, renamed)


@dataclass(frozen=True)
class RenameColumn:
    """RENAME COLUMN."""

    table: str
    column: str
    to: str

    def make(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Rename it, and say so in the constraints that name it. Raises ORA-00942, and DuckDB's errors."""
        notes = all_notes(cursor)
        known = notes_of(notes, self.table)
        _alter(cursor, self.table, f"RENAME COLUMN {quote(self.column)} TO {quote(self.to)}", renamed=(self.column, self.to))
        renamed = notes | {self.table: _map(known, lambda one: column_renamed(one, self.column, self.to))}
        for table, one in renamed.items():
            renamed[table] = _map(one, lambda key: parent_column_renamed(key, self.column, self.to) if key.to == self.table else key)
        write_changed(cursor, notes, renamed)


@dataclass(frozen=True)
class AddPlain:
    """ADD of a column without constraints, by DuckDB's SQL of it."""

    table: str
    definition: str

    def make(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Add it. Raises ORA-00942, and DuckDB's errors."""
        notes_of(all_notes(cursor), self.table)
        _alter(cursor, self.table, f"ADD COLUMN {self.definition}")


@dataclass(frozen=True)
class Remark:
    """COMMENT ON TABLE, or ON COLUMN where there is one; an empty text takes the comment away."""

    table: str
    column: str
    text: str

    def make(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Keep it. Raises ORA-00942, and DuckDB's errors."""
        said = literal(self.text) if self.text else "NULL"
        view = cursor.execute("SELECT 1 FROM duckdb_views() WHERE schema_name = 'LAB' AND view_name = $1", [self.table]).fetchone()
        if self.column:
            cursor.execute(f"COMMENT ON COLUMN {quote('LAB', self.table, self.column)} IS {said}")
        elif view:
            cursor.execute(f"COMMENT ON VIEW {quote('LAB', self.table)} IS {said}")
        else:
            write(cursor, self.table, replace(notes_of(all_notes(cursor), self.table), comment=self.text or None))


def _map(notes: Notes, change: Callable[[Constraint], Constraint]) -> Notes:
    return replace(notes, constraints=tuple(change(one) for one in notes.constraints))


def _alter(cursor: duckdb.DuckDBPyConnection, table: str, change: str, new_name: str = "", renamed: tuple[str, str] = ("", "")) -> None:
    """ALTER TABLE. DuckDB alters no table that has an index: its indexes are dropped before and made again after."""
    asked = "SELECT index_name, sql FROM duckdb_indexes() WHERE schema_name = 'LAB' AND table_name = $1"
    indexes = cursor.execute(asked, [table]).fetchall()
    for index, _ in indexes:
        cursor.execute(f"DROP INDEX {quote('LAB', index)}")
    cursor.execute(f"ALTER TABLE {quote('LAB', table)} {change}")
    for _, sql in indexes:
        made = parse_one(str(sql).rstrip(";"), dialect="duckdb")
        made.this.args["table"].set("this", exp.to_identifier(new_name or table, quoted=True))
        for column in made.this.args["params"].find_all(exp.Column):
            if column.name == renamed[0]:
                column.set("this", exp.to_identifier(renamed[1], quoted=True))
        for ordered in made.this.args["params"].find_all(exp.Ordered):
            ordered.set("nulls_first", None)
        cursor.execute(made.sql("duckdb", identify=True))
