"""Names, literals, operators and functions of an Oracle statement, one node at a time from the leaves up."""

import re
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from raclab.database.dialect import function_table, functions, kinds, scopes, sorted_aggregates, types
from raclab.database.dialect.functions import as_text
from raclab.database.dialect.names import Names
from raclab.database.dialect.nodes import call, cast, made, number, place, text
from raclab.database.dialect.operators import arithmetic, same_kind
from raclab.database.oracle_error import OracleError, unsupported

_BARE, _JOINED = "bare", "joined"
_MOST_LEVELS = 13
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
_MICROSECONDS = {"DAY": 86_400_000_000, "HOUR": 3_600_000_000, "MINUTE": 60_000_000, "SECOND": 1_000_000}


def rewrite(tree: exp.Expr, names: Names) -> exp.Expr:
    """Rewrite every node of a statement for DuckDB. Returns the new root."""
    scopes.annotate(tree, names.columns_of)
    for node in reversed(list(tree.walk(bfs=False))):
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
        if node is tree:
            tree = new
        else:
            node.replace(new)
    _check_depth(tree)
    return tree


def _check_depth(tree: exp.Expr) -> None:
    """The engine takes twice as long for each level of the lab's own functions."""
    depths = {id(tree): 0}
    for node in tree.walk():
        depth = depths[id(node.parent)] if node is not tree else 0
        depths[id(node)] = depth + (isinstance(node, exp.Anonymous) and node.name.startswith("ora."))
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
    return exp.Parameter(this=number(int(node.name[1:]) + 1))


def _clock(macro: str) -> Callable[[Any, Names], exp.Expr]:
    return lambda node, names: call(macro)


def _column(node: Any, names: Names) -> exp.Expr:
    name, table = node.name.upper(), node.table
    if isinstance(node.this, exp.Star):
        return node  # type: ignore[no-any-return]
    if name in ("NEXTVAL", "CURRVAL") and table:
        return call(name.lower(), text(names.sequence(node.args.get("db"), table)))
    if table.upper() == "DBMS_RANDOM":
        return functions.rewrite(f"DBMS_RANDOM.{name}", [], names.offset_of(name))
    if table or not node.this.meta.get(_BARE):
        return node  # type: ignore[no-any-return]
    if name == "ROWID":
        return exp.Column(this=exp.to_identifier("rowid"))
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
    return arithmetic(node)


def _concat(node: Any, names: Names) -> exp.Expr:
    """A chain of || as one call; null is the empty string in it."""
    pieces = [piece for side in (node.left, node.right) for piece in side.meta.get(_JOINED) or [as_text(side)]]
    whole = call("nullif", call("concat", *pieces), text(""))
    whole.meta[_JOINED] = pieces
    return whole


def _like(node: Any, names: Names) -> exp.Expr:
    node.set("this", as_text(node.this))
    node.set("expression", as_text(node.expression))
    return node  # type: ignore[no-any-return]


def _cast(node: Any, names: Names) -> exp.Expr:
    value, kind = node.this, node.to
    stored = types.stored(kind)
    if isinstance(value, exp.Literal) and value.is_string and _DATE.match(value.name) and stored in ("TIMESTAMP_S", "TIMESTAMP"):
        return cast(value, stored)
    if stored == "VARCHAR":
        size = types.length(kind)
        return call("ora.str", value) if size is None else call("left", call("ora.str", value), number(size))
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
    if unit == "SECOND":
        return call("ora.seconds_of", node.expression)
    if unit not in ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE"):
        raise unsupported(f"EXTRACT of {unit}")
    return call("datepart", text(unit.lower()), node.expression)


def _at_time_zone(node: Any, names: Names) -> exp.Expr:
    return call("ora.at_zone", call("ora.as_timestamp", node.this), as_text(node.args["zone"]))


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
    if upper in function_table.ANALYTIC_ONLY and not isinstance(window, exp.Window):
        raise OracleError(30484, f"missing window specification for this function: {upper}", names.offset_of(node.name))
    new = functions.rewrite(upper, list(node.expressions), names.offset_of(node.name))
    if upper == "RATIO_TO_REPORT":
        new.meta["ratio"] = True
    return new


def _dot(node: Any, names: Names) -> exp.Expr:
    called = node.expression
    if isinstance(called, exp.Anonymous):
        name = f"{node.this.name.upper()}.{called.name.upper()}"
        return functions.rewrite(name, list(called.expressions), names.offset_of(node.this.name))
    return node  # type: ignore[no-any-return]


def _window(node: Any, names: Names) -> exp.Expr:
    inner = node.this
    if str(node.args.get("over")).upper() == "KEEP":
        analytic = isinstance(node.parent, exp.Window) and node.arg_key == "this"  # left for the OVER around it
        return node if analytic else sorted_aggregates.keep(node)
    if isinstance(inner, exp.Window):
        return sorted_aggregates.keep_over(node)
    if isinstance(inner, exp.WithinGroup):
        return sorted_aggregates.percentile_over(node)
    if isinstance(inner, exp.GroupConcat):
        return sorted_aggregates.limited(node, inner)
    if isinstance(inner, exp.IgnoreNulls | exp.RespectNulls):
        function = inner.this
        if isinstance(inner, exp.IgnoreNulls) and isinstance(function, exp.Anonymous) and function.expressions:
            *before, last = function.expressions
            function.set("expressions", [*before, exp.IgnoreNulls(this=last)])
        node.set("this", function)
        return node  # type: ignore[no-any-return]
    if isinstance(inner, exp.Anonymous) and inner.meta.get("ratio"):
        share = call("ora.over", inner.expressions[0].copy(), call("nullif", node.copy(), number(0)))
        return share
    return node  # type: ignore[no-any-return]


def _case(node: Any, names: Names) -> exp.Expr:
    results = [part.args["true"] for part in node.args["ifs"]]
    if node.args.get("default") is not None:
        results.append(node.args["default"])
    if any(kinds.kind(result) == "T" for result in results):
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
    same_kind(node, ("this", "low", "high") if isinstance(node, exp.Between) else ("this", "expression"))
    return node if isinstance(node, exp.Between) else _comparison(node, names)


def _in(node: Any, names: Names) -> exp.Expr:
    if node.expressions and not isinstance(node.this, exp.Tuple):
        same_kind(node, ("this", "expressions"))
    return node  # type: ignore[no-any-return]


def _table(node: Any, names: Names) -> exp.Expr:
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
    exp.Window: _window,
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
}
