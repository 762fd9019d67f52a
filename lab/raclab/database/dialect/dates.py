"""Oracle's date formats: as DuckDB's for reading and writing, or as an expression where DuckDB's can't say it."""

import re
from collections.abc import Callable

from sqlglot import exp

from raclab.database.dialect import zones
from raclab.database.dialect.nodes import call, number, text
from raclab.database.oracle_error import OracleError, unsupported

_COUNTED = r"YYYY|YY|MM|DDD|DD|D|HH24|HH12|HH|MI|SS|Q|WW|IW|W"
_ELEMENT = re.compile(
    rf'"[^"]*"|(?:{_COUNTED})TH|FM|FX'
    r"|SYYYY|Y,YYY|YYYY|IYYY|RRRR|YYY|YY|RR|Y(?!EAR)|Q|MONTH|MON|MM|WW|IW|W|DDD|DD|DAY|DY|D|HH24|HH12|HH|MI|SSSSS|SS|FF[1-9]?"
    r"|A\.M\.|P\.M\.|AM|PM|CC|RM|AD|BC|A\.D\.|B\.C\.|TZH|TZM|TZR|J|[^A-Z0-9\"]+",
    re.IGNORECASE,
)

_OTHERS = re.compile(r"SP|YEAR|SYEAR|EE?|TS|D[SL]|X", re.IGNORECASE)

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
    if name.endswith("TH") and name != "MONTH":
        ordinal = call("ora.ordinal", writing(value.copy(), f"FM{element[:-2]}" if bare else element[:-2]))
        return ordinal if element[:2].isupper() else call("lower", ordinal)
    of: Callable[[str], exp.Expr] = lambda code: call("strftime", value.copy(), text(code))  # noqa: E731
    if name in ("MON", "DY", "MONTH", "DAY"):
        word = of({"MON": "%b", "DY": "%a", "MONTH": "%B", "DAY": "%A"}[name])
        word = call("upper", word) if element.isupper() else call("lower", word) if element.islower() else word
        return call("rpad", word, number(9), text(" ")) if name in ("MONTH", "DAY") and not bare else word
    if name in ("AM", "PM"):
        return call("lower", of("%p"))
    if name.replace(".", "") in ("AD", "BC"):  # no date of the lab is before our era
        era = "A.D." if "." in name else "AD"
        return text(era.lower() if element.islower() else era)
    if name in ("A.M.", "P.M."):
        dotted = call("replace", call("replace", of("%p"), text("AM"), text("A.M.")), text("PM"), text("P.M."))
        return call("lower", dotted) if element.islower() else dotted
    if name == "Y,YYY":
        return call("format", text("{:,}"), call("year", value.copy()))
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
