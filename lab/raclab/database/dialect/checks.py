"""What Oracle refuses and the engine would take: names that a block does not have, columns that are not grouped, kinds that differ.

Only what is surely wrong is refused: where a table's columns or an expression's kind are not known, the engine has the word.
"""

from collections.abc import Callable, Iterator
from typing import Any

from sqlglot import exp

from raclab.database.dialect.catalog import Columns
from raclab.database.dialect.kinds import PSEUDO
from raclab.database.dialect.levels import group_keys, is_aggregate
from raclab.database.dialect.nodes import folded, is_constant, own, parts, place, results
from raclab.database.dialect.scopes import Blocks, annotate, around
from raclab.database.oracle_error import OracleError

_BEFORE_THE_LIST = ("expressions", "where", "connect", "group", "having")
_FAMILIES = {"N": "NUMBER", "F": "NUMBER", "T": "CHAR", "D": "DATE", "S": "DATE", "I": "INTERVAL", "B": "BINARY"}


def check(tree: exp.Expr, columns_of: Callable[[Any], Columns | None]) -> None:
    """Look at every block of a statement as it was written. Raises OracleError."""
    looked_at = tree.copy()
    blocks = annotate(looked_at, columns_of)
    for select in looked_at.find_all(exp.Select):
        _conditions(select)
        _names(select, blocks)
        _grouping(select, blocks)
        _distinct(select)
    for operation in looked_at.find_all(exp.SetOperation):
        _corresponding(operation, blocks)
    for node in looked_at.find_all(exp.Case, exp.Anonymous):
        _alternatives(node, blocks)


# -- conditions


def _conditions(select: exp.Select) -> None:
    """A condition is no value: a query can't give it."""
    for item in select.expressions:
        value = item.this if isinstance(item, exp.Alias) else item
        if isinstance(value.unnest(), exp.Predicate | exp.Connector | exp.Not):
            raise OracleError(
                923, "FROM keyword not found where expected: a condition can't be selected, put it into CASE WHEN", place(value)
            )


# -- names


def _names(select: exp.Select, blocks: Blocks) -> None:
    """A column's alias is known to ORDER BY only; a column that a source has twice can't be named."""
    aliases = _aliases(select)
    using = {folded(name) for join in select.args.get("joins") or [] for name in join.args.get("using") or []}
    shared = _shared(select, blocks)
    for part in parts(select, *_BEFORE_THE_LIST):
        for column in _columns(part):
            if column.table and folded(column.this) in shared:
                raise OracleError(25155, f"column used in NATURAL join cannot have qualifier: {folded(column.this)}", place(column))
            if column.table and folded(column.this) in using:
                raise OracleError(25154, f"column part of USING clause cannot have qualifier: {folded(column.this)}", place(column))
            held = blocks.holders(column, select)
            if held is None:
                continue
            if len(held) > 1 and not _joined_by_name(select):
                raise OracleError(918, f'"{folded(column.this)}": column ambiguously specified', place(column))
            name = folded(column.this)
            if not held and not column.table and name in aliases and name not in PSEUDO and not _held_outside(column, select, blocks):
                raise OracleError(904, f'"{name}": invalid identifier: an alias can be used in ORDER BY only', place(column))


def _shared(select: exp.Select, blocks: Blocks) -> set[str]:
    """The columns by which a NATURAL join of two sources joins; nothing where these are more or not known."""
    joins = select.args.get("joins") or []
    sources = list(blocks.scope(select).values())
    if len(joins) != 1 or joins[0].method.upper() != "NATURAL" or len(sources) != 2 or None in sources:
        return set()
    first, second = ({name for name, _ in columns or []} for columns in sources)
    return first & second


def _held_outside(column: exp.Column, block: exp.Expr, blocks: Blocks) -> bool:
    """Whether a block further out has such a column, or may have one."""
    at = around(block)
    while at is not None:
        if blocks.holders(column, at) != []:
            return True
        at = around(at)
    return False


def _joined_by_name(select: exp.Select) -> bool:
    return any(join.args.get("using") or join.method for join in select.args.get("joins") or [])


def _aliases(select: exp.Select) -> set[str]:
    return {folded(item.args["alias"]) for item in select.expressions if isinstance(item, exp.Alias)}


