"""Oracle's functions: which there are, how many arguments they take, and what computes them in DuckDB.

A function that is not here is unknown to the simulated cluster: ORA-00904, as Oracle says of a function that it does not know.
Most become a call of a DuckDB function or of a macro in ``oracle_functions.sql``; the few that need more are in ``_SPECIAL``.
"""

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from raclab.database.dialect import dates, numbers
from raclab.database.dialect.nodes import call, cast, number, text
from raclab.database.oracle_error import OracleError, unsupported

Arguments = list[exp.Expr]


@dataclass(frozen=True)
class _Plain:
    """A function computed by one call.

    ``arguments`` has a letter for each: s text, n number, i whole number, d date, . anything; those after the bar may be left out.
    A plus sign at the end repeats the letter before it.
    """

    target: str
    arguments: str


def _plain(pairs: str) -> dict[str, _Plain]:
    rows = (line.split() for line in pairs.strip().splitlines())
    return {name: _Plain(target, arguments if arguments != "-" else "") for name, target, arguments in rows}


_SCALAR = _plain("""
    ABS abs n
    ACOS acos n
    ADD_MONTHS ora.add_months di
    ASCII ascii s
    ASIN asin n
    ATAN atan n
    ATAN2 atan2 nn
    CEIL ceil n
    CHR chr i
    CONCAT ora.concat ss
    COS cos n
    COSH cosh n
    DBMS_RANDOM.VALUE ora.random |nn
    EXP exp n
    FLOOR floor n
    GROUPING grouping .
    GROUPING_ID grouping .+
    HEXTORAW unhex s
    INITCAP ora.initcap s
    INSTR ora.instr ss|ii
    LAST_DAY ora.last_day d
    LENGTH length s
    LENGTHB strlen s
    LN ora.ln n
    LOG ora.log nn
    LOWER lower s
    LPAD ora.lpad si|s
    LTRIM ora.ltrim s|s
    MOD ora.mod nn
    MONTHS_BETWEEN ora.months_between dd
    NANVL coalesce ..
    NEXT_DAY ora.next_day ds
    NULLIF nullif ..
    NUMTODSINTERVAL ora.interval_of ns
    NUMTOYMINTERVAL ora.months_of ns
    ORA_HASH ora.hash .|i
    POWER power nn
    RAWTOHEX hex .
    REGEXP_COUNT ora.regexp_count ss
    REGEXP_LIKE ora.regexp_like ss|s
    REGEXP_REPLACE ora.regexp_replace ss|s
    REGEXP_SUBSTR ora.regexp_substr ss|ii
    REMAINDER ora.remainder nn
    REPLACE ora.replace ss|s
    REVERSE reverse s
    RPAD ora.rpad si|s
    RTRIM ora.rtrim s|s
    SIGN sign n
    SIN sin n
    SINH sinh n
    SQRT ora.sqrt n
    SUBSTR ora.substr si|i
    SUBSTRB ora.substr si|i
    SYS_CONTEXT ora.sys_context ss
    TAN tan n
    TANH tanh n
    TO_CLOB ora.str .
    TRANSLATE ora.translate sss
    UPPER upper s
    USERENV ora.userenv s
    WIDTH_BUCKET ora.width_bucket nnnn
""")

_AGGREGATE = _plain("""
    APPROX_COUNT_DISTINCT approx_count_distinct .
    AVG avg n
    CORR corr nn
    COUNT count .
    COVAR_POP covar_pop nn
    COVAR_SAMP covar_samp nn
    MAX max .
    MEDIAN median n
    MIN min .
    REGR_COUNT regr_count nn
    REGR_INTERCEPT regr_intercept nn
    REGR_R2 regr_r2 nn
    REGR_SLOPE regr_slope nn
    STATS_MODE mode .
    STDDEV stddev_samp n
    STDDEV_POP stddev_pop n
    STDDEV_SAMP stddev_samp n
    SUM sum n
    VARIANCE var_samp n
    VAR_POP var_pop n
    VAR_SAMP var_samp n
    PERCENTILE_CONT quantile_cont n
    PERCENTILE_DISC quantile_disc n
""")

