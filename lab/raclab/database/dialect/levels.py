"""Query blocks in which an operator or a function works on an aggregate or an analytic function.

The lab's macros are chosen by the types of their arguments, and DuckDB knows the type of an aggregate only where it stands alone in a
column of an inner block. So such a block becomes two: the inner one groups, the outer one calculates. The same is then done for
analytic functions, which come after grouping.
"""

from collections.abc import Callable, Iterator

from sqlglot import exp

from raclab.database.dialect.function_table import AGGREGATES
from raclab.database.dialect.nodes import folded, is_constant, own, parts, place, quoted, read_from, sources_of, star
from raclab.database.oracle_error import OracleError, unsupported

_WORKS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.DPipe, exp.Cast, exp.Like, exp.Extract, exp.Trim, exp.Anonymous, exp.Case, exp.Interval)
_OUTER = ("expressions", "having", "order")
"""The clauses of a block that are computed after grouping."""
_GROUPING = ("GROUPING", "GROUPING_ID")

Test = Callable[[exp.Expr], bool]


def rewrite(tree: exp.Expr) -> exp.Expr:
    """Split the blocks that need it, inner blocks first."""
    for select in reversed(list(tree.find_all(exp.Select))):
        _split_nested(select)
        if _works_on(select, is_aggregate):
            _split_groups(select)
        if _works_on(select, _is_analytic):
            _split_analytics(select)
    return tree


def is_aggregate(node: exp.Expr) -> bool:
    """An aggregate function that groups: not the function of an analytic clause."""
    if isinstance(node, exp.Window):
        return str(node.args.get("over")).upper() == "KEEP" and not isinstance(node.parent, exp.Window)
    if isinstance(node.parent, exp.Window | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls) and node.arg_key == "this":
        return False
    if isinstance(node, exp.GroupConcat | exp.WithinGroup):
        return True
    return isinstance(node, exp.Anonymous) and node.name.upper() in (*AGGREGATES, *_GROUPING)


def _is_analytic(node: exp.Expr) -> bool:
    return isinstance(node, exp.Window) and not is_aggregate(node)


def _found(root: exp.Expr, test: Test) -> list[exp.Expr]:
    """The outermost nodes of the block under ``root`` that a test finds."""
    found: list[exp.Expr] = []
    for node in root.walk(prune=lambda n: test(n) or (n is not root and isinstance(n, exp.Query))):
        if test(node):
            found.append(node)
    return found


def _works_on(select: exp.Select, test: Test) -> bool:
    for part in parts(select, *_OUTER):
        for node in _found(part, test):
            above = node.parent
            while above is not None and above is not select:
                if isinstance(above, _WORKS):
                    return True
                above = above.parent
    return False


def _name_columns(select: exp.Select) -> None:
    for item in list(select.expressions):
        if isinstance(item, exp.Column) and star(item) is None:
            item.replace(exp.Alias(this=item.copy(), alias=quoted(folded(item.this))))


class _Inner:
    """The inner block as it is put together: what it computes, each thing once."""

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self._columns: dict[str, exp.Alias] = {}

    def column(self, value: exp.Expr) -> exp.Column:
        key = value.sql("oracle", comments=False).upper()
        alias = self._columns.setdefault(key, exp.Alias(this=value.copy(), alias=quoted(f"_{self._mark}{len(self._columns)}")))
        return exp.Column(this=quoted(alias.alias))

    def hidden(self) -> list[exp.Expr]:
        """The names of its columns, for a ``*`` of the outer block to leave out."""
        return [quoted(name.alias) for name in self._columns.values()]

    def block(self, select: exp.Select, keys: tuple[str, ...], first: list[exp.Expr]) -> None:
        """Move clauses of a block into this one, and let the block read from it."""
        inner = exp.Select(expressions=[*first, *self._columns.values()])
        for key in keys:
            inner.set(key, select.args.get(key))
            select.set(key, None)
        read_from(select, inner, quoted(f"_{self._mark}"))


def _split_nested(select: exp.Select) -> None:
    """``max(sum(x)) ... group by y``: the groups go into an inner block, and the outer one has all of them in one.

    An aggregate beside it that is not nested works on the groups too, over what they are grouped by.
    """
    group = select.args.get("group")
    aggregates = [node for part in parts(select, *_OUTER) for node in _found(part, is_aggregate)]
    nested = [node for node in aggregates if any(is_aggregate(inner) for inner in own(node) if inner is not node)]
    if group is None or not nested:
        return
    if select.args.get("having") or select.args.get("order"):
        raise OracleError(937, "not a single-group group function")
    inner, keys = _Inner("N"), list(group_keys(group))
    for outer in aggregates:
        for node in [found for argument in _arguments(outer) for found in _found(argument, _aggregate_or(keys))]:
            node.replace(inner.column(node))
        if outer not in nested and not all(column.name.startswith("_N") for column in outer.find_all(exp.Column)):
            raise OracleError(937, "not a single-group group function")
    inner.block(select, ("from_", "joins", "where", "group", "laterals"), [])


def _aggregate_or(keys: list[exp.Expr]) -> Test:
    return lambda node: is_aggregate(node) or any(_same(node, key) for key in keys)


def _arguments(node: exp.Expr) -> list[exp.Expr]:
    return [child for child in node.iter_expressions() if not isinstance(child, exp.Identifier)]


