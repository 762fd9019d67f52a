"""Operators between values of known kinds as DuckDB's own; where a kind is not known, the lab's macro chooses when the statement runs.

Macros are bound anew for each level of nesting, twice as often at each: a chain of twenty additions must not be twenty macros.
"""

from sqlglot import exp

from raclab.database.dialect.kinds import is_number, kind, of_product
from raclab.database.dialect.nodes import call, cast, not_too_large, number, text

_MACROS = {exp.Add: "ora.plus", exp.Sub: "ora.minus", exp.Mul: "ora.times", exp.Div: "ora.over"}


def arithmetic(node: exp.Binary) -> exp.Expr:
    """``+ - * /`` of two values that have been rewritten already."""
    left, right = node.left, node.right
    first, second = kind(left), kind(right)
    if _counts(first) and _counts(second):
        return _of_numbers(node, as_number(left), as_number(right))
    if isinstance(node, exp.Add | exp.Sub):
        found = _of_dates(node, left, right, first, second)
        if found is not None:
            return found
    return call(_MACROS[type(node)], wide(left), wide(right))


def _counts(found: str | None) -> bool:
    return is_number(found) or found == "T"


def as_number(value: exp.Expr) -> exp.Expr:
    """A value as a number."""
    found = kind(value)
    if found == "T":
        if isinstance(value, exp.Literal):
            return cast(call("trim", value), "DECIMAL(38, 10)")
        return call("ora.num_of_text", value) if isinstance(value, exp.Column) else cast(call("trim", value), "DECIMAL(38, 10)")
    return wide(value) if is_number(found) else call("ora.num", value)


def as_date(value: exp.Expr) -> exp.Expr:
    """A value as Oracle turns it into a date by itself."""
    return call("ora.as_date", _typed(value))


def as_timestamp(value: exp.Expr) -> exp.Expr:
    """A value as Oracle turns it into a timestamp by itself."""
    return call("ora.as_timestamp", _typed(value))


def _typed(value: exp.Expr) -> exp.Expr:
    """A literal with a type, by which the lab's macros choose."""
    return cast(value, "VARCHAR") if isinstance(value, exp.Literal) else value


def wide(value: exp.Expr) -> exp.Expr:
    """A whole literal as a wide integer, so that 24*60*60*1000000 does not overflow."""
    return cast(value, "BIGINT") if isinstance(value, exp.Literal) and value.is_int and len(value.name) < 19 else value


def _of_numbers(node: exp.Binary, left: exp.Expr, right: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Mul) and of_product(kind(node.left), kind(node.right)) == "F":
        left, right = cast(left, "DOUBLE"), cast(right, "DOUBLE")
    node.set("this", left)
    node.set("expression", right)
    if isinstance(node, exp.Div) and not surely_not_zero(right):
        zero = exp.EQ(this=not_too_large(right).copy(), expression=number(0))
        return exp.Case(ifs=[exp.If(this=zero, true=call("error", text("ORA-01476")))], default=node.copy())
    return node


def surely_not_zero(value: exp.Expr) -> bool:
    """Whether a value is a literal number other than zero."""
    if isinstance(value, exp.Cast):
        value = value.this
    return isinstance(value, exp.Literal) and not value.is_string and float(value.name) != 0


def _of_dates(node: exp.Binary, left: exp.Expr, right: exp.Expr, first: str | None, second: str | None) -> exp.Expr | None:
    if first is None or second is None:
        return None
    kinds = first[0] + second[0]
    if isinstance(node, exp.Add) and kinds[1] in "DS":
        left, right, kinds = right, left, kinds[::-1]
    if kinds[0] in "DS" and _counts(kinds[1]):
        days = call("ora.days", as_number(right))
        return cast(type(node)(this=left, expression=days), "TIMESTAMP_S")
    if kinds[0] in "DS" and kinds[1] == "I":
        moved = type(node)(this=left, expression=right)
        return cast(moved, "TIMESTAMP_S") if kinds[0] == "D" else exp.Paren(this=moved)
    if kinds == "DD" and isinstance(node, exp.Sub):
        micros = exp.Sub(this=call("epoch_us", left), expression=call("epoch_us", right))
        return exp.Paren(this=exp.Div(this=exp.Paren(this=micros), expression=number(86_400_000_000)))
    if kinds in ("SD", "DS", "SS") and isinstance(node, exp.Sub):
        return exp.Paren(this=exp.Sub(this=cast(left, "TIMESTAMP"), expression=cast(right, "TIMESTAMP")))
    return None


def same_kind(node: exp.Expr, sides: tuple[str, ...]) -> None:
    """Turn the sides of a comparison into one kind, as Oracle does: a text beside a number is a number, beside a date a date."""
    values = [value for side in sides for value in (node.args[side] if isinstance(node.args[side], list) else [node.args[side]])]
    found = {kind(value) for value in values}
    if any(is_number(one) for one in found):
        wanted = as_number
    elif found & {"D", "S"} and "T" in found:
        wanted = as_date
    else:
        return
    for value in values:
        if isinstance(value, exp.Query | exp.Any | exp.All | exp.Tuple):
            continue
        if kind(value) == "T" or (kind(value) is None and wanted is as_number and isinstance(value, exp.Column)):
            where, place = value.parent, value.arg_key
            new = wanted(value.copy())
            if where is not None and place is not None:
                value.replace(new)
