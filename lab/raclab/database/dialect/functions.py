"""Oracle's functions: which there are, how many arguments they take, and what computes them in DuckDB.

A function that is not here is unknown to the simulated cluster: ORA-00904, as Oracle says of a function that it does not know.
Most become a call of a DuckDB function or of a macro in ``oracle_functions.sql``; the few that need more are in ``_SPECIAL``.
"""

import re
from collections.abc import Callable
from decimal import Context, Decimal

from sqlglot import exp

from raclab.database.dialect import date_reading, dates, kinds, numbers, zones
from raclab.database.dialect.function_table import PLAIN
from raclab.database.dialect.nodes import call, cast, grouped, not_too_large, number, text
from raclab.database.dialect.operators import as_date, as_number, as_timestamp, surely_not_zero
from raclab.database.oracle_error import OracleError, unsupported

Arguments = list[exp.Expr]


def rewrite(name: str, arguments: Arguments, offset: int | None = None) -> exp.Expr:
    """The DuckDB expression for a call of an Oracle function, whose arguments have been rewritten already.

    Where that is an operator, or an argument that is one, it has parentheses. Raises OracleError: ORA-00904 unknown function, ORA-00938
    or 00939 for a wrong number of arguments.
    """
    upper = name.upper()
    if upper in _SPECIAL:
        return grouped(_SPECIAL[upper](arguments))
    plain = PLAIN.get(upper)
    if plain is None:
        _refuse(upper, offset)
        raise OracleError(904, f'"{upper}": invalid identifier (the simulated cluster has no such function)', offset)
    repeated = plain.arguments.endswith("+")
    required, _, optional = plain.arguments.rstrip("+").partition("|")
    letters = required + optional
    if repeated:
        letters += letters[-1] * (len(arguments) - len(letters))
    _needs(upper, arguments, len(required), len(letters), offset)
    return call(plain.target, *(_as(kind, value) for kind, value in zip(letters, arguments, strict=False)))


_ELSEWHERE = {
    "XML": "XML", "JSON": "JSON", "CURSOR": "CURSOR expressions", "DUMP": "DUMP", "NEW_TIME": "time zones by name",
    "DBMS_": "PL/SQL packages in a query, but for DBMS_RANDOM.VALUE, DBMS_RANDOM.STRING and DBMS_LOB",
}  # fmt: skip


def _refuse(name: str, offset: int | None) -> None:
    """ORA-03001 for functions that Oracle has and the lab does not mean to have."""
    for start, said in _ELSEWHERE.items():
        if name.startswith(start) and name != "DBMS_LOCK.SLEEP":
            raise unsupported(f"{said} ({name})", offset)


def _as(kind: str, value: exp.Expr) -> exp.Expr:
    """An argument converted as Oracle converts it by itself."""
    literal = isinstance(value, exp.Literal)
    found = kinds.kind(value)
    if isinstance(value, exp.Star | exp.Distinct | exp.Null) or kind == ".":
        return value
    if kind == "s":
        if found == "T":
            return value
        if literal:
            return value if value.is_string else text(_written(value.name))
        if found == "F":
            return call("ora.str_of_binary", value)
        zone = zones.zone_of(value)
        if zone is not None:
            return call("concat", call("ora.str", value), text(" "), zone.copy())
        if found in ("I6", "I9"):
            return call("ora.interval_text", value, number(9), number(int(found[1])))
        if kinds.is_number(found):
            return cast(value, "VARCHAR") if found == "N0" else call("ora.trimmed", cast(value, "VARCHAR"))
        return call("ora.str", value)
    if kind == "d":
        return value if found == "D" else as_date(value)
    if kind == "i" and not (literal and value.is_int) and not isinstance(value, exp.Neg):
        return cast(call("trunc", as_number(value)), "INTEGER")
    if kind == "n" and not (literal and not value.is_string):
        return as_number(value)
    return value


def _written(digits: str) -> str:
    """A literal number as Oracle writes it: no exponent, no zero before the point or at the end."""
    plain = format(Decimal(digits), "f")
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return plain[1:] if plain.startswith("0.") else plain or "0"


def as_text(value: exp.Expr) -> exp.Expr:
    """A value as Oracle turns it into text by itself."""
    return _as("s", value)


