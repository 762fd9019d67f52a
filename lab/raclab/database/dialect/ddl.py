"""CREATE, ALTER, DROP and TRUNCATE in the schema LAB."""

import re
from collections.abc import Iterable

from sqlglot import exp

from raclab.database.constraints import NOT_NULL, PRIMARY, UNIQUE, Constraint, quote
from raclab.database.dialect import constraints, sequences, types
from raclab.database.dialect.catalog import kind_of_type
from raclab.database.dialect.constraints import Declared, Render, plain_name
from raclab.database.dialect.names import OWN, Names
from raclab.database.dialect.nodes import MADE, quoted
from raclab.database.oracle_error import OracleError, unsupported
from raclab.database.rebuild import Add, DropColumns, DropConstraint, Modify
from raclab.database.sequence_change import SequenceChange
from raclab.database.table_changes import AddPlain, Create, Drop, Keep, Remark, Rename, RenameColumn, Truncate

Change = (
    Add
    | AddPlain
    | Create
    | Drop
    | DropColumns
    | DropConstraint
    | Keep
    | Modify
    | Remark
    | Rename
    | RenameColumn
    | SequenceChange
    | Truncate
)
"""What takes more than one of DuckDB's statements."""

_IGNORED = (exp.TableSpaceProperty, exp.PhysicalProperty, exp.StorageProperty, exp.ForceProperty)


def statements(tree: exp.Expr, names: Names, render: Render) -> list[str | Change]:
    """DuckDB's statements for one of Oracle's, or what it can't do. ``render`` prints expressions, already rewritten."""
    if isinstance(tree, exp.Create):
        return [*_create(tree, names, render)]
    if isinstance(tree, exp.Drop):
        if _kind(tree) == "TABLE":
            [table] = tree.args["tables"]
            return [Drop(names.writable(table)[1], bool(tree.args.get("exists")), bool(tree.args.get("cascade")))]
        known = " IF EXISTS" if tree.args.get("exists") else ""
        return [f"DROP {_kind(tree)}{known} {_target(table, names)}" for table in tree.args["tables"]]
    if isinstance(tree, exp.TruncateTable):
        return [Truncate(names.writable(table)[1]) for table in tree.expressions]
    if isinstance(tree, exp.Alter):
        return _alter(tree, names, render)
    if isinstance(tree, exp.Comment):
        return [_remark(tree, names)]
    raise unsupported("this DDL")


def _kind(tree: exp.Create | exp.Drop) -> str:
    kind = str(tree.args.get("kind") or "").upper()
    if kind not in ("TABLE", "VIEW", "INDEX", "SEQUENCE"):
        raise unsupported(f"{tree.key.upper()} {kind}")
    return kind


def _target(table: exp.Expr, names: Names) -> str:
    return quote(*names.writable(table))


def _name(identifier: exp.Expr) -> str:
    return quote(plain_name(identifier))


def _remark(tree: exp.Comment, names: Names) -> Remark:
    """COMMENT ON TABLE and ON COLUMN."""
    on, column = tree.this, ""
    if isinstance(on, exp.Column):
        if not on.args.get("table"):
            raise OracleError(1748, "only simple column names allowed here: write TABLE.COLUMN")
        column = plain_name(on.this)
        on = exp.Table(this=on.args["table"].copy(), db=on.args["db"].copy() if on.args.get("db") else None)
    return Remark(names.writable(on)[1], column, str(tree.expression.name))


def _create(tree: exp.Create, names: Names, render: Render) -> list[str | Change]:
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
    table = names.writable(schema.this)[1]
    before = [_identity(part, table) for part in schema.expressions if isinstance(part, exp.ColumnDef)]
    definitions, declared = _parts(table, schema.expressions, names, render)
    sql = f"CREATE TABLE {target} ({', '.join(definitions)})"
    return [*filter(None, before), Create(table, sql, declared, bool(tree.args.get("exists")))]


