"""CREATE, ALTER, DROP and TRUNCATE in the schema LAB."""

from collections.abc import Callable

from sqlglot import exp

from raclab.database.dialect import types
from raclab.database.dialect.names import OWN, Names
from raclab.database.oracle_error import OracleError, unsupported

Render = Callable[[exp.Expr], str]
"""Prints an expression or a query of the statement as DuckDB's SQL."""

_IGNORED = (exp.TableSpaceProperty, exp.PhysicalProperty, exp.StorageProperty, exp.ForceProperty)


def statements(tree: exp.Expr, names: Names, render: Render) -> list[str]:
    """DuckDB's statements for one of Oracle's. ``render`` prints expressions, already rewritten."""
    if isinstance(tree, exp.Create):
        return _create(tree, names, render)
    if isinstance(tree, exp.Drop):
        return [f"DROP {_kind(tree)} {_target(table, names)}" for table in tree.args["tables"]]
    if isinstance(tree, exp.TruncateTable):
        return [f"TRUNCATE {_target(table, names)}" for table in tree.expressions]
    if isinstance(tree, exp.Alter):
        return _alter(tree, names, render)
    if isinstance(tree, exp.Comment):
        names.writable(tree.this)
        return []
    raise unsupported("this DDL")


def _kind(tree: exp.Create | exp.Drop) -> str:
    kind = str(tree.args.get("kind") or "").upper()
    if kind not in ("TABLE", "VIEW", "INDEX", "SEQUENCE"):
        raise unsupported(f"{tree.key.upper()} {kind}")
    return kind


def _target(table: exp.Expr, names: Names) -> str:
    owner, name = names.writable(table)
    return f"{_quote(owner)}.{_quote(name)}"


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _name(identifier: exp.Expr) -> str:
    found = identifier.this if isinstance(identifier, exp.Column) else identifier
    return _quote(found.name if found.args.get("quoted") else found.name.upper())


def _create(tree: exp.Create, names: Names, render: Render) -> list[str]:
    kind = _kind(tree)
    sequence = None
    for given in tree.args["properties"].expressions if tree.args.get("properties") else []:
        if isinstance(given, exp.SequenceProperties):
            sequence = given
        elif not isinstance(given, _IGNORED):
            raise unsupported(f"CREATE {kind} with {type(given).__name__.removesuffix('Property').upper()}")
    replace = " OR REPLACE" if tree.args.get("replace") else ""
    if kind == "INDEX":
        return [_index(tree, names)]
    schema = tree.this if isinstance(tree.this, exp.Schema) else None
    target = _target(schema.this if schema else tree.this, names)
    if kind == "SEQUENCE":
        return [f"CREATE SEQUENCE {target}{_sequence(sequence)}"]
    query = tree.args.get("expression")
    if query is not None:
        columns = f"({', '.join(_name(column) for column in schema.expressions)})" if schema else ""
        query.set("options", None)
        return [f"CREATE{replace} {kind} {target} {columns} AS {render(query)}"]
    if schema is None or kind != "TABLE":
        raise OracleError(922, "missing or invalid option")
    parts = [_column(part, render) if isinstance(part, exp.ColumnDef) else _constraint(part, names, render) for part in schema.expressions]
    return [f"CREATE TABLE {target} ({', '.join(part for part in parts if part)})"]


def _sequence(options: exp.Expr | None) -> str:
    """Start, step, bounds and cycle; CACHE and ORDER are taken and mean nothing to a single process."""
    if options is None:
        return ""
    words = {str(option.name).upper() for option in options.args.get("options") or []}
    given = {"increment": "INCREMENT BY", "minvalue": "MINVALUE", "maxvalue": "MAXVALUE", "start": "START WITH"}
    text = "".join(f" {said} {options.args[key].sql('duckdb')}" for key, said in given.items() if options.args.get(key))
    return text + (" CYCLE" if "CYCLE" in words else "")


