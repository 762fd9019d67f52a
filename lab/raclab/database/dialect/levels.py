"""Query blocks in which an operator or a function works on an aggregate or an analytic function.

The lab's macros are chosen by the types of their arguments, and DuckDB knows the type of an aggregate only where it stands alone in a
column of an inner block. So such a block becomes two: the inner one groups, the outer one calculates. The same is then done for
analytic functions, which come after grouping.
"""

from collections.abc import Callable, Iterator

from sqlglot import exp

from raclab.database.dialect.function_table import AGGREGATES
from raclab.database.dialect.nodes import own, place, pseudocolumn, quoted
from raclab.database.oracle_error import OracleError, unsupported

_WORKS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.DPipe, exp.Cast, exp.Like, exp.Extract, exp.Trim, exp.Anonymous, exp.Case, exp.Interval)
_OUTER = ("expressions", "having", "order")
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


def _parts(select: exp.Select) -> Iterator[exp.Expr]:
    """The expressions of a block that are computed after grouping."""
    for key in _OUTER:
        value = select.args.get(key)
        yield from value if isinstance(value, list) else [value] if value is not None else []


def _found(root: exp.Expr, test: Test) -> list[exp.Expr]:
    """The outermost nodes of the block under ``root`` that a test finds."""
    found: list[exp.Expr] = []
    for node in root.walk(prune=lambda n: test(n) or (n is not root and isinstance(n, exp.Query))):
        if test(node):
            found.append(node)
    return found


def _works_on(select: exp.Select, test: Test) -> bool:
    for part in _parts(select):
        for node in _found(part, test):
            above = node.parent
            while above is not None and above is not select:
                if isinstance(above, _WORKS):
                    return True
                above = above.parent
    return False


def _name_columns(select: exp.Select) -> None:
    for item in list(select.expressions):
        if isinstance(item, exp.Column) and not isinstance(item.this, exp.Star):
            heading = item.name if item.this.args.get("quoted") else item.name.upper()
            item.replace(exp.Alias(this=item.copy(), alias=quoted(heading)))


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
        select.set("from_", exp.From(this=exp.Subquery(this=inner, alias=exp.TableAlias(this=quoted(f"_{self._mark}")))))


def _split_nested(select: exp.Select) -> None:
    """``max(sum(x)) ... group by y``: the groups go into an inner block, and the outer one has all of them in one."""
    group = select.args.get("group")
    aggregates = [node for part in _parts(select) for node in _found(part, is_aggregate)]
    nested = [node for node in aggregates if any(is_aggregate(inner) for inner in own(node) if inner is not node)]
    if group is None or not nested:
        return
    if len(nested) < len(aggregates) or select.args.get("having") or select.args.get("order"):
        raise OracleError(937, "not a single-group group function")
    inner = _Inner("N")
    for outer in nested:
        for node in [found for argument in _arguments(outer) for found in _found(argument, is_aggregate)]:
            node.replace(inner.column(node))
    inner.block(select, ("from_", "joins", "where", "group", "laterals"), [])


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
    for part in list(_parts(select)):
        for node in _found(part, lambda n: is_aggregate(n) or any(_same(n, key) for key in keys)):
            if isinstance(node.parent, exp.Ordered) and _is_alias(node, aliases):
                continue
            _put(node, inner.column(next((key for key in keys if _same(node, key)), node)), select)
        for column in [node for node in own(part) if isinstance(node, exp.Column)]:
            if not column.name.startswith("_G") and not _is_constant(column):
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
    for part in list(_parts(select)):
        for node in _found(part, _is_analytic):
            _put(node, inner.column(node), select)
    for part in list(_parts(select)):
        for column in [node for node in own(part) if isinstance(node, exp.Column | exp.Star)]:
            if isinstance(column, exp.Star) or isinstance(column.this, exp.Star):
                if isinstance(column, exp.Column) and len(list(_sources(select))) > 1:
                    raise unsupported("TABLE.* beside a calculation with an analytic function over a join; name the columns")
                starred = True
                continue
            ordering = column.find_ancestor(exp.Order) is not None and _is_alias(column, aliases)
            if not (ordering or column.name.startswith("_W") or _is_constant(column)):
                column.replace(inner.column(column))
        for column in _correlated(part, select):
            column.replace(inner.column(column))
    if starred:
        hidden = inner.hidden()
        for item in list(select.expressions):
            if isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star)):
                item.replace(exp.Star(except_=hidden))
    inner.block(select, ("from_", "joins", "where", "group", "having", "qualify", "laterals"), [exp.Star()] if starred else [])


def _correlated(part: exp.Expr, select: exp.Select) -> list[exp.Column]:
    """The columns of a block's sources that queries inside one of its parts name."""
    sources = {source.alias_or_name.upper() for source in _sources(select)}
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
        if column.table.upper() in {source.alias_or_name.upper() for source in _sources(block)}:
            return True
        block = block.find_ancestor(exp.Select)
    return False


def _put(node: exp.Expr, column: exp.Column, select: exp.Select) -> None:
    node.replace(exp.Alias(this=column, alias=quoted(node.alias_or_name)) if node.parent is select else column)


def _sources(select: exp.Select) -> Iterator[exp.Expr]:
    if select.args.get("from_"):
        yield select.args["from_"].this
    for join in select.args.get("joins") or []:
        yield join.this


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


def _is_constant(column: exp.Expr) -> bool:
    """Whether what looks like a column is the same for every row."""
    return any(pseudocolumn(column, name) for name in ("SYSDATE", "USER", "UID"))


def _is_alias(node: exp.Expr, aliases: set[str]) -> bool:
    return isinstance(node, exp.Column) and not node.table and node.name.upper() in aliases
