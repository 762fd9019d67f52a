"""ALTER TABLE where DuckDB can't: the table is made anew with the change in it, its rows, indexes and comments brought over.

DuckDB adds no column with a constraint, adds and drops no constraint, and changes no type of a column that one rests on; a text column's
length is such a constraint here. Every change is made inside a transaction of the caller's.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

import duckdb
from sqlglot import exp, parse_one

from raclab.database.constraints import (
    CHECK,
    NOT_NULL,
    PRIMARY,
    REFERENCE,
    UNIQUE,
    Constraint,
    Notes,
    all_notes,
    literal,
    named,
    no_table,
    notes_of,
    quote,
    released,
    write,
    write_changed,
)
from raclab.database.foreign_keys import ForeignKey, check_rows, joined
from raclab.database.oracle_error import OracleError


@dataclass(frozen=True)
class Add:
    """ADD: columns and constraints, ``definitions`` as DuckDB's SQL (foreign keys have none), ``constraints`` what they are."""

    table: str
    definitions: tuple[str, ...]
    constraints: tuple[Constraint, ...]

    def make(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Add them. Raises ORA-00942, what ``named`` and ``joined`` raise, and Oracle's codes for rows that stand against it."""
        parts = parts_of(cursor, self.table)
        notes = all_notes(cursor)
        new = named(cursor, self.constraints, notes)
        known = joined(notes, self.table, new)
        names = {one.name for one in new}
        if self.definitions:
            said = _rebuild(cursor, self.table, parts, [*(_sql(part) for part in parts), *self.definitions])
            if said:
                raise _standing_against(said, new)
        write(cursor, self.table, known)
        for constraint in known.constraints:
            if constraint.kind == REFERENCE and constraint.name in names:
                check_rows(cursor, ForeignKey(self.table, constraint))


@dataclass(frozen=True)
class Modify:
    """MODIFY of one column.

    type, default  its new ones, in DuckDB's SQL; None leaves them
    length      the most characters it takes from now on; None leaves it
    nullable    whether it takes nulls from now on; None leaves it
    named       the name that the statement gives to NOT NULL
    """

    table: str
    column: str
    type: str | None = None
    default: str | None = None
    length: int | None = None
    nullable: bool | None = None
    named: str = ""

    def make(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Make it. Raises ORA-00942, 00904, 01442 or 01451 where it is so already, 01441 and 02296 for rows that stand against it."""
        parts = parts_of(cursor, self.table)
        if not any(isinstance(part, exp.ColumnDef) and part.name == self.column for part in parts):
            raise OracleError(904, f'"{self.column}": invalid identifier')
        known = self._noted(cursor, all_notes(cursor))
        said = _rebuild(cursor, self.table, parts, self._modified(parts))
        if "NOT NULL" in said:
            raise OracleError(2296, f"cannot enable NOT NULL for column {self.column}: null values found")
        if said:
            raise OracleError(1441, "cannot decrease column length because some value is too big")
        write(cursor, self.table, known)

    def _noted(self, cursor: duckdb.DuckDBPyConnection, all_known: dict[str, Notes]) -> Notes:
        notes = notes_of(all_known, self.table)
        required = [one for one in notes.constraints if one.kind == NOT_NULL and one.columns == (self.column,)]
        primary = any(one.kind == PRIMARY and self.column in one.columns for one in notes.constraints)
        if self.nullable is None:
            return notes
        if self.nullable:
            if primary or not required:
                raise OracleError(1451, f"column to be modified to NULL cannot be modified to NULL: {self.column}")
            return notes.without(required)
        if primary or required:
            raise OracleError(1442, f"column to be modified to NOT NULL is already NOT NULL: {self.column}")
        new = named(cursor, [Constraint(NOT_NULL, (self.column,), self.named)], all_known)
        return replace(notes, constraints=(*notes.constraints, *new))

    def _modified(self, parts: list[exp.Expr]) -> list[str]:
        out = []
        for part in parts:
            if isinstance(part, exp.ColumnDef) and part.name == self.column:
                out.append(self._column(part))
            elif self.length is None or _limited(part) != self.column:
                out.append(_sql(part))
        if self.length is not None:
            out.append(f'CHECK (length("{self.column}") <= {self.length})')
        return out

    def _column(self, part: exp.ColumnDef) -> str:
        kept = []
        for constraint in part.args.get("constraints") or []:
            kind = constraint.args["kind"]
            if isinstance(kind, exp.NotNullColumnConstraint) and self.nullable is not None:
                continue
            if isinstance(kind, exp.DefaultColumnConstraint) and self.default is not None:
                continue
            kept.append(_sql(constraint))
        stored = self.type or part.args["kind"].sql("duckdb")
        default = [f"DEFAULT {self.default}"] if self.default is not None else []
        return " ".join([f'"{self.column}"', stored, *default, *kept, *(["NOT NULL"] if self.nullable is False else [])])


@dataclass(frozen=True)
class DropColumns:
    """DROP COLUMN, with the constraints and indexes that rest on these columns alone; ``cascade`` with all that name them."""

    table: str
    columns: tuple[str, ...]
    cascade: bool

    def make(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Drop them. Raises ORA-00942, 00904, 12983 for a table's last column, 12991 and 12992 where other constraints name them."""
        parts = parts_of(cursor, self.table)
        columns = {part.name for part in parts if isinstance(part, exp.ColumnDef)}
        gone = set(self.columns)
        for column in self.columns:
            if column not in columns:
                raise OracleError(904, f'"{column}": invalid identifier')
        if gone == columns:
            raise OracleError(12983, "cannot drop all columns in a table")
        notes = all_notes(cursor)
        known = notes[self.table]
        dropped = [one for one in known.constraints if gone & set(one.columns)]
        several = next((one for one in dropped if not set(one.columns) <= gone), None)
        if several and not self.cascade:
            raise OracleError(12991, f"column is referenced in a multi-column constraint: {several.name}; write CASCADE CONSTRAINTS")
        freed = released(notes, self.table, dropped, self.cascade, OracleError(12992, "cannot drop parent key column"))
        _rebuild(cursor, self.table, [part for part in parts if part.name not in gone], _without(parts, known, dropped, gone))
        write_changed(cursor, notes, freed)
        write(cursor, self.table, freed[self.table].without(dropped))


@dataclass(frozen=True)
class DropConstraint:
    """DROP CONSTRAINT, by name, or by its kind and columns where it has none (DROP PRIMARY KEY, DROP UNIQUE)."""

    table: str
    cascade: bool
    name: str = ""
    kind: str = ""
    columns: tuple[str, ...] = ()

    def make(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Drop it. Raises ORA-00942, 02441, 02442 and 02443 where there is none, and 02273 for a key that foreign keys lead to."""
        parts = parts_of(cursor, self.table)
        notes = all_notes(cursor)
        known = notes[self.table]
        gone = self._meant(known)
        referenced = OracleError(2273, "this unique/primary key is referenced by some foreign keys")
        freed = released(notes, self.table, [gone], self.cascade, referenced)
        if gone.kind != REFERENCE:
            _rebuild(cursor, self.table, parts, _without(parts, known, [gone]))
        write_changed(cursor, notes, freed)
        write(cursor, self.table, freed[self.table].without([gone]))

    def _meant(self, known: Notes) -> Constraint:
        if self.name:
            return known.constraint(self.name)
        columns = set(self.columns)
        found = next((one for one in known.constraints if one.kind == self.kind and (not columns or set(one.columns) == columns)), None)
        if found is None:
            raise OracleError(2441 if self.kind == PRIMARY else 2442, f"cannot drop nonexistent {_SAID[self.kind]} key")
        return found


_SAID = {PRIMARY: "primary", UNIQUE: "unique"}


def parts_of(cursor: duckdb.DuckDBPyConnection, table: str) -> list[exp.Expr]:
    """The columns and constraints of a table's definition. Raises ORA-00942."""
    found = cursor.execute("SELECT sql FROM duckdb_tables() WHERE schema_name = 'LAB' AND table_name = $1", [table]).fetchone()
    if found is None:
        raise no_table(table)
    parts: list[exp.Expr] = parse_one(str(found[0]).rstrip(";"), dialect="duckdb").this.expressions
    return parts


def _rebuild(cursor: duckdb.DuckDBPyConnection, table: str, kept: list[exp.Expr], definitions: list[str]) -> str:
    """Make a table anew by these definitions, with the rows of the columns that are ``kept``.

    Returns what DuckDB says of rows that stand against it, "" where none do.
    """
    asked = "SELECT {} FROM {}() WHERE schema_name = 'LAB' AND table_name = $1"
    indexes = cursor.execute(asked.format("sql", "duckdb_indexes"), [table]).fetchall()
    remarks = cursor.execute(asked.format("column_name, comment", "duckdb_columns") + " AND comment IS NOT NULL", [table]).fetchall()
    names = [part.name for part in kept if isinstance(part, exp.ColumnDef)]
    columns = ", ".join(quote(one) for one in names)
    target, rows = quote("LAB", table), quote("temp", f"{table}$ROWS")
    cursor.execute(f"CREATE TEMP TABLE {rows} AS SELECT {columns} FROM {target}")
    cursor.execute(f"DROP TABLE {target}")
    cursor.execute(f"CREATE TABLE {target} ({', '.join(definitions)})")
    try:
        cursor.execute(f"INSERT INTO {target} ({columns}) SELECT {columns} FROM {rows}")
    except duckdb.ConstraintException as error:
        return str(error)
    cursor.execute(f"DROP TABLE {rows}")
    for (sql,) in indexes:
        if {column.name for column in parse_one(str(sql), dialect="duckdb").find_all(exp.Column)} <= set(names):
            cursor.execute(str(sql))
    for column, remark in remarks:
        if column in names:
            cursor.execute(f"COMMENT ON COLUMN {quote('LAB', table, column)} IS {literal(remark)}")
    return ""


def _sql(part: exp.Expr) -> str:
    return part.sql("duckdb", identify=True)


def _without(parts: list[exp.Expr], known: Notes, dropped: list[Constraint], gone: Collection[str] = ()) -> list[str]:
    """The definitions of a table without some of its constraints, and without the columns that are ``gone``."""
    checks = iter([one for one in known.constraints if one.kind == CHECK])  # in DuckDB's order
    keys = [set(one.columns) for one in dropped if one.key]
    nullable = {one.columns[0] for one in dropped if one.kind == NOT_NULL}
    out = []
    for part in parts:
        if isinstance(part, exp.ColumnDef):
            if part.name in nullable:
                kept = [one for one in part.args.get("constraints") or [] if not isinstance(one.args["kind"], exp.NotNullColumnConstraint)]
                part.set("constraints", kept)
            falls = part.name in gone
        elif isinstance(part, exp.CheckColumnConstraint):
            limited = _limited(part)
            falls = limited in gone if limited else next(checks) in dropped
        else:
            falls = {one.name for one in part.find_all(exp.Identifier)} in keys
        if not falls:
            out.append(_sql(part))
    return out


def _limited(part: exp.Expr) -> str | None:
    """The column whose length a part of a definition limits, where it is such a check of the lab's own."""
    if not isinstance(part, exp.CheckColumnConstraint):
        return None
    limit = part.this.unnest()
    return str(limit.this.this.name) if isinstance(limit, exp.LTE) and isinstance(limit.this, exp.Length) else None


def _standing_against(said: str, new: list[Constraint]) -> OracleError:
    """The error for rows that a new constraint does not let in, from what DuckDB says."""
    for kind, words, code, why in _AGAINST:
        if words.search(said) and (found := [one for one in new if one.kind == kind]):
            return OracleError(code, why.format(found[0].name if len(found) == 1 else " or ".join(one.name for one in found)))
    return OracleError(1449, "column contains NULL values; cannot alter to NOT NULL")


_DUPLICATE = re.compile("[Dd]uplicate key")
_AGAINST = [
    (PRIMARY, _DUPLICATE, 2437, "cannot validate (LAB.{}) - primary key violated"),
    (UNIQUE, _DUPLICATE, 2299, "cannot validate (LAB.{}) - duplicate keys found"),
    (CHECK, re.compile("CHECK constraint"), 2293, "cannot validate (LAB.{}) - check constraint violated"),
    (NOT_NULL, re.compile("NOT NULL constraint"), 1758, "table must be empty to add mandatory (NOT NULL) column"),
]
"""Kind, DuckDB's words, Oracle's code and words; a primary key's null has none of these, and is ORA-01449."""