def _split_groups(select: exp.Select) -> None:
    _name_columns(select)
    aliases = {item.alias.upper() for item in select.expressions if isinstance(item, exp.Alias)}
    group = select.args.get("group")
    keys = list(group_keys(group)) if group is not None else []
    inner = _Inner("G")
    for key in keys:
        inner.column(key)
    for part in list(parts(select, *_OUTER)):
        for node in _found(part, lambda n: is_aggregate(n) or any(_same(n, key) for key in keys)):
            if isinstance(node.parent, exp.Ordered) and _is_alias(node, aliases):
                continue
            _put(node, inner.column(next((key for key in keys if _same(node, key)), node)), select)
        for column in [node for node in own(part) if isinstance(node, exp.Column)]:
            if not column.name.startswith("_G") and not is_constant(column):
                if column.find_ancestor(exp.Order) and _is_alias(column, aliases):
                    continue
                code, said = (979, "not a GROUP BY expression") if keys else (937, "not a single-group group function")
                raise OracleError(code, f'"{column.name.upper()}": {said}', place(column))
        for column in _correlated(part, select):
            match = next((key for key in keys if _same(column, key)), None)
            if match is None:
                raise OracleError(979, f'"{column.name.upper()}": not a GROUP BY expression', place(column))
            column.replace(inner.column(match))
    having = select.args.get("having")
    select.set("having", None)
    inner.block(select, ("from_", "joins", "where", "group", "laterals"), [])
    if having is not None:
        select.set("where", exp.Where(this=having.this))


def _split_analytics(select: exp.Select) -> None:
    _name_columns(select)
    aliases = {item.alias.upper() for item in select.expressions if isinstance(item, exp.Alias)}
    inner = _Inner("W")
    starred = False
    for part in list(parts(select, *_OUTER)):
        for node in _found(part, _is_analytic):
            _put(node, inner.column(node), select)
    for part in list(parts(select, *_OUTER)):
        for column in [node for node in own(part) if isinstance(node, exp.Column | exp.Star)]:
            if star(column) is not None:
                if isinstance(column, exp.Column) and len(list(sources_of(select))) > 1:
                    raise unsupported("TABLE.* beside a calculation with an analytic function over a join; name the columns")
                starred = True
                continue
            ordering = column.find_ancestor(exp.Order) is not None and _is_alias(column, aliases)
            if not (ordering or column.name.startswith("_W") or is_constant(column)):
                column.replace(inner.column(column))
        for column in _correlated(part, select):
            column.replace(inner.column(column))
    if starred:
        hidden = inner.hidden()
        for item in list(select.expressions):
            if star(item) is not None:
                item.replace(exp.Star(except_=hidden))
    inner.block(select, ("from_", "joins", "where", "group", "having", "qualify", "laterals"), [exp.Star()] if starred else [])


def _correlated(part: exp.Expr, select: exp.Select) -> list[exp.Column]:
    """The columns of a block's sources that queries inside one of its parts name."""
    sources = {source.alias_or_name.upper() for source in sources_of(select)}
    return [
        column
        for column in part.find_all(exp.Column)
        if column.table and column.table.upper() in sources and not _is_inner(column, select) and _is_nested(column, select)
    ]


def _is_nested(column: exp.Column, select: exp.Select) -> bool:
    return column.find_ancestor(exp.Query) is not select


def _is_inner(column: exp.Column, select: exp.Select) -> bool:
    """Whether a query inside the block has a source of that name itself."""
    block = column.find_ancestor(exp.Select)
    while block is not None and block is not select:
        if column.table.upper() in {source.alias_or_name.upper() for source in sources_of(block)}:
            return True
        block = block.find_ancestor(exp.Select)
    return False


def _put(node: exp.Expr, column: exp.Column, select: exp.Select) -> None:
    node.replace(exp.Alias(this=column, alias=quoted(node.alias_or_name)) if node.parent is select else column)


def group_keys(group: exp.Expr) -> Iterator[exp.Expr]:
    """The expressions that a GROUP BY names, in ROLLUP, CUBE and GROUPING SETS too."""
    for key in ("expressions", "rollup", "cube", "grouping_sets"):
        for item in group.args.get(key) or []:
            yield from _leaves(item)


def _leaves(item: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(item, exp.Tuple | exp.Rollup | exp.Cube | exp.GroupingSets):
        for part in item.expressions:
            yield from _leaves(part)
    elif isinstance(item, exp.Paren):
        yield from _leaves(item.this)
    else:
        yield item


def _same(node: exp.Expr, key: exp.Expr) -> bool:
    """Whether two expressions are the same; a column with its table in front is the same as without."""
    if isinstance(node, exp.Column) and isinstance(key, exp.Column):
        same_table = not node.table or not key.table or node.table.upper() == key.table.upper()
        return same_table and not isinstance(node.this, exp.Star) and node.name.upper() == key.name.upper()
    if type(node) is not type(key) or isinstance(node, exp.Literal):
        return False
    return node.sql("oracle", comments=False).upper() == key.sql("oracle", comments=False).upper()


def _is_alias(node: exp.Expr, aliases: set[str]) -> bool:
    return isinstance(node, exp.Column) and not node.table and node.name.upper() in aliases
