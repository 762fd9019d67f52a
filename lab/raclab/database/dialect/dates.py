"""Oracle's date formats: as DuckDB's for reading and writing, or as an expression where DuckDB's can't say it."""

import re
from collections.abc import Callable

from sqlglot import exp

from raclab.database.dialect import zones
from raclab.database.dialect.nodes import call, number, text
from raclab.database.oracle_error import OracleError, unsupported

_ELEMENT = re.compile(
    r'"[^"]*"|FM|FX|SYYYY|YYYY|IYYY|RRRR|YYY|YY|RR|Y|Q|MONTH|MON|MM|WW|IW|W|DDD|DD|DAY|DY|D|HH24|HH12|HH|MI|SSSSS|SS|FF[1-9]?'
    r"|A\.M\.|P\.M\.|AM|PM|CC|RM|TZH|TZM|TZR|J|[^A-Z0-9]+",
    re.IGNORECASE,
)

_OTHERS = re.compile(r"TH|SP|RN|YEAR|SYEAR|[BA]\.?[CD]\.?|EE?|TS|D[SL]|X|[90]*\.?[90]+EEEE", re.IGNORECASE)

_WRITE = {
    "YYYY": "%Y", "RRRR": "%Y", "YY": "%y", "RR": "%y", "IYYY": "%G", "IW": "%V", "MM": "%m", "DD": "%d", "DDD": "%j",
    "HH": "%I", "HH12": "%I", "HH24": "%H", "MI": "%M", "SS": "%S", "AM": "%p", "PM": "%p", "FF": "%f", "FF6": "%f", "FF9": "%n",
}  # fmt: skip
_READ = {
    **{name: code for name, code in _WRITE.items() if name not in ("IYYY", "IW")},
    **{"MON": "%b", "MONTH": "%B", "DY": "%a", "DAY": "%A", "FF3": "%g"},
}
_NO_ZERO = {"%m": "%-m", "%d": "%-d", "%I": "%-I", "%H": "%-H", "%M": "%-M", "%S": "%-S", "%j": "%-j", "%y": "%-y"}


def elements(model: str) -> list[str]:
    """The elements of a date format. Raises ORA-01821 where it is none."""
    found, at = [], 0
    while at < len(model):
        match = _ELEMENT.match(model, at)
        if match is None and _OTHERS.match(model, at):
            raise unsupported(f'"{model[at:]}" in a format')
        if match is None:
            raise OracleError(1821, f'date format not recognized: "{model[at:]}" in "{model}"')
        found.append(match.group())
        at = match.end()
    return found


def strftime_format(model: str) -> str:
    """A format for DuckDB's strftime and strptime. Raises ORA-01821 for elements that these don't have."""
    return "".join(_read_element(element, model) for element in elements(model))


def _read_element(element: str, model: str) -> str:
    if element.upper() in ("FM", "FX"):
        return ""
    if element.upper() in _READ:
        return _READ[element.upper()]
    if element[0].isalpha():
        raise OracleError(1821, f'date format not recognized: "{element}" in "{model}" can\'t be read by the simulated cluster')
    return element.strip('"').replace("%", "%%")


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


def reading(value: exp.Expr, model: str) -> exp.Expr:
    """TO_TIMESTAMP: an expression for the text ``value`` read by a format. What the format leaves out is the first of this month."""
    named = {element.upper() for element in elements(model)}
    if {"J", "SSSSS"} & named:
        return _counted(value, model)
    if {"YY", "RR"} & named:
        return call("ora.in_century", _read(value, model), exp.Boolean(this="RR" in named))
    return _read(value, model)


def _read(value: exp.Expr, model: str) -> exp.Expr:
    """The same for a format that strptime has; a year of two digits is taken from 1969 to 2068."""
    pattern = strftime_format(model)
    if not any(code in pattern for code in ("%Y", "%y", "%m", "%b", "%B", "%d", "%j")):
        month = call("strftime", call("ora.systimestamp"), text("%Y-%m-01 "))
        return call("strptime", call("concat", month, value), text("%Y-%m-%d " + pattern))
    shorter = [pattern]
    for code in ("%S", "%M", "%H", "%I"):  # a text may leave out the time, or the end of it
        at = shorter[-1].find(code)
        if at > 0:
            shorter.append(shorter[-1][:at].rstrip(" :.T-"))
    if len(shorter) == 1 or not any(code in shorter[-1] for code in ("%Y", "%y")):
        return call("strptime", value, text(pattern))
    return call("strptime", value, exp.Array(expressions=[text(one) for one in reversed(dict.fromkeys(shorter))]))


