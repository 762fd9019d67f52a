"""Timestamps that have a time zone of their own: FROM_TZ, AT TIME ZONE, literals with a zone.

Such a value is the time on the clock of its zone, and its node says which zone that is. Where a value would lose it, in a column or an
argument of a function that does not heed it, the statement is refused: as a time of the session's own zone it would be wrong.
"""

import re

from sqlglot import exp

from raclab.database.dialect.nodes import call, text
from raclab.database.oracle_error import unsupported

_KEY = "zone"
_LITERAL = re.compile(r"(?P<time>\d{4}-\d{1,2}-\d{1,2} [\d:.]+)\s*(?P<zone>[+-]\d{1,2}:\d{2}|[A-Za-z]\w*(?:/\w+)*)", re.ASCII)
_ELEMENTS = re.compile(r"\s*(?:TZH:?TZM|TZR)\s*$", re.IGNORECASE)
_PASSING = (exp.Alias, exp.Paren)
_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between)
_HEEDING = (exp.AtTimeZone, exp.Cast, exp.Extract, exp.Add, exp.Sub, exp.DPipe, *_COMPARISONS)
_HEEDING_FUNCTIONS = ("TO_CHAR", "SYS_EXTRACT_UTC", "TRUNC", "ROUND", "ADD_MONTHS", "LAST_DAY", "NEXT_DAY", "MONTHS_BETWEEN")


def zone_of(node: exp.Expr) -> exp.Expr | None:
    """The zone of a value, or None where it is in the session's."""
    return node.meta.get(_KEY)


def with_zone(value: exp.Expr, zone: exp.Expr) -> exp.Expr:
    """A time on the clock of a zone."""
    value.meta[_KEY] = zone
    return value


def literal(said: str) -> tuple[str, str] | None:
    """Time and zone of the text of a timestamp literal that has a zone, else None."""
    match = _LITERAL.fullmatch(said.strip())
    return (match["time"], match["zone"]) if match else None


def utc(value: exp.Expr) -> exp.Expr:
    """A timestamp by the clock of UTC."""
    zone = zone_of(value)
    return call("ora.utc", value) if zone is None else call("ora.to_utc", value, zone.copy())


def local(value: exp.Expr) -> exp.Expr:
    """A timestamp by the session's clock."""
    return value if zone_of(value) is None else call("ora.of_utc", utc(value))


def in_zone(value: exp.Expr, zone: exp.Expr) -> exp.Expr:
    """A timestamp by the clock of another zone."""
    return with_zone(call("ora.in_zone", utc(value), zone), zone)


def minutes(value: exp.Expr) -> exp.Expr:
    """How many minutes a timestamp's zone is ahead of UTC at that time."""
    zone = zone_of(value)
    return call("ora.session_minutes") if zone is None else call("ora.zone_minutes", value.copy(), zone.copy())


def region(value: exp.Expr) -> exp.Expr:
    """The name of a timestamp's zone."""
    zone = zone_of(value)
    return call("ora.time_zone") if zone is None else zone.copy()


def split_model(model: str) -> str | None:
    """A format without the zone at its end, or None where it has none."""
    return _ELEMENTS.sub("", model) if _ELEMENTS.search(model) else None


def written_zone(value: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
    """A text's time, and the zone that stands at its end."""
    tail = text(r"\s*([+-]\d{1,2}:?\d{2}|[A-Za-z]\w*(/\w+)*)\s*$")
    return call("regexp_replace", value, tail, text("")), call("regexp_extract", value.copy(), tail.copy(), exp.Literal.number(1))


def pass_on(node: exp.Expr) -> None:
    """Called for a node whose parts have been rewritten: hand a zone on, or refuse what would lose it."""
    zoned = next((child for child in node.iter_expressions() if zone_of(child) is not None), None)
    if zoned is None or isinstance(node, _HEEDING):
        return
    if isinstance(node, _PASSING):
        with_zone(node, zoned.meta[_KEY])
    elif isinstance(node, exp.Anonymous) and node.name.upper() in _HEEDING_FUNCTIONS:
        return
    elif not (isinstance(node, exp.Select) and node.parent is None):
        raise unsupported("timestamp with a time zone of its own in such a place; CAST it AS TIMESTAMP there")
