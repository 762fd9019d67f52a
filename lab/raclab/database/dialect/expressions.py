"""Names, literals, operators and functions of an Oracle statement, one node at a time from the leaves up."""

import re
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from raclab.database.dialect import function_table, functions, kinds, scopes, sorted_aggregates, types, windows, zones
from raclab.database.dialect.functions import as_text
from raclab.database.dialect.names import Names
from raclab.database.dialect.nodes import call, cast, is_sequence_number, made, number, place, results, text
from raclab.database.dialect.operators import arithmetic, as_timestamp, same_kind
from raclab.database.oracle_error import OracleError, unsupported

_BARE, _JOINED = "bare", "joined"
_MOST_LEVELS = 13
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
_MICROSECONDS = {"DAY": 86_400_000_000, "HOUR": 3_600_000_000, "MINUTE": 60_000_000, "SECOND": 1_000_000}


def rewrite(tree: exp.Expr, names: Names) -> exp.Expr:
    """Rewrite every node of a statement for DuckDB. Returns the new root."""
    scopes.annotate(tree, names.columns_of)
    zoned = False
    for node in reversed(list(tree.walk(bfs=False))):
        if zoned:
            zones.pass_on(node)
        rule = _RULES.get(type(node))
        if rule is None or made(node):
            continue
        found = kinds.kind(node)
        try:
            new = rule(node, names)
        except OracleError as error:
            raise error if error.offset is not None else OracleError(error.code, error.message, place(node)) from None
        if new is node:
            continue
        kinds.keep(new, found)
        zoned = zoned or zones.zone_of(new) is not None
        if node is tree:
            tree = new
        else:
            node.replace(new)
    _check_depth(tree)
    return tree


_CHOSEN = frozenset(
    f"ora.{name}" for name in ("str", "num", "as_date", "as_timestamp", "plus", "minus", "over", "times", "trunc", "round", "nvl")
)


def _check_depth(tree: exp.Expr) -> None:
    """The engine takes twice as long for each level of functions that are chosen by the types of their arguments."""
    depths = {id(tree): 0}
    for node in tree.walk():
        depth = depths[id(node.parent)] if node is not tree else 0
        depths[id(node)] = depth + (isinstance(node, exp.Anonymous) and node.name in _CHOSEN)
        if depth > _MOST_LEVELS:
            raise unsupported("way to nest functions so deeply; put the inner ones into an inline view")


def _identifier(node: Any, names: Names) -> exp.Expr:
    if not node.args.get("quoted"):
        node.meta[_BARE] = True
        node.set("this", node.name.upper())
        node.set("quoted", True)
    return node  # type: ignore[no-any-return]


def _literal(node: Any, names: Names) -> exp.Expr:
    if node.is_string and node.name == "" and not isinstance(node.parent, exp.GroupConcat | exp.Escape):
        return exp.Null()
    return node  # type: ignore[no-any-return]


def _other_literal(node: Any, names: Names) -> exp.Expr:
    return text(node.name) if node.name else exp.Null()


def _placeholder(node: Any, names: Names) -> exp.Expr:
    if not node.args.get("this"):
        raise OracleError(911, "invalid character: ?")
    if not node.name[1:].isdecimal():  # no name that a variable can have, and therefore not numbered
        raise OracleError(1745, "invalid host/bind variable name")
    return exp.Parameter(this=number(int(node.name[1:]) + 1))


def _clock(macro: str) -> Callable[[Any, Names], exp.Expr]:
    return lambda node, names: call(macro)


def _column(node: Any, names: Names) -> exp.Expr:
    name, table = node.name.upper(), node.table
    if isinstance(node.this, exp.Star):
        return node  # type: ignore[no-any-return]
    if is_sequence_number(node):
        return call(name.lower(), text(names.sequence(node.args.get("db"), table)))
    if table.upper() == "DBMS_RANDOM":
        return functions.rewrite(f"DBMS_RANDOM.{name}", [], names.offset_of(name))
    if name == "ROWID" and node.this.meta.get(_BARE):
        return exp.Column(this=exp.to_identifier("rowid"), table=node.args.get("table"))
    if table or not node.this.meta.get(_BARE):
        return node  # type: ignore[no-any-return]
    pseudo = _PSEUDO.get(name)
    return pseudo() if pseudo else node


