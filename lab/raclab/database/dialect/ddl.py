"""CREATE, ALTER, DROP and TRUNCATE in the schema LAB."""

import re
from collections.abc import Callable

from sqlglot import exp

from raclab.database.dialect import sequences, types
from raclab.database.dialect.names import OWN, Names
from raclab.database.dialect.nodes import MADE
from raclab.database.oracle_error import OracleError, unsupported
from raclab.database.rebuild import Edit
from raclab.database.sequence_change import SequenceChange

Render = Callable[[exp.Expr], str]
"""Prints an expression or a query of the statement as DuckDB's SQL."""

Change = Edit | SequenceChange
"""What DuckDB has no statement for."""

_IGNORED = (exp.TableSpaceProperty, exp.PhysicalProperty, exp.StorageProperty, exp.ForceProperty)


def statements(tree: exp.Expr, names: Names, render: Render) -> list[str | Change]:
    """DuckDB's statements for one of Oracle's, or what it can't do. ``render`` prints expressions, already rewritten."""
    if isinstance(tree, exp.Create):
        return [*_create(tree, names, render)]
    if isinstance(tree, exp.Drop):
        known = " IF EXISTS" if tree.args.get("exists") else ""
        if tree.args.get("cascade") and _kind(tree) == "TABLE":
            return [Edit(names.writable(table)[1], "drop") for table in tree.args["tables"]]
        return [f"DROP {_kind(tree)}{known} {_target(table, names)}" for table in tree.args["tables"]]
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
    for given in _properties(tree):
        if not isinstance(given, (*_IGNORED, exp.SequenceProperties)):
            raise unsupported(f"CREATE {kind} with {type(given).__name__.removesuffix('Property').upper()}")
    replace = " OR REPLACE" if tree.args.get("replace") else ""
    if kind == "INDEX":
        return [_index(tree, names, render)]
    schema = tree.this if isinstance(tree.this, exp.Schema) else None
    target = _target(schema.this if schema else tree.this, names)
    if kind == "SEQUENCE":
        options = sequences.options(_of_sequence(tree))
        return [f"CREATE SEQUENCE {target}{options.sql}", f"COMMENT ON SEQUENCE {target} IS '{options.remark}'"]
    query = tree.args.get("expression")
    if query is not None:
        columns = f"({', '.join(_name(column) for column in schema.expressions)})" if schema else ""
        query.set("options", None)
        return [f"CREATE{replace} {kind} {target} {columns} AS {render(query)}"]
    if schema is None or kind != "TABLE":
        raise OracleError(922, "missing or invalid option")
    before = [_identity(part, names.writable(schema.this)[1]) for part in schema.expressions if isinstance(part, exp.ColumnDef)]
    parts = [
        _column(part, names, render) if isinstance(part, exp.ColumnDef) else _constraint(part, names, render) for part in schema.expressions
    ]
    known = " IF NOT EXISTS" if tree.args.get("exists") else ""
    return [*filter(None, before), f"CREATE TABLE{known} {target} ({', '.join(part for part in parts if part)})"]


def _properties(tree: exp.Create) -> list[exp.Expr]:
    return tree.args["properties"].expressions if tree.args.get("properties") else []


def _of_sequence(tree: exp.Create) -> list[exp.SequenceProperties]:
    return [given for given in _properties(tree) if isinstance(given, exp.SequenceProperties)]


def _identity(part: exp.ColumnDef, table: str) -> str | None:
    """GENERATED ... AS IDENTITY: a sequence of the table's own, which gives the column its default."""
    for constraint in part.args.get("constraints") or []:
        kind = constraint.args["kind"]
        if isinstance(kind, exp.GeneratedAsIdentityColumnConstraint):
            sequence = f'"{OWN}".{_quote(f"ISEQ$$_{table}")}'
            nextval = exp.Anonymous(this="nextval", expressions=[exp.Literal.string(sequence)])
            nextval.meta[MADE] = True
            constraint.set("kind", exp.DefaultColumnConstraint(this=nextval))
            return f"CREATE SEQUENCE {sequence} START WITH {kind.args['start'].sql() if kind.args.get('start') else 1}"
    return None


