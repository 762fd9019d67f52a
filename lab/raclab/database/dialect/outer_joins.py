"""Oracle's own outer joins, ``a.id = b.id(+)``, as LEFT JOIN."""

from sqlglot import exp

from raclab.database.dialect.nodes import conjuncts, every, own, where
from raclab.database.oracle_error import OracleError, unsupported


def rewrite(tree: exp.Expr) -> exp.Expr:
    """Rewrite every query block with a (+) in its WHERE. Raises OracleError for a (+) that Oracle refuses too."""
    for select in list(tree.find_all(exp.Select)):
        given = select.args.get("where")
        if given is not None and any(_marked(node) for node in own(given.this)):
            _block(select, given)
    stray = next((column for column in tree.find_all(exp.Column) if _marked(column)), None)
    if stray is not None:
        raise OracleError(30563, "outer join operator (+) is not allowed here: it belongs into a WHERE clause")
    return tree


def _marked(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column) and bool(node.args.get("join_mark"))


def _block(select: exp.Select, given: exp.Expr) -> None:
    joins = select.args.get("joins") or []
    if any(join.args.get("on") or join.args.get("using") or join.args.get("side") or join.args.get("method") for join in joins):
        raise OracleError(25156, "old style outer join (+) cannot be used with ANSI joins")
    sources = {source.alias_or_name.upper(): source for source in [select.args["from_"].this, *(join.this for join in joins)]}
    kept: list[exp.Expr] = []
    optional: dict[str, list[exp.Expr]] = {}
    for condition in conjuncts(given.this):
        table = _optional_table(condition, sources)
        (optional.setdefault(table, []) if table else kept).append(condition)
    needed = [name for name in sources if name not in optional]
    if not needed:
        raise OracleError(1416, "two tables cannot be outer-joined to each other")
    select.set("from_", exp.From(this=sources[needed[0]]))
    out = [exp.Join(this=sources[name], kind="CROSS") for name in needed[1:]]
    placed, waiting = set(needed), dict(optional)
    while waiting:
        name = next((name for name in waiting if _tables(waiting[name], sources) - {name} <= placed), None)
        if name is None:
            raise OracleError(1416, "two tables cannot be outer-joined to each other")
        out.append(exp.Join(this=sources[name], side="LEFT", on=every(waiting.pop(name))))
        placed.add(name)
    select.set("joins", out)
    select.set("where", where(kept))


def _optional_table(condition: exp.Expr, sources: dict[str, exp.Expr]) -> str | None:
    """The table that a condition may leave without a row, or None; takes the marks away."""
    marked = [node for node in own(condition) if _marked(node)]
    if not marked:
        return None
    if any(isinstance(node, exp.Or) for node in own(condition)):
        raise OracleError(1719, "outer join operator (+) not allowed in operand of OR or IN")
    tables = {column.table.upper() for column in marked if isinstance(column, exp.Column)}
    if "" in tables:
        raise unsupported("(+) at a column without its table in front")
    if len(tables) > 1:
        raise OracleError(1468, "a predicate may reference only one outer-joined table")
    table = tables.pop()
    if table not in sources:
        raise OracleError(904, f'"{table}"."{marked[0].name.upper()}": invalid identifier')
    for column in marked:
        column.set("join_mark", False)
    return table


def _tables(conditions: list[exp.Expr], sources: dict[str, exp.Expr]) -> set[str]:
    """The block's tables that conditions name."""
    named = {column.table.upper() for condition in conditions for column in condition.find_all(exp.Column) if column.table}
    return named & set(sources)