def _needs(name: str, arguments: Arguments, least: int, most: int, offset: int | None = None) -> None:
    if not least <= len(arguments) <= most:
        code = 938 if len(arguments) < least else 939
        raise OracleError(code, f"{'not enough' if code == 938 else 'too many'} arguments for function {name}", offset)


def _model(name: str, arguments: Arguments) -> str | None:
    """The format argument, which has to be a literal."""
    if len(arguments) < 2 or isinstance(arguments[1], exp.Null):
        return None
    if not (isinstance(arguments[1], exp.Literal) and arguments[1].is_string):
        raise unsupported(f"{name} with a format that is not a literal")
    return str(arguments[1].this)


def _to_char(arguments: Arguments) -> exp.Expr:
    _needs("TO_CHAR", arguments, 1, 3)
    model = _model("TO_CHAR", arguments)
    if model is None:
        return as_text(arguments[0])
    value = arguments[0]
    if numbers.is_number_format(model):
        return numbers.writing(call("ora.num", value), model)
    moment = as_timestamp(value)
    zone = zones.zone_of(value)
    return dates.writing(moment if zone is None else zones.with_zone(moment, zone), model)


def _to_date(arguments: Arguments) -> exp.Expr:
    _needs("TO_DATE", arguments, 1, 3)
    model = _model("TO_DATE", arguments)
    if model is None:
        return _as("d", arguments[0])
    if re.search(r"FF\d?|TZ[HMR]", re.sub('"[^"]*"', "", model), re.IGNORECASE):
        raise OracleError(1821, f'date format not recognized: a date has no fractions of a second and no zone, and "{model}" has')
    return cast(date_reading.reading(as_text(arguments[0]), model), "TIMESTAMP_S")


def _to_timestamp(arguments: Arguments) -> exp.Expr:
    _needs("TO_TIMESTAMP", arguments, 1, 3)
    model = _model("TO_TIMESTAMP", arguments)
    if model is None:
        return as_timestamp(arguments[0])
    return date_reading.reading(as_text(arguments[0]), model)


def _to_timestamp_tz(arguments: Arguments) -> exp.Expr:
    _needs("TO_TIMESTAMP_TZ", arguments, 1, 3)
    model = _model("TO_TIMESTAMP_TZ", arguments)
    bare = zones.split_model(model) if model is not None else None
    if bare is None:
        return _to_timestamp(arguments)
    time, zone = zones.written_zone(as_text(arguments[0]))
    return zones.with_zone(date_reading.reading(time, bare), zone)


def _from_tz(arguments: Arguments) -> exp.Expr:
    _needs("FROM_TZ", arguments, 2, 2)
    return zones.with_zone(as_timestamp(arguments[0]), as_text(arguments[1]))


def _sys_extract_utc(arguments: Arguments) -> exp.Expr:
    _needs("SYS_EXTRACT_UTC", arguments, 1, 1)
    return zones.utc(arguments[0])


def _to_number(arguments: Arguments) -> exp.Expr:
    _needs("TO_NUMBER", arguments, 1, 3)
    model = _model("TO_NUMBER", arguments)
    if model is None:
        return call("ora.num", cast(arguments[0], "VARCHAR") if _is_text(arguments[0]) else arguments[0])
    if "X" in model.upper():
        return cast(call("concat", text("0x"), as_text(arguments[0])), "BIGINT")
    bare = call("regexp_replace", as_text(arguments[0]), text("[,$+> ]"), text(""), text("g"))
    if numbers.ends_with_sign(model):  # 12- and <12>
        bare = call("regexp_replace", bare, text(r"^<(.*)$|^(.*)-$"), text(r"-\1\2"))
    return call("ora.num", bare)


def _is_text(value: exp.Expr) -> bool:
    return isinstance(value, exp.Literal) and bool(value.is_string)


