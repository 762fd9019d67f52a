"""Aggregates that look at an order: KEEP (DENSE_RANK FIRST or LAST), PERCENTILE_CONT and _DISC, LISTAGG; grouping or analytic."""

from typing import Any

from sqlglot import exp

from raclab.database.dialect import kinds
from raclab.database.dialect.functions import as_text
from raclab.database.dialect.nodes import call, cast, number, template, text
from raclab.database.oracle_error import OracleError, unsupported

_LONGEST = 4000  # bytes
_OVERFLOW = "overflow"
_APART = "\x1f"  # the unit separator, between values that are counted
_KEPT = ("max", "min", "sum", "avg", "count")


def keep(node: Any) -> exp.Expr:
    """KEEP: the aggregate of the rows that have the least or the greatest key, as one that groups."""
    return _kept(node, None)


def keep_over(node: Any) -> exp.Expr:
    """KEEP with OVER (PARTITION BY ...): the same for each row's partition."""
    if node.args.get("order") is not None or node.args.get("spec") is not None:
        raise unsupported("KEEP ... OVER with an order of its own")
    return _kept(node.this, node.args.get("partition_by") or [])


def _kept(node: Any, partition: list[exp.Expr] | None) -> exp.Expr:
    function, order = node.this, node.args.get("order")
    said = function.name.lower() if isinstance(function, exp.Anonymous) else ""
    if said not in _KEPT or order is None or node.args.get("partition_by"):
        raise unsupported("KEEP with anything but MAX, MIN, SUM, AVG or COUNT and DENSE_RANK FIRST or LAST ORDER BY")
    # The way that all keys are sorted: that of a key that can't be turned round, else of the first one.
    down = bool(next((one for one in order.expressions if not _turns(one)), order.expressions[0]).args.get("desc"))
    turned = [_turned(one, down) for one in order.expressions]
    key = call("row", *turned) if len(turned) > 1 else turned[0]
    extreme = "min" if bool(node.args.get("first")) != down else "max"
    value = function.expressions[0] if not isinstance(function.expressions[0], exp.Star) else number(1)
    rows: exp.Expr = call("list", template("{'k': :key, 'v': :value}"))
    best: exp.Expr = call(extreme, key.copy())
    if partition is not None:
        rows, best = (
            exp.Window(this=one, partition_by=[part.copy() for part in partition], over="OVER") if partition else _over_all(one)
            for one in (rows, best)
        )
    kept = template(f"list_aggregate(list_transform(list_filter(:rows, LAMBDA r : r.k = :best), LAMBDA r : r.v), '{said}')")
    return exp.replace_placeholders(exp.replace_placeholders(kept, rows=rows, best=best), key=key, value=value)


def _over_all(one: exp.Expr) -> exp.Expr:
    return exp.Window(this=one, over="OVER")


def _turns(ordered: exp.Expr) -> bool:
    found = kinds.kind(ordered.this)
    return found is not None and found[0] in "NFDS"


def _turned(ordered: exp.Expr, down: bool) -> exp.Expr:
    """A further key, turned round where it sorts the other way than the first."""
    if bool(ordered.args.get("desc")) == down:
        return ordered.this  # type: ignore[no-any-return]
    if not _turns(ordered):
        raise unsupported("KEEP with keys that sort in different directions, unless all but one are numbers or dates")
    value = call("epoch_us", ordered.this) if str(kinds.kind(ordered.this))[0] in "DS" else ordered.this
    return exp.Neg(this=exp.Paren(this=value))


def percentile_over(node: Any) -> exp.Expr:
    """PERCENTILE_CONT or _DISC (...) WITHIN GROUP (ORDER BY ...) OVER (...)."""
    within = node.this
    ordered = within.expression.expressions[0]
    share = within.this.expressions[0]
    if ordered.args.get("desc"):
        share = exp.Sub(this=number(1), expression=share)
    value = precise(within.this.name, ordered.this)
    node.set("this", call(within.this.name, value, cast(share, "DOUBLE")))
    return node  # type: ignore[no-any-return]


HYPOTHETICAL = ("RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST")


