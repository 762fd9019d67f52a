"""Small helpers to build and to look at sqlglot's trees."""

from collections.abc import Iterator

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


def own(query: exp.Expr) -> Iterator[exp.Expr]:
    """Every node of a query block, without those of query blocks inside it."""
    for node in query.walk(prune=lambda n: n is not query and isinstance(n, exp.Query)):
        if node is query or not isinstance(node, exp.Query):
            yield node


def pseudocolumn(node: exp.Expr, name: str) -> bool:
    """Whether a node is a pseudocolumn such as ROWNUM or LEVEL: the bare word, unquoted."""
    return isinstance(node, exp.Column) and not node.table and not node.this.args.get("quoted") and node.name.upper() == name


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
