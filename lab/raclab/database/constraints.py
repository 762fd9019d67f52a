"""The constraints of learners' tables by name.

DuckDB forgets the names that it is given, and looks after foreign keys in another way than Oracle (foreign_keys.py). What is known of a
table's constraints stands with its own comment in DuckDB's comment of the table, as JSON: it goes with the table when that is renamed,
dropped or rolled back.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import duckdb
from sqlglot import exp, parse_one

from raclab.database.dialect.nodes import folded
from raclab.database.oracle_error import OracleError

PRIMARY, UNIQUE, CHECK, NOT_NULL, REFERENCE = "P", "U", "C", "N", "R"
NO_ACTION, CASCADE, SET_NULL = "NO ACTION", "CASCADE", "SET NULL"


@dataclass(frozen=True)
class Constraint:
    """One constraint of a table.

    kind        one of the letters above; ALL_CONSTRAINTS shows N as C
    name        "" until ``named`` has given it one
    condition   a check's, in Oracle's SQL
    to, to_columns, rule  where a foreign key leads, and what becomes of its rows when those there go; no columns: the primary key's
    generated   whether the name is the system's
    """

    kind: str
    columns: tuple[str, ...]
    name: str = ""
    condition: str = ""
    to: str = ""
    to_columns: tuple[str, ...] = ()
    rule: str = NO_ACTION
    generated: bool = False

    @property
    def key(self) -> bool:
        """Whether it makes its columns unique."""
        return self.kind in (PRIMARY, UNIQUE)


@dataclass(frozen=True)
class Notes:
    """What is known of a table: its constraints, the checks among them in DuckDB's order, and what COMMENT ON TABLE said."""

    constraints: tuple[Constraint, ...] = ()
    comment: str | None = None

    def without(self, gone: Iterable[Constraint]) -> "Notes":
        """These without some of the constraints."""
        return replace(self, constraints=tuple(one for one in self.constraints if one not in set(gone)))

    def constraint(self, name: str) -> Constraint:
        """The constraint of that name. Raises ORA-02443."""
        found = next((one for one in self.constraints if one.name == name), None)
        if found is None:
            raise OracleError(2443, f"cannot drop constraint - nonexistent constraint {name}")
        return found


def literal(value: str) -> str:
    """A string as DuckDB's literal."""
    return "'" + value.replace("'", "''") + "'"


def quote(*parts: str) -> str:
    """A name as DuckDB takes it, quoted."""
    return ".".join('"' + part.replace('"', '""') + '"' for part in parts)


def of_comment(comment: str | None) -> Notes:
    """The notes that a table's comment holds."""
    said: dict[str, Any] = json.loads(comment) if comment else {}
    found = (Constraint(**one) for one in said.get("constraints", ()))
    listed = (replace(one, columns=tuple(one.columns), to_columns=tuple(one.to_columns)) for one in found)
    return Notes(tuple(listed), said.get("comment"))


def all_notes(cursor: duckdb.DuckDBPyConnection) -> dict[str, Notes]:
    """The notes of every table of LAB."""
    rows = cursor.execute("SELECT table_name, comment FROM duckdb_tables() WHERE schema_name = 'LAB'").fetchall()
    return {table: of_comment(comment) for table, comment in rows}


def notes_of(notes: Mapping[str, Notes], table: str) -> Notes:
    """A table's. Raises ORA-00942 where there is no such table."""
    if table not in notes:
        raise no_table(table)
    return notes[table]


def no_table(table: str) -> OracleError:
    """ORA-00942 for a table of LAB."""
    return OracleError(942, f"table or view {table} does not exist")


def write(cursor: duckdb.DuckDBPyConnection, table: str, notes: Notes) -> None:
    """Put a table's notes into its comment."""
    said = json.dumps(asdict(notes))
    cursor.execute(f"COMMENT ON TABLE {quote('LAB', table)} IS {literal(said)}")


def write_changed(cursor: duckdb.DuckDBPyConnection, before: Mapping[str, Notes], after: Mapping[str, Notes]) -> None:
    """Put the notes that differ into the tables' comments."""
    for table, notes in after.items():
        if notes != before.get(table):
            write(cursor, table, notes)


def named(cursor: duckdb.DuckDBPyConnection, new: Iterable[Constraint], notes: Mapping[str, Notes]) -> list[Constraint]:
    """New constraints, each with a name: its own, or the next SYS_Cn. Raises ORA-02264 for one that is in the ``notes`` already."""
    used = {constraint.name for one in notes.values() for constraint in one.constraints}
    found = []
    for one in new:
        if one.name in used:
            raise OracleError(2264, f"name already used by an existing constraint: {one.name}")
        if not one.name:
            [number] = cursor.execute("SELECT nextval('cluster.constraint_number')").fetchone() or (0,)
            one = replace(one, name=f"SYS_C{number:06d}", generated=True)
        used.add(one.name)
        found.append(one)
    return found


def referring(notes: Mapping[str, Notes], table: str, key: Collection[str] | None = None) -> list[tuple[str, Constraint]]:
    """The foreign keys that lead to a table, or to one of its keys, with their own tables."""
    return [
        (other, constraint)
        for other, known in notes.items()
        for constraint in known.constraints
        if constraint.kind == REFERENCE and constraint.to == table and (key is None or set(constraint.to_columns) == set(key))
    ]


def released(
    notes: Mapping[str, Notes], table: str, dropped: Collection[Constraint], cascade: bool, refusal: OracleError
) -> dict[str, Notes]:
    """The notes of all tables, without the foreign keys that lead to keys which are dropped. Raises ``refusal`` unless these may go."""
    out = dict(notes)
    for key in dropped:
        for other, constraint in referring(notes, table, key.columns) if key.key else ():
            if not cascade and constraint not in dropped:
                raise refusal
            out[other] = out[other].without([constraint])
    return out


def column_renamed(constraint: Constraint, old: str, new: str) -> Constraint:
    """A constraint of a table after one of its columns was renamed."""
    condition = constraint.condition
    if condition and old in constraint.columns:
        tree = parse_one(condition, dialect="oracle")
        for column in tree.find_all(exp.Column):
            if folded(column.this) == old:
                column.set("this", exp.to_identifier(new, quoted=not new.isidentifier() or new != new.upper()))
        condition = tree.sql("oracle")
    return replace(constraint, columns=_renamed(constraint.columns, old, new), condition=condition)


def parent_column_renamed(constraint: Constraint, old: str, new: str) -> Constraint:
    """A foreign key after a column to which it leads was renamed."""
    return replace(constraint, to_columns=_renamed(constraint.to_columns, old, new))


def _renamed(columns: tuple[str, ...], old: str, new: str) -> tuple[str, ...]:
    return tuple(new if one == old else one for one in columns)