def _parts(table: str, parts: Iterable[exp.Expr], names: Names, render: Render) -> tuple[tuple[str, ...], tuple[Constraint, ...]]:
    """Columns and constraints of a table as DuckDB takes them, and what constraints these are."""
    columns: list[str] = []
    names.define(table, {plain_name(part.this): kind_of_type(_stored(part)) for part in parts if isinstance(part, exp.ColumnDef)})
    of_rows = _of_rows(table, render)
    declared: list[Declared] = []
    for part in parts:
        if isinstance(part, exp.ColumnDef):
            columns.append(_column(part, render))
            declared += constraints.of_column(part, names, of_rows)
        else:
            declared.append(constraints.of_table(part, names, of_rows))
    return (*columns, *(sql for sql, _ in declared if sql)), tuple(one for _, one in declared)


def _of_rows(table: str, render: Render) -> Render:
    """Prints a condition on, or an expression of, a table's rows, whose columns' kinds are known."""

    def printed(condition: exp.Expr) -> str:
        query = exp.Select(expressions=[exp.Literal.number(1)], where=exp.Where(this=condition.copy()))
        query.set("from_", exp.From(this=exp.Table(this=quoted(table), db=quoted(OWN))))
        return render(query).partition(" WHERE ")[2]

    return printed


def _properties(tree: exp.Create) -> list[exp.Expr]:
    return tree.args["properties"].expressions if tree.args.get("properties") else []


def _of_sequence(tree: exp.Create) -> list[exp.SequenceProperties]:
    return [given for given in _properties(tree) if isinstance(given, exp.SequenceProperties)]


def _identity(part: exp.ColumnDef, table: str) -> str | None:
    """GENERATED ... AS IDENTITY: a sequence of the table's own, which gives the column its default."""
    for constraint in part.args.get("constraints") or []:
        kind = constraint.args["kind"]
        if isinstance(kind, exp.GeneratedAsIdentityColumnConstraint):
            sequence = quote(OWN, f"ISEQ$$_{table}")
            nextval = exp.Anonymous(this="nextval", expressions=[exp.Literal.string(sequence)])
            nextval.meta[MADE] = True
            constraint.set("kind", exp.DefaultColumnConstraint(this=nextval))
            return f"CREATE SEQUENCE {sequence} START WITH {kind.args['start'].sql() if kind.args.get('start') else 1}"
    return None


def _index(tree: exp.Create, names: Names, render: Render) -> str:
    index = tree.this
    columns = index.args["params"].args.get("columns") or []
    unique = "UNIQUE " if tree.args.get("unique") else ""
    of_rows = _of_rows(names.writable(index.args["table"])[1], render)
    listed = ", ".join(_name(column.this) if isinstance(column.this, exp.Column) else f"({of_rows(column.this)})" for column in columns)
    return f"CREATE {unique}INDEX {_name(index.this)} ON {_target(index.args['table'], names)} ({listed})"


def _column(part: exp.ColumnDef, render: Render) -> str:
    """A column with what DuckDB takes inside its definition: type, default, NOT NULL, and the length of a text."""
    name, kind = _name(part.this), part.args["kind"]
    words = [name, _stored(part)]
    for constraint in part.args.get("constraints") or []:
        given = constraint.args["kind"]
        if isinstance(given, exp.DefaultColumnConstraint):
            words.append(f"DEFAULT {render(given.this)}")
        elif isinstance(given, exp.NotNullColumnConstraint) and not given.args.get("allow_null"):
            words.append("NOT NULL")
    size = types.length(kind)
    if size is not None:
        words.append(f"CHECK (length({name}) <= {size})")
    return " ".join(words)


def _stored(part: exp.ColumnDef) -> str:
    if part.args.get("kind") is None:
        raise OracleError(902, f"invalid datatype: column {part.name.upper()} has none")
    return types.stored(part.args["kind"])


