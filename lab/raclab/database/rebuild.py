"""ALTER TABLE where DuckDB can't: the table is made anew with the change in it, its rows and indexes brought over.

DuckDB adds no column with a constraint, adds no constraint, and changes no type of a column that one rests on; a text column's length
is such a constraint here.
"""

import re
from dataclasses import dataclass

import duckdb
from sqlglot import exp, parse_one

from raclab.database.oracle_error import OracleError


@dataclass(frozen=True)
class Edit:
    """A change of a table of LAB.

    action      "add" a column or a constraint, "modify" a column, "drop" the table with the foreign keys that lead to it, or "keep" it:
                what changes here is nothing but how Oracle would store it
    definition  DuckDB's SQL of the column or constraint that is added
    column      the column that is modified
    type, default  its new ones, in DuckDB's SQL; None leaves them
    length      the most characters it takes from now on; None leaves it
    nullable    whether it takes nulls from now on; None leaves it
    """

    table: str
    action: str
    definition: str = ""
    column: str = ""
    type: str | None = None
    default: str | None = None
    length: int | None = None
    nullable: bool | None = None

    def make(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Make the change. Raises ORA-00942 for a table and ORA-00904 for a column that there is not, and DuckDB's errors."""
        parts = _parts(cursor, self.table)
        if self.action == "keep":
            return
        cursor.execute("BEGIN")
        try:
            if self.action == "drop":
                _released(cursor, self.table)
                cursor.execute(f'DROP TABLE LAB."{self.table}"')
            else:
                _rebuild(cursor, self.table, parts, _added(parts, self) if self.action == "add" else _modified(parts, self))
            cursor.execute("COMMIT")
        except BaseException:
            cursor.execute("ROLLBACK")
            raise


def _parts(cursor: duckdb.DuckDBPyConnection, table: str) -> list[exp.Expr]:
    """The columns and constraints of a table's definition."""
    found = cursor.execute("SELECT sql FROM duckdb_tables() WHERE schema_name = 'LAB' AND table_name = $1", [table]).fetchone()
    if found is None:
        raise OracleError(942, f"table or view {table} does not exist")
    parts: list[exp.Expr] = parse_one(str(found[0]).rstrip(";"), dialect="duckdb").this.expressions
    return parts


def _rebuild(cursor: duckdb.DuckDBPyConnection, table: str, parts: list[exp.Expr], definitions: list[str]) -> None:
    released = _released(cursor, table)
    indexes = cursor.execute("SELECT sql FROM duckdb_indexes() WHERE schema_name = 'LAB' AND table_name = $1", [table]).fetchall()
    columns = ", ".join(part.this.sql("duckdb", identify=True) for part in parts if isinstance(part, exp.ColumnDef))
    name, kept = f'LAB."{table}"', f'temp."{table}$ROWS"'  # no new table that gets the old one's name: its foreign keys would keep the new
    cursor.execute(f"CREATE TEMP TABLE {kept} AS SELECT {columns} FROM {name}")
    cursor.execute(f"DROP TABLE {name}")
    cursor.execute(f"CREATE TABLE {name} ({', '.join(definitions)})")
    cursor.execute(f"INSERT INTO {name} ({columns}) SELECT {columns} FROM {kept}")
    cursor.execute(f"DROP TABLE {kept}")
    for (sql,) in indexes:
        cursor.execute(str(sql))
    for other, before in released:
        _rebuild(cursor, other, before, [_sql(part) for part in before])


def _released(cursor: duckdb.DuckDBPyConnection, table: str) -> list[tuple[str, list[exp.Expr]]]:
    """Take the foreign keys that lead to a table from the others, which DuckDB would not let it go for; these, as they were before."""
    tables = cursor.execute("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'LAB' AND table_name <> $1", [table]).fetchall()
    released = []
    for (other,) in tables:
        parts = _parts(cursor, other)
        kept = [part for part in parts if not _leads_to(part, table)]
        if len(kept) < len(parts):
            _rebuild(cursor, other, parts, [_sql(part) for part in kept])
            released.append((other, parts))
    return released


def _leads_to(part: exp.Expr, table: str) -> bool:
    if not isinstance(part, exp.ForeignKey):
        return False
    to = part.args["reference"].this
    return str((to.this if isinstance(to, exp.Schema) else to).name) == table


_ALTERED = re.compile(r'ALTER TABLE "LAB"."(?P<table>[^"]+)" (?:RENAME TO "(?P<new>[^"]+)")?')


def define(cursor: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Run a definition. DuckDB alters no table that has an index: its indexes are dropped before and made again after."""
    match = _ALTERED.match(sql)
    asked = "SELECT index_name, sql FROM duckdb_indexes() WHERE schema_name = 'LAB' AND table_name = $1"
    indexes = cursor.execute(asked, [match["table"]]).fetchall() if match else []
    for name, _ in indexes:
        cursor.execute(f'DROP INDEX LAB."{name}"')
    table = match["table"] if match else ""
    try:
        cursor.execute(sql)
        table = match["new"] or table if match else table
    finally:
        for _, made in indexes:
            columns = str(made).partition(" ON ")[2].partition("(")[2].rstrip("; ").removesuffix(")")
            unique = "UNIQUE " if " UNIQUE " in str(made)[:20] else ""
            name = next(name for name, one in indexes if one == made)
            cursor.execute(f'CREATE {unique}INDEX "{name}" ON LAB."{table}" ({columns})')


def _sql(part: exp.Expr) -> str:
    return part.sql("duckdb", identify=True)


def _added(parts: list[exp.Expr], edit: Edit) -> list[str]:
    return [*(_sql(part) for part in parts), edit.definition]


def _modified(parts: list[exp.Expr], edit: Edit) -> list[str]:
    out, known = [], False
    for part in parts:
        if isinstance(part, exp.ColumnDef) and part.name == edit.column:
            known = True
            out.append(_column(part, edit))
        elif not (edit.length is not None and _is_length_of(part, edit.column)):
            out.append(_sql(part))
    if not known:
        raise OracleError(904, f'"{edit.column}": invalid identifier')
    if edit.length is not None:
        out.append(f'CHECK (length("{edit.column}") <= {edit.length})')
    return out


def _column(part: exp.ColumnDef, edit: Edit) -> str:
    kept = []
    for constraint in part.args.get("constraints") or []:
        kind = constraint.args["kind"]
        if isinstance(kind, exp.NotNullColumnConstraint) and edit.nullable is not None:
            continue
        if isinstance(kind, exp.DefaultColumnConstraint) and edit.default is not None:
            continue
        if edit.length is not None and _is_length_of(kind, edit.column):
            continue
        kept.append(_sql(constraint))
    stored = edit.type or part.args["kind"].sql("duckdb")
    default = [f"DEFAULT {edit.default}"] if edit.default is not None else []
    return " ".join([f'"{edit.column}"', stored, *default, *kept, *(["NOT NULL"] if edit.nullable is False else [])])


def _is_length_of(part: exp.Expr, column: str) -> bool:
    """Whether a constraint is the lab's own for a text column's length."""
    if not isinstance(part, exp.CheckColumnConstraint):
        return False
    limit = part.this.unnest()
    return isinstance(limit, exp.LTE) and isinstance(limit.this, exp.Length) and limit.this.this.name == column