def _index(tree: exp.Create, names: Names, render: Render) -> str:
    index = tree.this
    columns = index.args["params"].args.get("columns") or []
    unique = "UNIQUE " if tree.args.get("unique") else ""
    listed = ", ".join(_name(column.this) if isinstance(column.this, exp.Column) else f"({render(column.this)})" for column in columns)
    return f"CREATE {unique}INDEX {_name(index.this)} ON {_target(index.args['table'], names)} ({listed})"


def _column(part: exp.ColumnDef, names: Names, render: Render) -> str:
    if part.args.get("kind") is None:
        raise OracleError(902, f"invalid datatype: column {part.name.upper()} has none")
    name, kind = _name(part.this), part.args["kind"]
    words = [name, types.stored(kind)]
    for constraint in part.args.get("constraints") or []:
        words.append(_of_column(constraint.args["kind"], names, render))
    size = types.length(kind)
    if size is not None:
        words.append(f"CHECK (length({name}) <= {size})")
    return " ".join(words)


def _of_column(kind: exp.Expr, names: Names, render: Render) -> str:
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
    if isinstance(kind, exp.Reference):
        return _references(kind, names)
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
        return f"FOREIGN KEY ({', '.join(_name(column) for column in part.expressions)}) {_references(part.args['reference'], names)}"
    raise unsupported(f"{type(part).__name__} in CREATE TABLE")


def _references(reference: exp.Expr, names: Names) -> str:
    if reference.args.get("options"):
        raise unsupported("ON DELETE CASCADE and ON DELETE SET NULL")
    to = reference.this
    columns = f" ({', '.join(_name(column) for column in to.expressions)})" if isinstance(to, exp.Schema) else ""
    return f"REFERENCES {_target(to.this if isinstance(to, exp.Schema) else to, names)}{columns}"


def _alter(tree: exp.Alter, names: Names, render: Render) -> list[str | Change]:
    target = _target(tree.this, names)
    _, table = names.writable(tree.this)
    out: list[str | Change] = []
    for action in tree.args.get("actions") or []:
        if isinstance(action, exp.Schema | exp.ColumnDef):
            for column in action.expressions if isinstance(action, exp.Schema) else [action]:
                limited = types.length(column.args["kind"]) is not None if column.args.get("kind") else False
                plain = not limited and all(_is_default(constraint) for constraint in column.args.get("constraints") or [])
                definition = _column(column, names, render)
                out.append(f"ALTER TABLE {target} ADD COLUMN {definition}" if plain else Edit(table, "add", definition))
        elif isinstance(action, exp.AddConstraint):
            out += [Edit(table, "add", _constraint(constraint, names, render)) for constraint in action.expressions]
        elif isinstance(action, exp.Drop) and str(action.args.get("kind")).upper() == "COLUMN":
            out += [f"ALTER TABLE {target} DROP COLUMN {_name(column)}" for column in action.args["tables"]]
        elif isinstance(action, exp.RenameColumn):
            out.append(f"ALTER TABLE {target} RENAME COLUMN {_name(action.this)} TO {_name(action.args['to'])}")
        elif isinstance(action, exp.AlterRename):
            out.append(f"ALTER TABLE {target} RENAME TO {_name(action.this.this)}")
        elif isinstance(action, exp.AlterSet):  # how it is stored, put so by `simpler`
            out.append(Edit(table, "keep"))
        else:
            raise unsupported("this change of a table; it takes ADD, MODIFY, DROP COLUMN, RENAME COLUMN and RENAME TO")
    return out


def _is_default(constraint: exp.Expr) -> bool:
    return isinstance(constraint.args.get("kind"), exp.DefaultColumnConstraint)


def modified(tree: exp.Create, names: Names, render: Render) -> list[str | Change]:
    """ALTER TABLE ... MODIFY and ALTER SEQUENCE, which have been read as a CREATE."""
    if _kind(tree) == "SEQUENCE":
        return [sequences.change(names.writable(tree.this)[1], _of_sequence(tree), restart=tree.args.get("expression") is not None)]
    _, table = names.writable(tree.this.this)
    out: list[str | Change] = []
    for part in tree.this.expressions:
        if not isinstance(part, exp.ColumnDef | exp.Identifier):
            raise unsupported("this change of a table; MODIFY takes columns")
        constraints = [one.args["kind"] for one in part.args.get("constraints") or []]
        default = next((render(one.this) for one in constraints if isinstance(one, exp.DefaultColumnConstraint)), None)
        null = next((bool(one.args.get("allow_null")) for one in constraints if isinstance(one, exp.NotNullColumnConstraint)), None)
        kind = part.args.get("kind")
        if kind is not None and kind.this is exp.DType.NULL:  # "modify x null"
            kind, null = None, True
        name = part.name if (part.this if isinstance(part.this, exp.Identifier) else part).args.get("quoted") else part.name.upper()
        stored, length = (types.stored(kind), types.length(kind)) if kind is not None else (None, None)
        out.append(Edit(table, "modify", column=name, type=stored, default=default, length=length, nullable=null))
    return out