_PSEUDO: dict[str, Callable[[], exp.Expr]] = {
    "DBTIMEZONE": lambda: call("ora.time_zone"),
    "SESSIONTIMEZONE": lambda: call("ora.time_zone"),
    "SYSDATE": lambda: call("ora.sysdate"),
    "USER": lambda: text("LAB"),
    "UID": lambda: number(100),
}


def _operator(node: Any, names: Names) -> exp.Expr:
    zone = zones.zone_of(node.left) or zones.zone_of(node.right)
    if zone is None:
        return arithmetic(node)
    if all((kinds.kind(side) or "")[:1] in ("D", "S") for side in (node.left, node.right)):
        node.set("this", zones.local(node.left))
        node.set("expression", zones.local(node.right))
        for side in (node.left, node.right):
            kinds.keep(side, "S")
        return arithmetic(node)
    new = arithmetic(node)
    return zones.with_zone(new, zone) if "I" in ((kinds.kind(side) or "")[:1] for side in (node.left, node.right)) else new


def _concat(node: Any, names: Names) -> exp.Expr:
    """A chain of || as one call; null is the empty string in it."""
    pieces = [piece for side in (node.left, node.right) for piece in _pieces(side)]
    whole = call("ora.not_empty", call("concat", *pieces))
    whole.meta[_JOINED] = True
    return whole


def _pieces(side: Any) -> list[exp.Expr]:
    """What a chain of || joins; any other value as text."""
    inner = side
    while isinstance(inner, exp.Paren):
        inner = inner.this
    return list(inner.expressions[0].expressions) if inner.meta.get(_JOINED) else [as_text(side)]


def _like(node: Any, names: Names) -> exp.Expr:
    node.set("this", as_text(node.this))
    node.set("expression", as_text(node.expression))
    return node  # type: ignore[no-any-return]


def _cast(node: Any, names: Names) -> exp.Expr:
    value, kind = node.this, node.to
    if kind.this in types.ZONED:
        moment = as_timestamp(value)
        zone = zones.zone_of(value)
        if zone is None:
            return moment
        return zones.with_zone(moment, zone) if kind.this is exp.DType.TIMESTAMPTZ else zones.local(value)
    stored = types.stored(kind)
    if isinstance(value, exp.Literal) and value.is_string and stored == "TIMESTAMP" and (parts := zones.literal(value.name)):
        return zones.with_zone(cast(text(parts[0]), stored), text(parts[1]))
    if isinstance(value, exp.Literal) and value.is_string and _DATE.match(value.name) and stored in ("TIMESTAMP_S", "TIMESTAMP"):
        return cast(value, stored)
    if stored == "VARCHAR":
        size = types.length(kind)
        shown = call("ora.str", value) if zones.zone_of(value) is None else as_text(value)
        return shown if size is None else call("left", shown, number(size))
    plain = cast(value, "VARCHAR") if isinstance(value, exp.Literal) and value.is_string else value
    if stored == "TIMESTAMP_S":
        return call("ora.as_date", plain)
    if stored == "TIMESTAMP":
        return call("ora.as_timestamp", plain)
    if stored == types.NUMBER:
        return call("ora.num", plain)
    return cast(call("ora.num", plain), stored) if stored.startswith("DECIMAL") else cast(plain, stored)