def _decode(arguments: Arguments) -> exp.Expr:
    _needs("DECODE", arguments, 3, 999)
    subject, *rest = arguments
    pairs = list(zip(rest[::2], rest[1::2], strict=False))
    default = rest[-1] if len(rest) % 2 else None
    as_words = kinds.kind(pairs[0][1]) == "T"
    if any(kinds.is_number(kinds.kind(search)) for search, _ in pairs[:1]) and kinds.kind(subject) == "T":
        subject = as_number(subject)
    shown = as_text if as_words else lambda value: value
    return exp.Case(
        ifs=[
            exp.If(this=exp.NullSafeEQ(this=not_too_large(subject).copy(), expression=search), true=shown(result))
            for search, result in pairs
        ],
        default=shown(default) if default is not None else None,
    )


def _nvl2(arguments: Arguments) -> exp.Expr:
    _needs("NVL2", arguments, 3, 3)
    value, present, absent = arguments
    known = exp.Not(this=exp.Is(this=value, expression=exp.Null()))
    return exp.Case(ifs=[exp.If(this=known, true=present)], default=as_text(absent) if kinds.kind(present) == "T" else absent)


def _coalesce(arguments: Arguments) -> exp.Expr:
    _needs("COALESCE", arguments, 2, 999)
    return call("coalesce", *arguments)


def _lnnvl(arguments: Arguments) -> exp.Expr:
    _needs("LNNVL", arguments, 1, 1)
    return exp.Not(this=call("coalesce", arguments[0], exp.Boolean(this=False)))


def _extreme(name: str) -> Callable[[Arguments], exp.Expr]:
    def build(arguments: Arguments) -> exp.Expr:
        _needs(name.upper(), arguments, 1, 999)
        unknown: exp.Expr = exp.Is(this=not_too_large(arguments[0]).copy(), expression=exp.Null())
        for argument in arguments[1:]:
            unknown = exp.Or(this=unknown, expression=exp.Is(this=not_too_large(argument).copy(), expression=exp.Null()))
        return exp.Case(ifs=[exp.If(this=unknown, true=exp.Null())], default=call(name, *arguments))

    return build


def _rounding(name: str) -> Callable[[Arguments], exp.Expr]:
    def build(arguments: Arguments) -> exp.Expr:
        _needs(name.upper(), arguments, 1, 2)
        value, digits = arguments[0], arguments[1:]
        found = kinds.kind(value)
        if found in ("D", "S") and name == "trunc":
            unit = dates.unit_of_trunc(str(digits[0].this) if digits and _is_text(digits[0]) else "DD" if not digits else "")
            if unit:
                return cast(call("date_trunc", text(unit), value), "TIMESTAMP_S")
        if not kinds.is_number(found) and found != "T":
            return call(f"ora.{name}", value, *([_as("i", digits[0])] if digits and not _is_text(digits[0]) else digits))
        to = [_as("i", digits[0])] if digits else []
        return call(f"ora.{name}_binary", value, *(to or [number(0)])) if found == "F" else call(name, as_number(value), *to)

    return build


def _whole(name: str) -> Callable[[Arguments], exp.Expr]:
    """CEIL and FLOOR: of a binary number as its 15 digits say, so that (b - a) * 24 of two hours apart is 2 and not below."""

    def build(arguments: Arguments) -> exp.Expr:
        _needs(name.upper(), arguments, 1, 1)
        value = as_number(arguments[0])
        return call(name, call("ora.exact", value) if kinds.kind(arguments[0]) == "F" else value)

    return build


def _mod(arguments: Arguments) -> exp.Expr:
    _needs("MOD", arguments, 2, 2)
    value, divisor = as_number(arguments[0]), as_number(arguments[1])
    if not surely_not_zero(divisor):
        return call("ora.mod", value, divisor)
    return exp.Mod(this=grouped(value), expression=divisor)


def _bitand(arguments: Arguments) -> exp.Expr:
    _needs("BITAND", arguments, 2, 2)
    return exp.BitwiseAnd(this=cast(arguments[0], "BIGINT"), expression=cast(arguments[1], "BIGINT"))


def _substr(arguments: Arguments) -> exp.Expr:
    _needs("SUBSTR", arguments, 2, 3)
    value, rest = as_text(arguments[0]), arguments[1:]
    if all(isinstance(one, exp.Literal) and not one.is_string and one.is_int for one in rest) and int(rest[-1].name) > 0:
        first = rest[0] if int(rest[0].name) else number(1)
        return call("ora.not_empty", call("substring", value, first, *rest[1:]))
    return call("ora.substr", value, *(_as("i", one) for one in rest))