def _columns(part: exp.Expr) -> Iterator[exp.Column]:
    """The columns of a part of a block, without those of the queries in it."""
    if isinstance(part, exp.Query):
        return
    for node in own(part):
        if isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier):
            yield node


# -- grouping


def _grouping(select: exp.Select, blocks: Blocks) -> None:
    """Every column after GROUP BY is one of its keys, or inside an aggregate."""
    group = select.args.get("group")
    after = list(parts(select, "expressions", "having", "order"))
    aggregates = any(is_aggregate(node) for part in after if not isinstance(part, exp.Query) for node in own(part))
    if group is None and not aggregates:
        return
    keys = {_plain(key) for key in group_keys(group)} if group is not None else set()
    code, said = (979, "not a GROUP BY expression") if group is not None else (937, "not a single-group group function")
    for part in after:
        aliases = _aliases(select) if isinstance(part, exp.Order) else set()
        for column in _outside_aggregates(part, keys):
            known = blocks.holders(column, select)
            if known and not is_constant(column) and (column.table or folded(column.this) not in aliases):
                raise OracleError(code, f'"{folded(column.this)}": {said}', place(column))


def _outside_aggregates(node: exp.Expr, keys: set[str]) -> Iterator[exp.Column]:
    """The columns of an expression that stand neither in an aggregate nor in one of the keys."""
    if isinstance(node, exp.Query) or is_aggregate(node) or _plain(node) in keys:
        return
    if isinstance(node, exp.Column):
        if isinstance(node.this, exp.Identifier):
            yield node
        return
    for child in node.iter_expressions():
        yield from _outside_aggregates(child, keys)


def _plain(node: exp.Expr) -> str:
    """An expression's text for comparison: tables in front of columns left out."""
    if not any(column.args.get("table") for column in node.find_all(exp.Column)):
        return node.sql("oracle", comments=False).upper()
    bare = node.copy()
    for column in bare.find_all(exp.Column):
        column.set("table", None)
    return bare.sql("oracle", comments=False).upper()


def _distinct(select: exp.Select) -> None:
    """SELECT DISTINCT is ordered by what it selects."""
    order = select.args.get("order")
    if not select.args.get("distinct") or order is None or any(item.find(exp.Star) for item in select.expressions):
        return
    selected = {_plain(item.this if isinstance(item, exp.Alias) else item) for item in select.expressions}
    aliases = _aliases(select)
    for ordered in order.expressions:
        for column in _outside_aggregates(ordered.this, selected):
            if column.table or folded(column.this) not in aliases:
                raise OracleError(1791, f'not a SELECTed expression: "{folded(column.this)}"', place(column))


# -- kinds


def _family(found: str | None) -> str | None:
    return _FAMILIES.get(found[0]) if found else None


def _corresponding(operation: exp.SetOperation, blocks: Blocks) -> None:
    """The columns of UNION, INTERSECT and MINUS agree in kind, place by place."""
    left, right = blocks.output(operation.left), blocks.output(operation.right)
    if left is None or right is None or len(left) != len(right):
        return
    for at, ((_, one), (_, other)) in enumerate(zip(left, right, strict=True), 1):
        first, second = _family(one), _family(other)
        if first and second and first != second:
            said = f"expression must have same datatype as corresponding expression: column {at} is {first} above and {second} below"
            raise OracleError(1790, said)


def _alternatives(node: Any, blocks: Blocks) -> None:
    """The results of CASE, and the arguments of COALESCE and NULLIF, are of one kind; so are CASE's values to compare with."""
    if isinstance(node, exp.Case):
        _one_family(results(node), blocks)
        if node.this is not None:
            _one_family([node.this, *(part.this for part in node.args["ifs"])], blocks)
    elif node.name.upper() in ("COALESCE", "NULLIF"):
        _one_family(node.expressions, blocks)


def _one_family(values: list[exp.Expr], blocks: Blocks) -> None:
    expected: str | None = None
    for value in values:
        found = _family(blocks.kind(value))
        expected = expected or found
        if found and found != expected:
            raise OracleError(932, f"inconsistent datatypes: expected {expected} got {found}", place(value))