_ANALYTIC = _plain("""
    CUME_DIST cume_dist -
    DENSE_RANK dense_rank -
    FIRST_VALUE first_value .
    LAG lag .|i.
    LAST_VALUE last_value .
    LEAD lead .|i.
    NTH_VALUE nth_value .i
    NTILE ntile i
    PERCENT_RANK percent_rank -
    RANK rank -
    RATIO_TO_REPORT sum n
    ROW_NUMBER row_number -
""")

_PLAIN = {**_SCALAR, **_AGGREGATE, **_ANALYTIC}
AGGREGATES = frozenset(_AGGREGATE)
ANALYTIC_ONLY = frozenset(_ANALYTIC)


def rewrite(name: str, arguments: Arguments, offset: int | None = None) -> exp.Expr:
    """The DuckDB expression for a call of an Oracle function, whose arguments have been rewritten already.

    Raises OracleError: ORA-00904 unknown function, ORA-00909 or 00938 for a wrong number of arguments.
    """
    upper = name.upper()
    if upper in _SPECIAL:
        return _SPECIAL[upper](arguments)
    plain = _PLAIN.get(upper)
    if plain is None:
        raise OracleError(904, f'"{upper}": invalid identifier (the simulated cluster has no such function)', offset)
    kinds = plain.arguments
    repeated = kinds.endswith("+")
    required, _, optional = kinds.rstrip("+").partition("|")
    if len(arguments) < len(required):
        raise OracleError(938, f"not enough arguments for function {upper}", offset)
    letters = required + optional
    if repeated:
        letters += letters[-1] * (len(arguments) - len(letters))
    if len(arguments) > len(letters):
        raise OracleError(939, f"too many arguments for function {upper}", offset)
    return call(plain.target, *(_as(kind, value) for kind, value in zip(letters, arguments, strict=False)))


def _as(kind: str, value: exp.Expr) -> exp.Expr:
    """An argument converted as Oracle converts it by itself."""
    literal = isinstance(value, exp.Literal)
    if isinstance(value, exp.Star | exp.Distinct | exp.Null) or kind == ".":
        return value
    if kind == "s":
        return value if (literal and value.is_string) or _gives_text(value) else call("ora.str", value)
    if kind == "d":
        return call("ora.as_date", cast(value, "VARCHAR") if literal else value)
    if kind == "i" and not (literal and value.is_int) and not isinstance(value, exp.Neg):
        return cast(call("trunc", call("ora.num", value)), "INTEGER")
    if kind == "n" and not (literal and not value.is_string):
        return value if isinstance(value, exp.Cast) else call("ora.num", value)
    return value


_TEXTS = {f"ora.{name}" for name in ("str", "initcap", "lpad", "rpad", "ltrim", "rtrim", "trim", "substr", "replace", "translate")}


def _gives_text(value: exp.Expr) -> bool:
    """Whether a call of the lab's own gives text in any case."""
    return isinstance(value, exp.Anonymous) and value.name in _TEXTS


def as_text(value: exp.Expr) -> exp.Expr:
    """A value as Oracle turns it into text by itself."""
    return _as("s", value)


def _needs(name: str, arguments: Arguments, least: int, most: int) -> None:
    if not least <= len(arguments) <= most:
        code = 938 if len(arguments) < least else 939
        raise OracleError(code, f"{'not enough' if code == 938 else 'too many'} arguments for function {name}")


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
        return call("ora.str", arguments[0])
    value = arguments[0]
    if numbers.is_number_format(model):
        return numbers.writing(call("ora.num", value), model)
    return dates.writing(call("ora.as_timestamp", cast(value, "VARCHAR") if isinstance(value, exp.Literal) else value), model)


def _to_date(arguments: Arguments) -> exp.Expr:
    _needs("TO_DATE", arguments, 1, 3)
    model = _model("TO_DATE", arguments)
    if model is None:
        return _as("d", arguments[0])
    return cast(dates.reading(as_text(arguments[0]), model), "TIMESTAMP_S")


def _to_timestamp(arguments: Arguments) -> exp.Expr:
    _needs("TO_TIMESTAMP", arguments, 1, 3)
    model = _model("TO_TIMESTAMP", arguments)
    if model is None:
        return call("ora.as_timestamp", cast(arguments[0], "VARCHAR") if isinstance(arguments[0], exp.Literal) else arguments[0])
    return dates.reading(as_text(arguments[0]), model)


