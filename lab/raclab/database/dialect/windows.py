"""Functions over a window, so far as DuckDB's differ: IGNORE NULLS, RATIO_TO_REPORT, STDDEV of one row, RANGE over dates, KEEP."""

from typing import Any

from sqlglot import exp

from raclab.database.dialect import kinds, sorted_aggregates
from raclab.database.dialect.nodes import call, number
from raclab.database.oracle_error import OracleError

_RATIO, _OF_ONE_KEY = "ratio", "of one"
_OF_ONE = {"STDDEV": "stddev_pop", "VARIANCE": "var_pop"}
"""What is 0 of a single value, where the functions of a sample are null."""


def called(node: exp.Anonymous, new: exp.Expr) -> exp.Expr:
    """The call of a function as ``new`` has it in DuckDB, with what its window, if it stands in one, has to know of it."""
    name = node.name.upper()
    if name == "RATIO_TO_REPORT":
        new.meta[_RATIO] = True
    if name not in _OF_ONE:
        return new
    if node.arg_key == "this" and isinstance(node.parent, exp.Window):
        new.meta[_OF_ONE_KEY] = _OF_ONE[name]
        return new
    return call("coalesce", new, call(_OF_ONE[name], *(one.copy() for one in new.expressions)))


def rewrite(node: Any) -> exp.Expr:
    """OVER, and KEEP, of a function that has been rewritten already."""
    inner = node.this
    _frame(node)
    if str(node.args.get("over")).upper() == "KEEP":
        analytic = isinstance(node.parent, exp.Window) and node.arg_key == "this"  # left for the OVER around it
        return node if analytic else sorted_aggregates.keep(node)
    if isinstance(inner, exp.Window):
        return sorted_aggregates.keep_over(node)
    if isinstance(inner, exp.WithinGroup):
        return sorted_aggregates.percentile_over(node)
    if isinstance(inner, exp.GroupConcat):
        return sorted_aggregates.limited(node, inner)
    if inner.meta.get(_OF_ONE_KEY):
        single = node.copy()
        single.set("this", call(inner.meta[_OF_ONE_KEY], *(one.copy() for one in inner.expressions)))
        return call("coalesce", node.copy(), single)
    said = _nulls(inner)
    if said is not None:
        node.set("this", said)
        return node  # type: ignore[no-any-return]
    if isinstance(inner, exp.Anonymous) and inner.meta.get(_RATIO):
        return call("ora.over", inner.expressions[0].copy(), call("nullif", node.copy(), number(0)))
    return node  # type: ignore[no-any-return]


_SKIPPING: dict[str, tuple[type[exp.Expr], tuple[str, ...]]] = {
    "first_value": (exp.FirstValue, ("this",)),
    "last_value": (exp.LastValue, ("this",)),
    "nth_value": (exp.NthValue, ("this", "offset")),
    "lag": (exp.Lag, ("this", "offset", "default")),
    "lead": (exp.Lead, ("this", "offset", "default")),
}


def _nulls(inner: Any) -> exp.Expr | None:
    """A function with IGNORE NULLS or RESPECT NULLS, behind it or behind its first argument, as DuckDB has it; else None."""
    function = inner.this if isinstance(inner, exp.IgnoreNulls | exp.RespectNulls) else inner
    arguments = list(function.expressions) if isinstance(function, exp.Anonymous) else []
    said = inner if inner is not function else arguments[0] if arguments else None
    if not isinstance(said, exp.IgnoreNulls | exp.RespectNulls):
        return None
    if said is not inner:
        arguments[0] = said.this
        function.set("expressions", arguments)
    if isinstance(said, exp.RespectNulls):
        return function  # type: ignore[no-any-return]
    if function.name not in _SKIPPING:
        raise OracleError(30484, f"missing window specification for this function: {function.name.upper()} has no IGNORE NULLS")
    kind, places = _SKIPPING[function.name]
    return exp.IgnoreNulls(this=kind(**dict(zip(places, arguments, strict=False))))


def _frame(node: Any) -> None:
    """RANGE BETWEEN n PRECEDING over dates: a number is days."""
    spec, order = node.args.get("spec"), node.args.get("order")
    if spec is None or order is None or str(spec.args.get("kind")).upper() != "RANGE":
        return
    if kinds.kind(order.expressions[0].this) not in ("D", "S"):
        return
    for side in ("start", "end"):
        bound = spec.args.get(side)
        if isinstance(bound, exp.Expr) and kinds.is_number(kinds.kind(bound)):
            spec.set(side, call("ora.days", bound))
