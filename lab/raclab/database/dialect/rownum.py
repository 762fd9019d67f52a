"""ROWNUM: the number that a row gets as it passes the WHERE clause, before it is sorted, grouped or made distinct.

A condition on ROWNUM becomes one in QUALIFY over ``row_number() OVER ()``, which DuckDB evaluates after WHERE and before DISTINCT and
ORDER BY. Where the block groups or has window functions of its own, FROM and WHERE go into a block of their own first.
"""

from sqlglot import exp

from raclab.database.dialect.function_table import AGGREGATES
from raclab.database.dialect.nodes import call, conjuncts, every, number, own, parts, pseudocolumn, quoted, read_from, where
from raclab.database.oracle_error import unsupported

_NAME = "ROWNUM"
_TURNED: dict[type[exp.Binary], type[exp.Binary]] = {exp.LT: exp.GT, exp.LTE: exp.GTE, exp.GT: exp.LT, exp.GTE: exp.LTE}


def rewrite(tree: exp.Expr) -> exp.Expr:
    """Rewrite ROWNUM in every query block, inner blocks first, and in the WHERE of an UPDATE or DELETE."""
    for select in reversed(list(tree.find_all(exp.Select))):
        if any(pseudocolumn(node, _NAME) for node in own(select)):
            _block(select)
    if isinstance(tree, exp.Update | exp.Delete):
        _change(tree)
    return tree


def _number() -> exp.Expr:
    return exp.Window(this=call("row_number"), over="OVER")


def _block(select: exp.Select) -> None:
    given = select.args.get("where")
    conditions = conjuncts(given.this) if given else []
    passing = [_limit(condition) for condition in conditions if _mentions(condition)]
    limits = [condition for condition in passing if condition.find(exp.Window)]
    always = [condition for condition in passing if not condition.find(exp.Window)]  # or never: ROWNUM > n
    select.set("where", where([condition for condition in conditions if not _mentions(condition)] + always))
    if _needs_block(select):
        _push_down(select, limits)
        return
    for node in list(own(select)):
        if pseudocolumn(node, _NAME):
            node.replace(_number())
    if limits:
        select.set("qualify", exp.Qualify(this=every(limits)))


def _mentions(condition: exp.Expr) -> bool:
    return any(pseudocolumn(node, _NAME) for node in own(condition))


def _limit(condition: exp.Expr) -> exp.Expr:
    """What of the first n rows a condition lets pass.

    A row that is refused leaves its number to the next one, so that only the first rows in a sequence can ever pass.
    """
    condition = condition.unnest()
    if isinstance(condition, exp.Between) and pseudocolumn(condition.this, _NAME):
        low, high = condition.args["low"], condition.args["high"]
        return exp.And(this=exp.GTE(this=number(1), expression=low), expression=exp.LTE(this=_number(), expression=high))
    if not isinstance(condition, exp.LT | exp.LTE | exp.EQ | exp.GT | exp.GTE | exp.NEQ):
        raise unsupported("such a condition on ROWNUM; it takes ROWNUM <, <=, =, >, >= or BETWEEN")
    kind: type[exp.Binary] = type(condition)
    left, right = condition.left, condition.right
    if pseudocolumn(right, _NAME):
        left, right = right, left
        kind = _TURNED.get(kind, kind)
    if not pseudocolumn(left, _NAME) or _mentions(right) or any(isinstance(node, exp.Column) for node in right.walk()):
        raise unsupported("such a condition on ROWNUM; it takes ROWNUM compared with a constant or a bind variable")
    if kind in (exp.LT, exp.LTE):
        return kind(this=_number(), expression=right)
    if kind is exp.EQ:
        return exp.And(this=exp.EQ(this=_number(), expression=number(1)), expression=exp.EQ(this=right, expression=number(1)))
    if kind is exp.NEQ:
        return exp.Paren(
            this=exp.Or(this=exp.LT(this=_number(), expression=right), expression=exp.LT(this=right.copy(), expression=number(1)))
        )
    return kind(this=number(1), expression=right)


def _needs_block(select: exp.Select) -> bool:
    if select.args.get("group") or select.args.get("having"):
        return True
    for node in own(select):
        if isinstance(node, exp.Window):
            return True
        if isinstance(node, exp.GroupConcat) or (isinstance(node, exp.Anonymous) and node.name.upper() in AGGREGATES):
            return True
    return False


def _push_down(select: exp.Select, limits: list[exp.Expr]) -> None:
    """Move FROM and WHERE into a block that numbers the rows, and have the outer block read from it."""
    if select.args.get("joins"):
        _push_columns_down(select, limits)
        return
    source = select.args["from_"].this
    block = exp.Select(expressions=[exp.Star(), exp.Alias(this=_number(), alias=quoted("_ROWNUM"))])
    _move(select, block, limits, exp.to_identifier(source.alias_or_name) if source.alias_or_name else quoted("_ROWS"))
    for node in list(own(select)):
        if pseudocolumn(node, _NAME):
            node.replace(exp.Column(this=quoted("_ROWNUM")))
        elif isinstance(node, exp.Star) and isinstance(node.parent, exp.Select | exp.Column):
            node.set("except_", [quoted("_ROWNUM")])


def _move(select: exp.Select, block: exp.Select, limits: list[exp.Expr], name: exp.Expr) -> None:
    for key in ("from_", "joins", "where"):
        block.set(key, select.args.get(key))
        select.set(key, None)
    if limits:
        block.set("qualify", exp.Qualify(this=every(limits)))
    read_from(select, block, name)


def _push_columns_down(select: exp.Select, limits: list[exp.Expr]) -> None:
    """The same over a join, where each column of it gets a name of its own."""
    columns: dict[str, exp.Alias] = {}
    for key in ("expressions", "group", "having", "order", "distinct"):
        for node in [found for root in parts(select, key) for found in own(root)]:
            if not isinstance(node, exp.Column):
                continue
            if isinstance(node.this, exp.Star):
                raise unsupported("ROWNUM in a join that groups or has analytic functions and selects every column")
            if isinstance(node.parent, exp.Alias | exp.Ordered) and key == "order" and not node.table and _is_alias(select, node.name):
                continue
            source = _number() if pseudocolumn(node, _NAME) else node.copy()
            name = node.sql("oracle").upper() if not pseudocolumn(node, _NAME) else _NAME
            inner = columns.setdefault(name, exp.Alias(this=source, alias=quoted(f"_{len(columns) + 1}")))
            node.replace(exp.Column(this=quoted(inner.alias)))
    block = exp.Select(expressions=list(columns.values()) or [exp.Alias(this=number(1), alias=quoted("_0"))])
    _move(select, block, limits, quoted("_ROWS"))


def _is_alias(select: exp.Select, name: str) -> bool:
    return any(isinstance(item, exp.Alias) and item.alias.upper() == name.upper() for item in select.expressions)


def _change(tree: exp.Update | exp.Delete) -> None:
    """UPDATE and DELETE: the rows are those whose ROWID a query block with the same conditions gives."""
    given = tree.args.get("where")
    if given is None or not _mentions(given.this):
        return
    rowid = exp.Column(this=exp.to_identifier("rowid"))
    block = exp.Select(expressions=[rowid.copy()])
    block.set("from_", exp.From(this=tree.this.copy()))
    block.set("where", given.copy())
    _block(block)
    tree.set("where", exp.Where(this=exp.In(this=rowid, query=exp.Subquery(this=block))))
