"""Constraints as a statement declares them, with a column or with a table: DuckDB's SQL for each, and what is kept of it."""

import re
from collections.abc import Callable, Iterator

from sqlglot import exp

from raclab.database.constraints import CASCADE, CHECK, NOT_NULL, PRIMARY, REFERENCE, SET_NULL, UNIQUE, Constraint, quote
from raclab.database.dialect.names import Names
from raclab.database.dialect.nodes import folded
from raclab.database.oracle_error import OracleError, unsupported

Render = Callable[[exp.Expr], str]
"""Prints an expression or a query of the statement as DuckDB's SQL."""

Declared = tuple[str, Constraint]
"""DuckDB's SQL, as it stands after the columns of a table, and the constraint; no SQL for NOT NULL and foreign keys."""

_LENGTH = re.compile(r"\(*length\([^()]*\) <= \d+\)*", re.IGNORECASE)
_RULES = {"ON DELETE CASCADE": CASCADE, "ON DELETE SET NULL": SET_NULL}


def plain_name(named: exp.Expr) -> str:
    """A column's or constraint's name as the database has it, where it may stand in a list that can be ordered."""
    while isinstance(named, exp.Column | exp.Ordered):
        named = named.this
    return folded(named)


def of_column(part: exp.ColumnDef, names: Names, render: Render) -> Iterator[Declared]:
    """The constraints in a column's definition. Raises ORA-03001 for what is neither one nor a default."""
    columns = (plain_name(part.this),)
    for one in part.args.get("constraints") or []:
        kind, name = one.args["kind"], plain_name(one.this) if one.this else ""
        if isinstance(kind, exp.NotNullColumnConstraint):
            if not kind.args.get("allow_null"):
                yield "", Constraint(NOT_NULL, columns, name)
        elif isinstance(kind, exp.PrimaryKeyColumnConstraint):
            yield _key(PRIMARY, columns, name)
        elif isinstance(kind, exp.UniqueColumnConstraint):
            yield _key(UNIQUE, columns, name)
        elif isinstance(kind, exp.CheckColumnConstraint):
            yield _check(kind, name, names, render)
        elif isinstance(kind, exp.Reference):
            yield "", _reference(kind, columns, name, names)
        elif not isinstance(kind, exp.DefaultColumnConstraint):
            raise unsupported(f"{type(kind).__name__.removesuffix('ColumnConstraint')} in a column's definition")


def of_table(part: exp.Expr, names: Names, render: Render, name: str = "") -> Declared:
    """A constraint that stands beside the columns. Raises ORA-03001 for anything else."""
    if isinstance(part, exp.Constraint):
        if len(part.expressions) != 1:
            raise OracleError(904, "invalid identifier: CONSTRAINT takes a name and one constraint")
        return of_table(part.expressions[0], names, render, plain_name(part.this))
    if isinstance(part, exp.PrimaryKey):
        return _key(PRIMARY, _columns(part), name)
    if isinstance(part, exp.UniqueColumnConstraint) and isinstance(part.this, exp.Schema):
        return _key(UNIQUE, _columns(part.this), name)
    if isinstance(part, exp.CheckColumnConstraint):
        return _check(part, name, names, render)
    if isinstance(part, exp.ForeignKey):
        return "", _reference(part.args["reference"], _columns(part), name, names)
    raise unsupported(f"{type(part).__name__} in a table's definition")


def _columns(part: exp.Expr) -> tuple[str, ...]:
    return tuple(plain_name(column) for column in part.expressions)


def _key(kind: str, columns: tuple[str, ...], name: str) -> Declared:
    words = "PRIMARY KEY" if kind == PRIMARY else "UNIQUE"
    return f"{words} ({', '.join(quote(one) for one in columns)})", Constraint(kind, columns, name)


def _check(part: exp.CheckColumnConstraint, name: str, names: Names, render: Render) -> Declared:
    condition = names.next_check()
    columns = dict.fromkeys(plain_name(column) for column in part.this.find_all(exp.Column))
    if part.this.find(exp.Query):
        raise OracleError(2251, "subquery not allowed here")
    sql = render(part.this)
    told_apart = f"({sql}) AND true" if _LENGTH.fullmatch(sql) else sql  # from the lab's own, which limits a text column
    return f"CHECK ({told_apart})", Constraint(CHECK, tuple(columns), name, condition=condition)


def _reference(reference: exp.Expr, columns: tuple[str, ...], name: str, names: Names) -> Constraint:
    options = [" ".join(str(option).upper().split()) for option in reference.args.get("options") or []]
    unknown = [option for option in options if option not in _RULES]
    if any("DEFERR" in option for option in unknown):
        raise unsupported("deferrable constraints")
    if unknown:
        raise OracleError(905, f"missing keyword: a foreign key has no {unknown[0]}; ON DELETE takes CASCADE and SET NULL")
    to = reference.this
    _, table = names.writable(to.this if isinstance(to, exp.Schema) else to)
    return Constraint(
        REFERENCE,
        columns,
        name,
        to=table,
        to_columns=_columns(to) if isinstance(to, exp.Schema) else (),
        rule=_RULES[options[0]] if options else "NO ACTION",
    )