def writing(value: exp.Expr, model: str) -> exp.Expr:
    """TO_CHAR: an expression for the text of a date in a format."""
    parts: list[exp.Expr] = []
    plain = ""
    bare = False
    for element in elements(model):
        name = element.upper()
        if name in ("FM", "FX"):
            bare = bare != (name == "FM")
        elif name in _WRITE and (name not in ("AM", "PM") or element.isupper()):
            plain += _NO_ZERO.get(_WRITE[name], _WRITE[name]) if bare else _WRITE[name]
        elif not element[0].isalpha():
            plain += element.strip('"').replace("%", "%%")
        else:
            if plain:
                parts.append(call("strftime", value.copy(), text(plain)))
            parts.append(_piece(value, element, bare))
            plain = ""
    if plain or not parts:
        parts.append(call("strftime", value.copy(), text(plain)))
    whole = parts[0]
    for part in parts[1:]:
        whole = exp.DPipe(this=whole, expression=part)
    return exp.Paren(this=whole) if len(parts) > 1 else whole


def _piece(value: exp.Expr, element: str, bare: bool) -> exp.Expr:
    """An element that one code of strftime can't give."""
    name = element.upper()
    of: Callable[[str], exp.Expr] = lambda code: call("strftime", value.copy(), text(code))  # noqa: E731
    if name in ("MON", "DY", "MONTH", "DAY"):
        word = of({"MON": "%b", "DY": "%a", "MONTH": "%B", "DAY": "%A"}[name])
        word = call("upper", word) if element.isupper() else call("lower", word) if element.islower() else word
        return call("rpad", word, number(9), text(" ")) if name in ("MONTH", "DAY") and not bare else word
    if name in ("AM", "PM"):
        return call("lower", of("%p"))
    if name in ("A.M.", "P.M."):
        dotted = call("replace", call("replace", of("%p"), text("AM"), text("A.M.")), text("PM"), text("P.M."))
        return call("lower", dotted) if element.islower() else dotted
    if name in ("YYY", "Y"):
        return call("right", of("%Y"), number(len(name)))
    if name == "TZR":
        return zones.region(value)
    if name in ("TZH", "TZM"):
        return call("ora.zone_hour" if name == "TZH" else "ora.zone_minute", zones.minutes(value))
    if name == "CC":
        return call("lpad", exp.Cast(this=call("century", value.copy()), to=exp.DataType.build("TEXT")), number(2), text("0"))
    if name == "RM":
        roman = call("ora.roman_month", value.copy())
        return roman if bare else call("rpad", roman, number(4), text(" "))
    if name == "SYYYY":
        return call("concat", text(" "), of("%Y"))
    if name.startswith("FF"):
        return call("left", of("%f"), number(int(name[2:]))) if int(name[2:]) <= 6 else call("left", of("%n"), number(int(name[2:])))
    counted = {
        "Q": "quarter",
        "D": "ora.day_number",
        "WW": "ora.week_of_year",
        "W": "ora.week_of_month",
        "J": "ora.julian_day",
        "SSSSS": "ora.second_of_day",
    }
    digits = {"WW": 2, "J": 7, "SSSSS": 5}.get(name, 1)
    shown = exp.Cast(this=call(counted[name], value.copy()), to=exp.DataType.build("TEXT"))
    return shown if bare else call("lpad", shown, number(digits), text("0"))


_UNITS = {
    "year": "SYYYY YYYY YEAR SYEAR YYY YY Y", "quarter": "Q", "month": "MONTH MON MM RM", "week": "IW", "day": "DDD DD J",
    "hour": "HH HH12 HH24", "minute": "MI", "second": "SS",
}  # fmt: skip


def unit_of_trunc(model: str) -> str | None:
    """DuckDB's unit for a format of TRUNC, or None where it has none."""
    return next((unit for unit, models in _UNITS.items() if model.upper() in models.split()), None)
