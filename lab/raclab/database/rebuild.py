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

    action      "add" a column or a constraint, or "modify" a column
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


def rebuild(cursor: duckdb.DuckDBPyConnection, edit: Edit) -> None:
    """Make the change. Raises ORA-00942 for a table and ORA-00904 for a column that there is not, and DuckDB's errors."""
    found = cursor.execute("SELECT sql FROM duckdb_tables() WHERE schema_name = 'LAB' AND table_name = $1", [edit.table]).fetchone()
    if found is None:
        raise OracleError(942, f"table or view {edit.table} does not exist")
    indexes = cursor.execute("SELECT sql FROM duckdb_indexes() WHERE schema_name = 'LAB' AND table_name = $1", [edit.table]).fetchall()
    parts = parse_one(str(found[0]).rstrip(";"), dialect="duckdb").this.expressions
    columns = ", ".join(part.this.sql("duckdb", identify=True) for part in parts if isinstance(part, exp.ColumnDef))
    definitions = _added(parts, edit) if edit.action == "add" else _modified(parts, edit)
    made, old = f'LAB."{edit.table}$NEW"', f'LAB."{edit.table}"'
    cursor.execute("BEGIN")
    try:
        cursor.execute(f"CREATE TABLE {made} ({', '.join(definitions)})")
        cursor.execute(f"INSERT INTO {made} ({columns}) SELECT {columns} FROM {old}")
        cursor.execute(f"DROP TABLE {old}")
        cursor.execute(f'ALTER TABLE {made} RENAME TO "{edit.table}"')
        cursor.execute("COMMIT")
    except BaseException:
        cursor.execute("ROLLBACK")
        raise
    for (sql,) in indexes:
        cursor.execute(str(sql))


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
            columns = str(made).rpartition("(")[2].rstrip(";) ")
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
