"""TO_DATE and TO_TIMESTAMP: a text read by a date format, as leniently as Oracle does without FX.

Any punctuation stands for any other, or for none where the digits are all there; a month may be a number, its short or its whole name; a
year of two digits in the format may have four; the time, or the end of it, may be left out.
"""

import re

from sqlglot import exp

from raclab.database.dialect.dates import elements, strftime_format
from raclab.database.dialect.nodes import call, cast, number, text

_WIDTHS = {"YYYY": r"\d{4}", "RRRR": r"\d{4}", "YY": r"\d\d", "RR": r"\d\d", "DDD": r"\d{3}", "SSSSS": r"\d{1,5}", "J": r"\d{1,7}"}
_WIDTHS["MON"] = "[A-Za-z]{3}"


def _counted(value: exp.Expr, model: str) -> exp.Expr:
    """A text read by a format with J, the Julian day, or SSSSS, the second of the day: the rest of it as usual, then these added."""
    parts = [element for element in elements(model) if element.upper() not in ("FM", "FX")]
    whole = "".join(f"({_WIDTHS.get(part.upper(), '[0-9]{1,2}')})" if part[0].isalpha() else re.escape(part.strip('"')) for part in parts)
    named = [part.upper() for part in parts if part[0].isalpha()]
    group = {name: call("regexp_extract", value.copy(), text(f"^{whole}$"), number(at)) for at, name in enumerate(named, 1)}
    rest = [name for name in named if name not in ("J", "SSSSS")]
    if "J" in group:
        begin: exp.Expr = call("ora.of_julian_day", group["J"])
    else:
        texts: list[exp.Expr] = [text(" ") if at % 2 else group[rest[at // 2]] for at in range(2 * len(rest) - 1)]
        begin = reading(call("concat", *(texts or [text("00")])), " ".join(rest) or "MI")
    return call("ora.at_second", begin, group["SSSSS"]) if "SSSSS" in group else begin


_DIGITS = {**dict.fromkeys(("YYYY", "RRRR"), r"\d{1,4}"), "YYY": r"\d{1,3}", "DDD": r"\d{1,3}", "FF": r"\d{1,9}"}
_WORDS, _WEEKDAYS = ("MON", "MONTH", "AM", "PM"), ("DY", "DAY")
_MONTHS = {"MM": ("%B", "%b", "%m"), "MON": ("%B", "%b"), "MONTH": ("%b", "%B")}
_TIMES = ("HH", "HH12", "HH24", "MI", "SS", "FF", "AM", "PM")
_BETWEEN = r"[^\p{L}\p{N}]*"


def reading(value: exp.Expr, model: str) -> exp.Expr:
    """An expression for the text ``value`` read by a format. What the format leaves out is the first of this month."""
    parts = [_plain(element) for element in elements(model)]
    if {"J", "SSSSS"} & {*parts}:
        return _counted(value, model)
    if "FX" in parts:
        return call("strptime", value, text(strftime_format(model)))
    now = "" if {"YYYY", "YYY", "RRRR", "YY", "RR"} & {*parts} else "%Y "
    now += "" if {"MM", "MON", "MONTH", "DDD"} & {*parts} else "%m "
    if not {"YY", "RR"} & {*parts}:
        return _read(value, parts, now)
    short = call("ora.in_century", _read(value, parts, now, "try_strptime"), exp.Boolean(this="RR" in parts))
    return call("coalesce", short, _read(value, [{"YY": "YYYY", "RR": "RRRR"}.get(part, part) for part in parts], now))


def _plain(element: str) -> str:
    """An element in capitals, meridians without points, fractions of a second without their digits."""
    name = element.upper()
    return element if element[0] == '"' else "FF" if re.fullmatch(r"FF\d", name) else name.replace(".", "") if name[0].isalpha() else name


def _read(value: exp.Expr, parts: list[str], now: str, function: str = "strptime") -> exp.Expr:
    """The text with one blank between what belongs to each element, read by strptime; years of two digits are from 1969 to 2068.

    ``now`` is the format of what is taken from the clock.
    """
    named = [part for part in parts if part[0].isalpha() and part not in ("FM", *_WEEKDAYS)]
    before_time = len(named)
    while before_time > 1 and named[before_time - 1] in _TIMES:
        before_time -= 1
    groups = " ".join(f"\\{number}" for number in range(1, len(named) + 2))
    bare = call("regexp_replace", value.copy(), text(r"([AaPp])\.([Mm])\."), text(r"\1\2")) if {"AM", "PM"} & {*named} else value.copy()
    even: exp.Expr = call("trim", call("regexp_replace", bare, text(_pattern(parts, named, before_time)), text(groups)))
    if now:
        even = exp.DPipe(this=call("strftime", call("ora.systimestamp"), text(now)), expression=even)
    codes = [strftime_format(part) if part != "FF" else "%n" for part in named]
    formats = [
        now + " ".join(month if part in _MONTHS else code for part, code in zip(named[:last], codes, strict=False))
        for month in next((_MONTHS[part] for part in named if part in _MONTHS), ("",))
        for last in range(before_time, len(named) + 1)
    ]
    read = call(function, even, exp.Array(expressions=[text(one) for one in formats]) if len(formats) > 1 else text(formats[0]))
    return cast(read, "TIMESTAMP") if "FF" in named else read


def _pattern(parts: list[str], named: list[str], before_time: int) -> str:
    """A regular expression with a group for each of the ``named`` elements, of which the last may be missing, and one for what is left."""
    pattern, place = r"^\s*", 0
    for part in parts:
        if part in named:
            group = f"{_BETWEEN if place else ''}({_taken(part)})"
            pattern += f"(?:{group}" if place >= before_time else group
            place += 1
        elif part in _WEEKDAYS:
            pattern += rf"{_BETWEEN}\pL+{_BETWEEN}"
        elif part[0] == '"':
            pattern += re.escape(part.strip('"')) if any(one.isalnum() for one in part) else _BETWEEN
    return pattern + ")?" * (place - before_time) + r"\s*(.*)$"


def _taken(part: str) -> str:
    """The pattern of what an element takes of a text."""
    if part == "MM":
        return r"\d{1,2}|\pL{3,9}"
    return r"\pL+" if part in _WORDS else _DIGITS.get(part, r"\d{1,2}")