def _index(tree: exp.Create, names: Names) -> str:
    index = tree.this
    columns = index.args["params"].args.get("columns") or []
    if not all(isinstance(column.this, exp.Column) for column in columns):
        raise unsupported("function-based indexes")
    unique = "UNIQUE " if tree.args.get("unique") else ""
    listed = ", ".join(_name(column.this) for column in columns)
    return f"CREATE {unique}INDEX {_name(index.this)} ON {_target(index.args['table'], names)} ({listed})"


def _column(part: exp.ColumnDef, render: Render) -> str:
    if part.args.get("kind") is None:
        raise OracleError(902, f"invalid datatype: column {part.name.upper()} has none")
    name, kind = _name(part.this), part.args["kind"]
    words = [name, types.stored(kind)]
    for constraint in part.args.get("constraints") or []:
        words.append(_of_column(constraint.args["kind"], render))
    size = types.length(kind)
    if size is not None:
        words.append(f"CHECK (length({name}) <= {size})")
    return " ".join(words)


def _of_column(kind: exp.Expr, render: Render) -> str:
    if isinstance(kind, exp.NotNullColumnConstraint):
        return "" if kind.args.get("allow_null") else "NOT NULL"
    if isinstance(kind, exp.PrimaryKeyColumnConstraint):
        return "PRIMARY KEY"
    if isinstance(kind, exp.UniqueColumnConstraint):
        return "UNIQUE"
    if isinstance(kind, exp.DefaultColumnConstraint):
        return f"DEFAULT {render(kind.this)}"
    if isinstance(kind, exp.CheckColumnConstraint):
        return f"CHECK ({render(kind.this)})"
    raise unsupported(f"{type(kind).__name__.removesuffix('ColumnConstraint')} in a column's definition")


def _constraint(part: exp.Expr, names: Names, render: Render) -> str:
    if isinstance(part, exp.Constraint):
        return " ".join(_constraint(inner, names, render) for inner in part.expressions)
    if isinstance(part, exp.PrimaryKey):
        return f"PRIMARY KEY ({', '.join(_name(column) for column in part.expressions)})"
    if isinstance(part, exp.UniqueColumnConstraint) and isinstance(part.this, exp.Schema):
        return f"UNIQUE ({', '.join(_name(column) for column in part.this.expressions)})"
    if isinstance(part, exp.CheckColumnConstraint):
        return f"CHECK ({render(part.this)})"
    if isinstance(part, exp.ForeignKey):
        to = part.args["reference"].this
        columns = f" ({', '.join(_name(column) for column in to.expressions)})" if isinstance(to, exp.Schema) else ""
        table = _target(to.this if isinstance(to, exp.Schema) else to, names)
        return f"FOREIGN KEY ({', '.join(_name(column) for column in part.expressions)}) REFERENCES {table}{columns}"
    raise unsupported(f"{type(part).__name__} in CREATE TABLE")


def _alter(tree: exp.Alter, names: Names, render: Render) -> list[str]:
    target = _target(tree.this, names)
    out: list[str] = []
    for action in tree.args.get("actions") or []:
        if isinstance(action, exp.Schema):
            out += [f"ALTER TABLE {target} ADD COLUMN {_column(column, render)}" for column in action.expressions]
        elif isinstance(action, exp.ColumnDef):
            out.append(f"ALTER TABLE {target} ADD COLUMN {_column(action, render)}")
        elif isinstance(action, exp.Drop) and str(action.args.get("kind")).upper() == "COLUMN":
            out += [f"ALTER TABLE {target} DROP COLUMN {_name(column)}" for column in action.args["tables"]]
        elif isinstance(action, exp.RenameColumn):
            out.append(f"ALTER TABLE {target} RENAME COLUMN {_name(action.this)} TO {_name(action.args['to'])}")
        elif isinstance(action, exp.AlterRename):
            out.append(f"ALTER TABLE {target} RENAME TO {_name(action.this.this)}")
        else:
            raise unsupported("this change of a table; it takes ADD, DROP COLUMN, RENAME COLUMN and RENAME TO")
    return out


__all__ = ["OWN", "statements"]
