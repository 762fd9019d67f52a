"""NEXTVAL and CURRVAL: where they may stand, and one number for each row however often it is named there."""

from collections.abc import Iterable, Iterator, Mapping

from sqlglot import exp

from raclab.database.dialect.levels import is_aggregate
from raclab.database.dialect.names import Names
from raclab.database.dialect.nodes import call, is_sequence_number, made, template, text
from raclab.database.oracle_error import OracleError, unsupported

_NEXT, _CURRENT = "nextval", "currval"
_DRAWN, _ROW = "numbers_drawn", "row_drawn"


def check(tree: exp.Expr, names: Names) -> None:
    """Raises ORA-02287 for a number of a sequence where Oracle allows none."""
    for column in tree.find_all(exp.Column):
        if is_sequence_number(column) and not _allowed(column, tree):
            raise OracleError(2287, "sequence number not allowed here", names.offset_of(column.table))


def _allowed(column: exp.Column, tree: exp.Expr) -> bool:
    if any(is_aggregate(one) or isinstance(one, exp.Window) for one in _ancestors(column)):
        return False
    query = column.find_ancestor(exp.Select, exp.SetOperation)
    if query is None:
        return not any(isinstance(one, exp.Where) for one in _ancestors(column))
    within = next(one for one in (query, *_ancestors(query)) if one is tree or not isinstance(one, exp.Select | exp.Subquery))
    top = query is tree or (within is tree and isinstance(tree, exp.Insert | exp.Create | exp.MultitableInserts))
    item = next((one for one in (column, *_ancestors(column)) if one.parent is query), column)
    clauses = any(query.args.get(clause) for clause in ("distinct", "group", "having", "order"))
    return isinstance(query, exp.Select) and top and item.arg_key == "expressions" and not clauses


def _ancestors(node: exp.Expr) -> Iterator[exp.Expr]:
    while node.parent is not None:
        node = node.parent
        yield node


def once_a_row(tree: exp.Expr) -> exp.Expr:
    """A statement of DuckDB's in which each row draws one number of a sequence, wherever it names it. Raises ORA-03001."""
    for block in list(tree.find_all(exp.Select, exp.Tuple, exp.Update)):
        repeated = _repeated(block.expressions)
        if not repeated:
            continue
        if isinstance(block, exp.Update) or isinstance(tree, exp.Merge):
            raise unsupported("number of a sequence that an UPDATE or MERGE names more than once")
        if isinstance(block, exp.Select) and not _of_one_row(block):
            _drawn_below(block, repeated)
        else:
            for uses in repeated.values():
                _drawn_first(uses)
    return tree


def _repeated(items: Iterable[exp.Expr]) -> dict[str, list[exp.Anonymous]]:
    """By sequence: what names its number, where that is more than one place and a number is drawn in one of them."""
    found: dict[str, list[exp.Anonymous]] = {}
    for item in items:
        for node in item.walk(bfs=False, prune=lambda one: isinstance(one, exp.Query)):
            if isinstance(node, exp.Anonymous) and made(node) and node.name in (_NEXT, _CURRENT):
                found.setdefault(node.expressions[0].name, []).append(node)
    return {name: uses for name, uses in found.items() if len(uses) > 1 and any(one.name == _NEXT for one in uses)}


def _of_one_row(select: exp.Select) -> bool:
    source = select.args["from_"].this if select.args.get("from_") else None
    return isinstance(source, exp.Table) and source.name.upper() == "DUAL" and not select.args.get("joins")


def _drawn_first(uses: list[exp.Anonymous]) -> None:
    """DuckDB computes the items of a row from the left."""
    for place, one in enumerate(uses):
        one.set("this", _CURRENT if place else _NEXT)


def _drawn_below(select: exp.Select, repeated: Mapping[str, list[exp.Anonymous]]) -> None:
    """The rows with all their items as a query of their own, in which each row's numbers are drawn before its items are computed."""
    items, numbers, fields = list(select.expressions), [], []
    for place, (sequence, uses) in enumerate(repeated.items()):
        numbers.append(f"number_{place}: {call(_NEXT, text(sequence)).sql('duckdb')}")
        for one in uses:
            one.replace(exp.column(f"number_{place}", table=_DRAWN))
    for place, item in enumerate(items):
        fields.append(f"item_{place}: {item.unalias().sql('duckdb', comments=False)}")
    row = template(f"LIST_TRANSFORM([{{{', '.join(numbers)}}}], LAMBDA {_DRAWN}: {{{', '.join(fields)}}})[1] AS {_ROW}")
    below = select.copy()
    below.set("expressions", [row])
    for key in [key for key in select.args if key != "kind"]:
        select.set(key, None)
    shown = (exp.Dot(this=exp.column(_ROW), expression=exp.to_identifier(f"item_{place}")) for place in range(len(items)))
    select.set("expressions", [exp.alias_(one, item.alias_or_name, quoted=True) for one, item in zip(shown, items, strict=True)])
    select.set("from_", exp.From(this=below.subquery(_DRAWN)))
