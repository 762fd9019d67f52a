"""Building sqlglot's trees, and looking at them."""

from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from raclab.database.oracle_error import unsupported

MADE = "made"


def call(name: str, *arguments: exp.Expr) -> exp.Anonymous:
    """A call of a DuckDB function, or of one of the lab's macros ("ora.nvl")."""
    node = exp.Anonymous(this=name, expressions=list(arguments))
    node.meta[MADE] = True
    return node


def text(value: str) -> exp.Literal:
    """A string literal."""
    return exp.Literal.string(value)


def number(value: int) -> exp.Expr:
    """A whole number as a literal."""
    return exp.Literal.number(value)


def cast(value: exp.Expr, kind: str) -> exp.Cast:
    """A cast to one of DuckDB's types."""
    node = exp.Cast(this=value, to=exp.DataType.from_str(kind, dialect="duckdb"))
    node.meta[MADE] = True
    return node


def template(sql: str) -> exp.Expr:
    """DuckDB's SQL as a tree that is left as it is."""
    tree: exp.Expr = exp.maybe_parse(sql, dialect="duckdb")
    for node in tree.walk():
        node.meta[MADE] = True
    return tree


def made(node: exp.Expr) -> bool:
    """Whether a node is DuckDB's already, so that no rule for Oracle's SQL applies to it."""
    return bool(node.meta.get(MADE))


def quoted(name: str) -> exp.Identifier:
    """An identifier that DuckDB takes as it stands."""
    return exp.Identifier(this=name, quoted=True)


def folded(identifier: Any) -> str:
    """A name as Oracle keeps it: in capitals unless it is quoted."""
    if not isinstance(identifier, exp.Identifier):
        return str(getattr(identifier, "name", identifier)).upper()
    return identifier.name if identifier.args.get("quoted") else identifier.name.upper()


def is_sequence_number(node: exp.Expr) -> bool:
    """Whether it is a sequence's NEXTVAL or CURRVAL in Oracle's SQL."""
    return isinstance(node, exp.Column) and bool(node.table) and node.name.upper() in ("NEXTVAL", "CURRVAL")


def own(query: exp.Expr) -> Iterator[exp.Expr]:
    """Every node of a query block, without those of query blocks inside it."""
    for node in query.walk(prune=lambda n: n is not query and isinstance(n, exp.Query)):
        if node is query or not isinstance(node, exp.Query):
            yield node


def pseudocolumn(node: exp.Expr, name: str) -> bool:
    """Whether a node is a pseudocolumn such as ROWNUM or LEVEL: the bare word, unquoted."""
    return isinstance(node, exp.Column) and not node.table and not node.this.args.get("quoted") and node.name.upper() == name


def is_constant(node: exp.Expr) -> bool:
    """Whether what looks like a column is the same for every row."""
    return any(pseudocolumn(node, name) for name in ("SYSDATE", "USER", "UID"))


def star(item: exp.Expr) -> exp.Star | None:
    """The ``*`` that a selected item is, alone or behind a table's name; else None."""
    found = item.this if isinstance(item, exp.Column) else item
    return found if isinstance(found, exp.Star) else None


def parts(block: exp.Expr, *keys: str) -> Iterator[exp.Expr]:
    """The expressions of clauses of a block, one after the other."""
    for key in keys:
        value = block.args.get(key)
        yield from list(value) if isinstance(value, list) else [value] if value is not None else []


def sources_of(select: exp.Select) -> Iterator[exp.Expr]:
    """The tables and queries that a block reads from."""
    if select.args.get("from_"):
        yield select.args["from_"].this
    for join in select.args.get("joins") or []:
        yield join.this


def read_from(select: exp.Select, query: exp.Expr, name: exp.Expr) -> None:
    """Let a block read from a query, under a name."""
    select.set("from_", exp.From(this=exp.Subquery(this=query, alias=exp.TableAlias(this=name))))


def conjuncts(condition: exp.Expr) -> list[exp.Expr]:
    """The parts of a condition that AND joins."""
    if isinstance(condition, exp.Paren) and isinstance(condition.this, exp.And | exp.Paren):
        return conjuncts(condition.this)
    if isinstance(condition, exp.And):
        return conjuncts(condition.left) + conjuncts(condition.right)
    return [condition]


def every(conditions: list[exp.Expr]) -> exp.Expr | None:
    """Conditions joined by AND, or None where there are none."""
    joined: exp.Expr | None = None
    for condition in conditions:
        joined = condition if joined is None else exp.And(this=joined, expression=condition)
    return joined


def where(conditions: list[exp.Expr]) -> exp.Where | None:
    """A WHERE clause of conditions joined by AND, or None where there are none."""
    joined = every(conditions)
    return exp.Where(this=joined) if joined is not None else None


def results(case: exp.Case) -> list[exp.Expr]:
    """What a CASE may give: the value behind each THEN, and behind ELSE."""
    otherwise = case.args.get("default")
    return [*(part.args["true"] for part in case.args["ifs"]), *([otherwise] if otherwise is not None else [])]


def grouped(value: exp.Expr) -> exp.Expr:
    """A value as it may stand beside an operator: in parentheses where it is one itself."""
    return exp.Paren(this=value) if isinstance(value, exp.Binary | exp.Neg | exp.Not) else value


def place(node: exp.Expr) -> int | None:
    """Where a node's text begins in the statement, or None where nothing of it stands there."""
    return min((part.meta["start"] for part in node.walk() if "start" in part.meta), default=None)


MOST_NODES = 2000


def not_too_large(value: exp.Expr) -> exp.Expr:
    """An expression that is about to be written more than once; nested, such expressions grow without end. Raises ORA-03001."""
    for count, _ in enumerate(value.walk()):
        if count > MOST_NODES:
            raise unsupported("way to nest expressions so deeply; put the inner ones into an inline view")
    return value