def _interval(node: Any, names: Names) -> exp.Expr:
    unit, value = node.args.get("unit"), node.this
    if not isinstance(value, exp.Literal):
        return value  # type: ignore[no-any-return]
    if unit is None:
        raise OracleError(30089, "missing or invalid <datetime field>: an interval has a unit, e.g. INTERVAL '5' MINUTE")
    first = (unit.this.name if isinstance(unit, exp.IntervalSpan) else unit.name).upper()
    last = unit.expression.name.upper() if isinstance(unit, exp.IntervalSpan) else first
    said = value.name.strip()
    sign = -1 if said.startswith("-") else 1
    numbers = [float(part) for part in re.findall(r"\d+(?:\.\d+)?", said)]
    if first in ("YEAR", "MONTH"):
        scales = [12, 1][0 if first == "YEAR" else 1 :]
        return call("to_months", cast(number(sign * int(sum(n * s for n, s in zip(numbers, scales, strict=False)))), "INTEGER"))
    if first not in _MICROSECONDS or last not in _MICROSECONDS or not numbers:
        raise OracleError(1867, "the interval is invalid")
    steps = list(_MICROSECONDS.values())[list(_MICROSECONDS).index(first) :]
    total = sign * round(sum(n * s for n, s in zip(numbers, steps, strict=False)))
    return call("to_microseconds", cast(number(total), "BIGINT"))


def _extract(node: Any, names: Names) -> exp.Expr:
    unit = node.this.name.upper()
    if unit in ("TIMEZONE_HOUR", "TIMEZONE_MINUTE"):
        minutes = zones.minutes(node.expression)
        return call("trunc", exp.Div(this=minutes, expression=number(60))) if unit == "TIMEZONE_HOUR" else call("ora.rest_of_hour", minutes)
    if unit == "TIMEZONE_REGION":
        return zones.region(node.expression)
    if (kinds.kind(node.expression) or "")[:1] == "I" and unit in ("DAY", "HOUR", "MINUTE", "SECOND"):
        return call("ora.interval_part", node.expression, text(unit))
    if unit == "SECOND":
        return call("ora.seconds_of", node.expression)
    if unit not in ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE"):
        raise unsupported(f"EXTRACT of {unit}")
    return call("datepart", text(unit.lower()), node.expression)


def _at_time_zone(node: Any, names: Names) -> exp.Expr:
    value = node.this if zones.zone_of(node.this) is not None else call("ora.as_timestamp", node.this)
    return zones.in_zone(value, as_text(node.args["zone"]))


def _trim(node: Any, names: Names) -> exp.Expr:
    macro = {"LEADING": "ora.ltrim", "TRAILING": "ora.rtrim"}.get(str(node.args.get("position") or "").upper(), "ora.trim")
    marks = [as_text(node.expression)] if node.expression else []
    return call(macro, as_text(node.this), *marks)


def _function(node: Any, names: Names) -> exp.Expr:
    if isinstance(node.parent, exp.Dot) or "." in node.name:
        return node  # type: ignore[no-any-return]
    if isinstance(node.parent, exp.Table):
        raise unsupported(f"table functions ({node.name.upper()})")
    upper = node.name.upper()
    window = node.find_ancestor(exp.Window, exp.Query)
    if isinstance(node.parent, exp.WithinGroup) and upper in sorted_aggregates.HYPOTHETICAL:
        return node  # type: ignore[no-any-return]
    if upper in function_table.ANALYTIC_ONLY and not isinstance(window, exp.Window):
        raise OracleError(30484, f"missing window specification for this function: {upper}", names.offset_of(node.name))
    return windows.called(node, functions.rewrite(upper, list(node.expressions), names.offset_of(node.name)))


def _dot(node: Any, names: Names) -> exp.Expr:
    called = node.expression
    if isinstance(called, exp.Anonymous):
        name = f"{node.this.name.upper()}.{called.name.upper()}"
        return functions.rewrite(name, list(called.expressions), names.offset_of(node.this.name))
    return node  # type: ignore[no-any-return]


def _case(node: Any, names: Names) -> exp.Expr:
    if any(kinds.kind(result) == "T" for result in results(node)):
        for part in node.args["ifs"]:
            part.set("true", as_text(part.args["true"]))
        if node.args.get("default") is not None:
            node.set("default", as_text(node.args["default"]))
    return node  # type: ignore[no-any-return]