def _alter(tree: exp.Alter, names: Names, render: Render) -> list[str | Change]:
    _, table = names.writable(tree.this)
    out: list[str | Change] = []
    dropped, cascade = list[str](), False
    for action in tree.args.get("actions") or []:
        if isinstance(action, exp.Schema | exp.ColumnDef | exp.AddConstraint):
            out += _added(table, [action] if isinstance(action, exp.ColumnDef) else action.expressions, names, render)
        elif isinstance(action, exp.Drop) and str(action.args.get("kind")).upper() == "COLUMN":
            dropped += [plain_name(column) for column in action.args["tables"]]
            cascade = cascade or bool(action.args.get("constraints"))
        elif isinstance(action, exp.Drop) and str(action.args.get("kind")).upper() == "CONSTRAINT":
            out += [DropConstraint(table, bool(action.args.get("cascade")), plain_name(one.this)) for one in action.args["tables"]]
        elif isinstance(action, exp.Command) and (match := _DROP_KEY.fullmatch(f"{action.this} {action.expression}")):
            columns = tuple(
                one.strip().strip('"') if '"' in one else one.strip().upper() for one in (match["columns"] or "").split(",") if one
            )
            out.append(DropConstraint(table, bool(match["cascade"]), kind=PRIMARY if match["primary"] else UNIQUE, columns=columns))
        elif isinstance(action, exp.RenameColumn):
            out.append(RenameColumn(table, plain_name(action.this), plain_name(action.args["to"])))
        elif isinstance(action, exp.AlterRename):
            out.append(Rename(table, plain_name(action.this.this)))
        elif isinstance(action, exp.AlterSet):  # how it is stored, put so by `simpler`
            out.append(Keep(table))
        else:
            raise unsupported("this change of a table; it takes ADD, MODIFY, DROP COLUMN, DROP CONSTRAINT, RENAME COLUMN and RENAME TO")
    if dropped:
        out.append(DropColumns(table, tuple(dropped), cascade))
    return out


_DROP_KEY = re.compile(
    r"DROP\s+(?:(?P<primary>PRIMARY\s+KEY)|UNIQUE\s*\((?P<columns>[^()]+)\))(?:\s+(?P<cascade>CASCADE))?(?:\s+DROP\s+INDEX)?\s*",
    re.IGNORECASE,
)


def _added(table: str, parts: list[exp.Expr], names: Names, render: Render) -> list[Change]:
    """ADD: DuckDB takes columns without constraints as they are."""
    plain = all(isinstance(part, exp.ColumnDef) and _is_plain(part) for part in parts)
    definitions, declared = _parts(table, parts, names, render)
    return [AddPlain(table, one) for one in definitions] if plain else [Add(table, definitions, declared)]