_MODIFY = re.compile(
    r"\s*ALTER\s+TABLE\s+(?P<table>[\w$#.\"]+)\s+MODIFY\s*(?P<open>\()?(?P<columns>.*?)(?(open)\))\s*", re.IGNORECASE | re.DOTALL
)
_STORED = (
    r"(?:NO)?LOGGING|PARALLEL(?:\s+\d+)?|NOPARALLEL|NOCOMPRESS|(?:ROW\s+STORE\s+)?COMPRESS(?:\s+(?:BASIC|ADVANCED|FOR\s+\w+))?|(?:NO)?CACHE"
    r"|(?:EN|DIS)ABLE\s+ROW\s+MOVEMENT|MOVE(?:\s+(?:ONLINE|TABLESPACE\s+\w+))*|SHRINK\s+SPACE(?:\s+(?:CASCADE|COMPACT))?|(?:PCTFREE|INITRANS)\s+\d+"
)
"""How Oracle would store a table."""

_SIMPLER = [
    (r"RENAME\s+([\w$#\"]+)\s+TO\s+([\w$#\"]+)", r"ALTER TABLE \1 RENAME TO \2"),
    (r"(CREATE\s+)(UNIQUE\s+)?(?:BITMAP\s+)?(INDEX\s+[\w$#.\"]+\s+ON\s+[\w$#.\"]+\s*\((?:[^()]|\([^()]*\))*\)).*", r"\1\2\3"),
    (r"(TRUNCATE\s+TABLE\s+[\w$#.\"]+)(?:\s+(?:DROP|REUSE|PURGE|PRESERVE|CASCADE|STORAGE|ALL|MATERIALIZED|VIEW|LOG))+", r"\1"),
    (r"(ALTER\s+TABLE\s+[\w$#.\"]+\s+DROP)\s*\(([^()]*)\)", None),
    (r"ALTER\s+(SEQUENCE\s.*)", r"CREATE \1"),
    (rf"(CREATE\s+TABLE\s+[\w$#.\"]+)(?:\s+(?:{_STORED}))+\s+(AS\s.*)", r"\1 \2"),
    (rf"(CREATE\s+TABLE\s+[\w$#.\"]+\s*\(.*\))(?:\s*(?:{_STORED}))+", r"\1"),
    (rf"ALTER\s+TABLE\s+([\w$#.\"]+)(?:\s+(?:{_STORED}))+", r"ALTER TABLE \1 SET LOGGED"),
    (r"(ALTER\s+TABLE\s.*\))\s*ENABLE(?:\s+VALIDATE)?", r"\1"),
    (r"(CREATE\s+TABLE\s.*\))\s*ORGANIZATION\s+(?:INDEX|HEAP)", r"\1"),
    (r"COMMENT\s+ON\s+COLUMN\s+((?:[\w$#\"]+\.)?[\w$#\"]+)\.[\w$#\"]+\s+(IS.*)", r"COMMENT ON TABLE \1 \2"),
]
_PARTITIONED = re.compile(r"\s*CREATE\s+TABLE\b(?:[^']|'[^']*')*\)\s*PARTITION\s+BY\b", re.IGNORECASE)


def simpler(text: str) -> str:
    """A definition without what changes nothing here (storage, the order of an index), in words that the parser knows."""
    if _PARTITIONED.match(text):
        raise unsupported("partitioned tables")
    if match := _MODIFY.fullmatch(text):
        return f"CREATE TABLE {match['table']} ({match['columns']})"
    for pattern, instead in _SIMPLER:
        match = re.fullmatch(rf"\s*{pattern}\s*", text, re.IGNORECASE | re.DOTALL)
        if match and instead is None:
            return f"{match[1]} COLUMN {', DROP COLUMN '.join(match[2].split(','))}"
        if match and instead is not None:
            return match.expand(instead)
    return text