def _comparison(node: Any, names: Names) -> exp.Expr:
    """``= ANY (a, b)`` and ``> ALL (a, b)`` over a list are comparisons with each of it."""
    right = node.expression
    if not isinstance(right, exp.Any | exp.All) or not isinstance(right.this, exp.Tuple | exp.Paren) or right.this.find(exp.Query):
        return node  # type: ignore[no-any-return]
    values = right.this.expressions if isinstance(right.this, exp.Tuple) else [right.this.this]
    joined: exp.Expr | None = None
    join = exp.Or if isinstance(right, exp.Any) else exp.And
    for value in values:
        one = type(node)(this=node.this.copy(), expression=value)
        joined = one if joined is None else join(this=joined, expression=one)
    return exp.Paren(this=joined)


def _compared(node: Any, names: Names) -> exp.Expr:
    """Both sides of a comparison as one kind. SET x = 5 compares nothing."""
    if isinstance(node.parent, exp.Update) and node.arg_key == "expressions":
        return node  # type: ignore[no-any-return]
    sides = ("this", "low", "high") if isinstance(node, exp.Between) else ("this", "expression")
    for side in sides:
        if zones.zone_of(node.args[side]) is not None:
            node.set(side, kinds.keep(zones.local(node.args[side]), "S"))
    same_kind(node, sides)
    return node if isinstance(node, exp.Between) else _comparison(node, names)


def _in(node: Any, names: Names) -> exp.Expr:
    if node.expressions and not isinstance(node.this, exp.Tuple):
        same_kind(node, ("this", "expressions"))
    return node  # type: ignore[no-any-return]


def _subquery(node: Any, names: Names) -> exp.Expr:
    if node.args.get("sample") is not None:
        raise OracleError(933, "SQL command not properly ended: SAMPLE is for tables and views, not for queries")
    return node  # type: ignore[no-any-return]


def _table(node: Any, names: Names) -> exp.Expr:
    sample = node.args.get("sample")
    if sample is not None:  # by rows: the lab's tables have no blocks of their own
        share = sample.args.get("percent")
        if not isinstance(share, exp.Literal) or share.is_string or not 0.000001 <= float(share.name) < 100:
            raise OracleError(30562, "invalid SAMPLE percentage: it is at least 0.000001 and below 100")
        sample.set("method", exp.Var(this="BERNOULLI"))
    return names.table(node)


_RULES: dict[type[exp.Expr], Callable[[Any, Names], exp.Expr]] = {
    exp.Identifier: _identifier,
    exp.Literal: _literal,
    exp.RawString: _other_literal,
    exp.National: _other_literal,
    exp.Placeholder: _placeholder,
    exp.Systimestamp: _clock("ora.systimestamp"),
    exp.CurrentTimestamp: _clock("ora.systimestamp"),
    exp.Localtimestamp: _clock("ora.systimestamp"),
    exp.CurrentDate: _clock("ora.sysdate"),
    exp.Column: _column,
    exp.Add: _operator,
    exp.Sub: _operator,
    exp.Mul: _operator,
    exp.Div: _operator,
    exp.DPipe: _concat,
    exp.Like: _like,
    exp.Cast: _cast,
    exp.Interval: _interval,
    exp.Extract: _extract,
    exp.AtTimeZone: _at_time_zone,
    exp.Trim: _trim,
    exp.Anonymous: _function,
    exp.Dot: _dot,
    exp.Window: lambda node, names: windows.rewrite(node),
    exp.WithinGroup: lambda node, names: sorted_aggregates.percentile(node),
    exp.GroupConcat: lambda node, names: sorted_aggregates.listagg(node),
    exp.Case: _case,
    exp.EQ: _compared,
    exp.NEQ: _compared,
    exp.LT: _compared,
    exp.LTE: _compared,
    exp.GT: _compared,
    exp.GTE: _compared,
    exp.Between: _compared,
    exp.In: _in,
    exp.Table: _table,
    exp.Subquery: _subquery,
}