def _is_plain(column: exp.ColumnDef) -> bool:
    limited = types.length(column.args["kind"]) is not None if column.args.get("kind") else False
    return not limited and all(_is_default(constraint) for constraint in column.args.get("constraints") or [])


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
        given = [one.args["kind"] for one in part.args.get("constraints") or []]
        default = next((render(one.this) for one in given if isinstance(one, exp.DefaultColumnConstraint)), None)
        null = next((bool(one.args.get("allow_null")) for one in given if isinstance(one, exp.NotNullColumnConstraint)), None)
        kind = part.args.get("kind")
        if kind is not None and kind.this is exp.DType.NULL:  # "modify x null"
            kind, null = None, True
        stored, length = (types.stored(kind), types.length(kind)) if kind is not None else (None, None)
        declared = list(constraints.of_column(part, names, _of_rows(table, render))) if isinstance(part, exp.ColumnDef) else []
        named = next((one.name for _, one in declared if one.kind == NOT_NULL), "")
        column = plain_name(part.this if isinstance(part, exp.ColumnDef) else part)
        out.append(Modify(table, column, stored, default, length, null, named))
        further = [(sql, one) for sql, one in declared if one.kind != NOT_NULL]
        if further:
            out.append(Add(table, tuple(sql for sql, _ in further if sql), tuple(one for _, one in further)))
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
    (r"(ALTER\s+TABLE\s+[\w$#.\"]+\s+DROP)\s*\(([^()]*)\)(\s+CASCADE\s+CONSTRAINTS)?", None),
    (r"(ALTER\s+TABLE\s+[\w$#.\"]+\s+ADD)\s+(CHECK\s*\(.*\))", r"\1 (\2)"),
    (r"ALTER\s+(SEQUENCE\s.*)", r"CREATE \1"),
    (rf"(CREATE\s+TABLE\s+[\w$#.\"]+)(?:\s+(?:{_STORED}))+\s+(AS\s.*)", r"\1 \2"),
    (rf"(CREATE\s+TABLE\s+[\w$#.\"]+\s*\(.*\))(?:\s*(?:{_STORED}))+", r"\1"),
    (rf"ALTER\s+TABLE\s+([\w$#.\"]+)(?:\s+(?:{_STORED}))+", r"ALTER TABLE \1 SET LOGGED"),
    (r"(CREATE\s+TABLE\s.*\))\s*ORGANIZATION\s+(?:INDEX|HEAP)", r"\1"),
]
_OF_CONSTRAINTS = re.compile(
    r"""('[^']*'|"[^"]*")|\s+USING\s+INDEX(?:\s+TABLESPACE\s+[\w$#]+)?(?=\s*[,)]|\s+ENABLE|\s*$)"""
    r"""|(?<=[\w)"])\s+(?:ENABLE(?:\s+(?:NO)?VALIDATE)?|NOT\s+DEFERRABLE)(?=\s*[,)]|\s*$)""",
    re.IGNORECASE,
)
"""What may stand after a constraint and says what is so anyway; before it, what is quoted."""
_TURNED = re.compile(
    r"\s*ALTER\s+TABLE\s+[\w$#.\"]+\s+(?P<verb>ENABLE|DISABLE|RENAME|MODIFY)\s+(?:(?:NO)?VALIDATE\s+)?(?P<what>CONSTRAINT|PRIMARY\s+KEY|UNIQUE)\b",
    re.IGNORECASE,
)
_DISABLED = re.compile(
    r"""\s*(?:CREATE|ALTER)\s+TABLE\b(?:[^'"]|'[^']*'|"[^"]*")*[\w)"]\s+DISABLE(?:\s+(?:NO)?VALIDATE)?\s*(?:[,)]|$)""", re.IGNORECASE
)
_PARTITIONED = re.compile(r"\s*CREATE\s+TABLE\b(?:[^']|'[^']*')*\)\s*PARTITION\s+BY\b", re.IGNORECASE)


def simpler(text: str) -> str:
    """A definition without what changes nothing here (storage, the order of an index), in words that the parser knows."""
    if _PARTITIONED.match(text):
        raise unsupported("partitioned tables")
    if re.match(r"\s*(?:CREATE|ALTER)\s+TABLE\b", text, re.IGNORECASE):
        if match := _TURNED.match(text):
            raise unsupported(f"ALTER TABLE ... {match['verb'].upper()} CONSTRAINT; drop the constraint and add it anew")
        if _DISABLED.match(text):
            raise unsupported("DISABLE of constraints; leave the constraint out")
        text = _OF_CONSTRAINTS.sub(lambda found: found[1] or "", text)
    if match := _MODIFY.fullmatch(text):
        return f"CREATE TABLE {match['table']} ({match['columns']})"
    for pattern, instead in _SIMPLER:
        match = re.fullmatch(rf"\s*{pattern}\s*", text, re.IGNORECASE | re.DOTALL)
        if match and instead is None:
            return f"{match[1]} COLUMN {', DROP COLUMN '.join(match[2].split(','))}{match[3] or ''}"
        if match and instead is not None:
            return match.expand(instead)
    return text