def _lob_substr(arguments: Arguments) -> exp.Expr:
    """DBMS_LOB.SUBSTR: how much comes before from where."""
    _needs("DBMS_LOB.SUBSTR", arguments, 1, 3)
    amount, offset = [*arguments[1:], *(number(32767), number(1))[len(arguments) - 1 :]]
    return _substr([arguments[0], offset, amount])


def _sys_guid(arguments: Arguments) -> exp.Expr:
    _needs("SYS_GUID", arguments, 0, 0)
    return call("unhex", call("replace", cast(call("uuid"), "VARCHAR"), text("-"), text("")))


def _sysdate(arguments: Arguments) -> exp.Expr:
    _needs("SYSDATE", arguments, 0, 0)
    return call("ora.sysdate")


def _uid(arguments: Arguments) -> exp.Expr:
    _needs("UID", arguments, 0, 0)
    return number(100)


def _nvl(arguments: Arguments) -> exp.Expr:
    _needs("NVL", arguments, 2, 2)
    value, other = arguments
    found = kinds.kind(value)
    if found == "T":  # an empty text is one too
        return call("coalesce", value, as_text(other))
    if isinstance(value, exp.Null):
        return other
    if kinds.is_number(found):
        return call("coalesce", value, as_number(other) if kinds.kind(other) == "T" else other)
    both = found in ("D", "S") and kinds.kind(other) in ("D", "S")
    return call("coalesce" if both else "ora.nvl", value, other)


_HASHES = {"SHA1": "sha1", "SHA256": "sha256", "MD5": "md5"}


def _standard_hash(arguments: Arguments) -> exp.Expr:
    _needs("STANDARD_HASH", arguments, 1, 2)
    method = (_model("STANDARD_HASH", arguments) or "SHA1").upper()
    if method not in _HASHES or kinds.kind(arguments[0]) not in ("T", None):
        raise unsupported("STANDARD_HASH of anything but text, or by a method other than SHA1, SHA256 and MD5")
    return call("unhex", call(_HASHES[method], as_text(arguments[0])))


def _median(arguments: Arguments) -> exp.Expr:
    _needs("MEDIAN", arguments, 1, 1)
    return call("median", cast(arguments[0], "DOUBLE") if kinds.is_number(kinds.kind(arguments[0])) else arguments[0])


_EXACT_DIGITS = 38


def _power(arguments: Arguments) -> exp.Expr:
    _needs("POWER", arguments, 2, 2)
    base, exponent = arguments
    if all(isinstance(one, exp.Literal) and one.is_int for one in arguments):
        power = Context(prec=_EXACT_DIGITS, traps=[]).power(Decimal(base.name), Decimal(exponent.name))
        if power.is_finite() and power < Decimal(10) ** _EXACT_DIGITS:
            return number(int(power))
    return call("power", _as("n", base), _as("n", exponent))


_SPECIAL: dict[str, Callable[[Arguments], exp.Expr]] = {
    "BITAND": _bitand,
    "CEIL": _whole("ceil"),
    "COALESCE": _coalesce,
    "DBMS_LOB.SUBSTR": _lob_substr,
    "DECODE": _decode,
    "FLOOR": _whole("floor"),
    "FROM_TZ": _from_tz,
    "GREATEST": _extreme("greatest"),
    "LEAST": _extreme("least"),
    "LNNVL": _lnnvl,
    "MEDIAN": _median,
    "MOD": _mod,
    "NVL": _nvl,
    "NVL2": _nvl2,
    "POWER": _power,
    "ROUND": _rounding("round"),
    "SUBSTR": _substr,
    "SYSDATE": _sysdate,
    "SYS_EXTRACT_UTC": _sys_extract_utc,
    "SYS_GUID": _sys_guid,
    "TO_CHAR": _to_char,
    "TO_DATE": _to_date,
    "TO_NUMBER": _to_number,
    "TO_TIMESTAMP": _to_timestamp,
    "TO_TIMESTAMP_TZ": _to_timestamp_tz,
    "TRUNC": _rounding("trunc"),
    "STANDARD_HASH": _standard_hash,
    "UID": _uid,
}