def _to_number(arguments: Arguments) -> exp.Expr:
    _needs("TO_NUMBER", arguments, 1, 3)
    model = _model("TO_NUMBER", arguments)
    if model is None:
        return call("ora.num", cast(arguments[0], "VARCHAR") if _is_text(arguments[0]) else arguments[0])
    if "X" in model.upper():
        return cast(call("concat", text("0x"), as_text(arguments[0])), "BIGINT")
    bare = call("regexp_replace", as_text(arguments[0]), text("[,$ ]"), text(""), text("g"))
    return call("ora.num", bare)


def _is_text(value: exp.Expr) -> bool:
    return isinstance(value, exp.Literal) and bool(value.is_string)


def _decode(arguments: Arguments) -> exp.Expr:
    if len(arguments) < 3:
        raise OracleError(938, "not enough arguments for function DECODE")
    subject, *rest = arguments
    pairs = list(zip(rest[::2], rest[1::2], strict=False))
    default = rest[-1] if len(rest) % 2 else None
    as_words = _is_text(pairs[0][1])
    shown = as_text if as_words else lambda value: value
    return exp.Case(
        ifs=[exp.If(this=exp.NullSafeEQ(this=subject.copy(), expression=search), true=shown(result)) for search, result in pairs],
        default=shown(default) if default is not None else None,
    )


def _nvl2(arguments: Arguments) -> exp.Expr:
    _needs("NVL2", arguments, 3, 3)
    value, present, absent = arguments
    known = exp.Not(this=exp.Is(this=value, expression=exp.Null()))
    return exp.Case(ifs=[exp.If(this=known, true=present)], default=as_text(absent) if _is_text(present) else absent)


def _coalesce(arguments: Arguments) -> exp.Expr:
    _needs("COALESCE", arguments, 2, 999)
    return call("coalesce", *arguments)


def _lnnvl(arguments: Arguments) -> exp.Expr:
    _needs("LNNVL", arguments, 1, 1)
    return exp.Not(this=call("coalesce", arguments[0], exp.Boolean(this=False)))


def _extreme(name: str) -> Callable[[Arguments], exp.Expr]:
    def build(arguments: Arguments) -> exp.Expr:
        _needs(name.upper(), arguments, 1, 999)
        unknown: exp.Expr = exp.Is(this=arguments[0].copy(), expression=exp.Null())
        for argument in arguments[1:]:
            unknown = exp.Or(this=unknown, expression=exp.Is(this=argument.copy(), expression=exp.Null()))
        return exp.Case(ifs=[exp.If(this=unknown, true=exp.Null())], default=call(name, *arguments))

    return build


def _rounding(name: str) -> Callable[[Arguments], exp.Expr]:
    def build(arguments: Arguments) -> exp.Expr:
        _needs(name.upper(), arguments, 1, 2)
        if len(arguments) == 2 and not _is_text(arguments[1]):
            return call(f"ora.{name}", _as("n", arguments[0]), _as("i", arguments[1]))
        return call(f"ora.{name}", *arguments)

    return build


def _bitand(arguments: Arguments) -> exp.Expr:
    _needs("BITAND", arguments, 2, 2)
    return exp.Paren(this=exp.BitwiseAnd(this=cast(arguments[0], "BIGINT"), expression=cast(arguments[1], "BIGINT")))


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
    return arguments[1] if isinstance(arguments[0], exp.Null) else call("ora.nvl", *arguments)


_SPECIAL: dict[str, Callable[[Arguments], exp.Expr]] = {
    "BITAND": _bitand,
    "COALESCE": _coalesce,
    "DECODE": _decode,
    "GREATEST": _extreme("greatest"),
    "LEAST": _extreme("least"),
    "LNNVL": _lnnvl,
    "NVL": _nvl,
    "NVL2": _nvl2,
    "ROUND": _rounding("round"),
    "SYSDATE": _sysdate,
    "SYS_GUID": _sys_guid,
    "TO_CHAR": _to_char,
    "TO_DATE": _to_date,
    "TO_NUMBER": _to_number,
    "TO_TIMESTAMP": _to_timestamp,
    "TRUNC": _rounding("trunc"),
    "UID": _uid,
}