def _hypothetical(node: Any) -> exp.Expr:
    """RANK (value) WITHIN GROUP (ORDER BY ...) and the like: the place that a row with this value would have."""
    said, values, order = node.this.name.upper(), node.this.expressions, node.expression.expressions
    if len(values) != len(order):
        raise OracleError(909, f"invalid number of arguments: {said} has {len(values)}, its ORDER BY {len(order)}")
    if len(order) > 1:
        raise unsupported(f"{said} WITHIN GROUP with more than one key")
    down = bool(order[0].args.get("desc"))
    sign = ">" if down else "<"
    before = f"(:key {sign} :value{' OR :key IS NULL' if down else ''})"
    sql = {
        "RANK": f"1 + count(CASE WHEN {before} THEN 1 END)",
        "DENSE_RANK": f"1 + count(DISTINCT CASE WHEN :key {sign} :value THEN :key END)",
        "PERCENT_RANK": f"coalesce(count(CASE WHEN {before} THEN 1 END) / nullif(count(*), 0), 0)",
        "CUME_DIST": f"(count(CASE WHEN {before} OR :key = :value THEN 1 END) + 1) / (count(*) + 1)",
    }[said]
    return exp.Paren(this=exp.replace_placeholders(template(sql), key=order[0].this, value=values[0]))


def percentile(node: Any) -> exp.Expr:
    """PERCENTILE_CONT or _DISC that groups, or the rank of a value."""
    if node.this.name.upper() in HYPOTHETICAL:
        return _hypothetical(node)
    for ordered in node.expression.expressions:
        ordered.set("this", precise(node.this.name, ordered.this))
    return node  # type: ignore[no-any-return]


def precise(function: str, value: exp.Expr) -> exp.Expr:
    """What lies between two exact numbers has more digits than these."""
    return cast(value, "DOUBLE") if function == "quantile_cont" and kinds.is_number(kinds.kind(value)) else value


def listagg(node: Any) -> exp.Expr:
    """LISTAGG; nulls are left out, and text is made of what is not."""
    overflow = node.args.get("on_overflow")
    node.set("on_overflow", None)
    if isinstance(overflow, exp.OverflowTruncateBehavior):
        node.meta[_OVERFLOW] = overflow
    order = node.this if isinstance(node.this, exp.Order) else None
    value = order.this if order is not None else node.this
    shown = exp.Distinct(expressions=[as_text(value.expressions[0])]) if isinstance(value, exp.Distinct) else as_text(value)
    if order is not None:
        order.set("this", shown)
    else:
        node.set("this", shown)
    if isinstance(shown, exp.Distinct) and order is not None:
        order.set(
            "expressions", [exp.Ordered(this=shown.expressions[0].copy(), desc=one.args.get("desc")) for one in order.expressions[:1]]
        )
    if node.args.get("separator") is None:
        node.set("separator", text(""))
    return node if isinstance(node.parent, exp.Window) else limited(node, node)


def limited(whole: Any, aggregate: exp.Expr) -> exp.Expr:
    """A LISTAGG, alone or with its OVER, that fails or is cut where its text is longer than Oracle's VARCHAR2."""
    too_long = exp.GT(this=call("strlen", whole.copy()), expression=number(_LONGEST))
    overflow = aggregate.meta.get(_OVERFLOW)
    instead = call("error", text("ORA-01489")) if overflow is None else _truncated(whole, aggregate, overflow)
    return exp.Case(ifs=[exp.If(this=too_long, true=instead)], default=whole.copy())


def _truncated(whole: Any, aggregate: Any, overflow: Any) -> exp.Expr:
    """The first values that leave room for the indicator, then it and how many are left out."""
    pieces = exp.GroupConcat(this=aggregate.this.copy(), separator=text(_APART))
    joined: exp.Expr = pieces
    if whole is not aggregate:
        joined = whole.copy()
        joined.set("this", pieces)
    indicator = overflow.this if isinstance(overflow.this, exp.Literal) else text("...")
    counted = overflow.args.get("with_count") is not False
    return call("ora.truncated", joined, aggregate.args["separator"].copy(), indicator.copy(), exp.Boolean(this=counted), number(_LONGEST))
