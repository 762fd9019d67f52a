"""Of what kind the result of a function is, by its name and the kinds of its arguments."""

from collections.abc import Callable

from sqlglot import exp

_RESULTS = {
    "T": """CHR CONCAT DUMP INITCAP LISTAGG LOWER LPAD LTRIM NLS_INITCAP RAWTOHEX REGEXP_REPLACE REGEXP_SUBSTR REPLACE REVERSE RPAD RTRIM
        SOUNDEX SUBSTR SUBSTRB SYS_CONTEXT SYS_CONNECT_BY_PATH TO_CHAR TO_NCHAR TO_CLOB TRANSLATE TRIM TZ_OFFSET UPPER USERENV
        DBMS_LOB.SUBSTR DBMS_RANDOM.STRING""",
    "N0": """APPROX_COUNT_DISTINCT ASCII COUNT DENSE_RANK INSTR INSTRB LENGTH LENGTHB NTILE ORA_HASH RANK REGEXP_COUNT REGEXP_INSTR
        REGR_COUNT ROW_NUMBER SIGN VSIZE GROUPING GROUPING_ID UID BITAND DBMS_LOB.GETLENGTH DBMS_LOB.INSTR""",
    "F": """ACOS ASIN ATAN ATAN2 AVG CORR COS COSH COVAR_POP COVAR_SAMP CUME_DIST EXP LN LOG MEDIAN MONTHS_BETWEEN PERCENT_RANK POWER
        RATIO_TO_REPORT REGR_INTERCEPT REGR_R2 REGR_SLOPE REMAINDER SIN SINH SQRT STDDEV STDDEV_POP STDDEV_SAMP TAN TANH VARIANCE VAR_POP
        VAR_SAMP WIDTH_BUCKET DBMS_RANDOM.VALUE""",
    "D": "ADD_MONTHS LAST_DAY NEXT_DAY NEW_TIME SYSDATE TO_DATE",
    "S": "FROM_TZ TO_TIMESTAMP TO_TIMESTAMP_TZ SYS_EXTRACT_UTC",
    "I": "NUMTOYMINTERVAL TO_YMINTERVAL",
    "I9": "NUMTODSINTERVAL TO_DSINTERVAL",
    "B": "HEXTORAW STANDARD_HASH SYS_GUID",
}
_FIXED = {name: kind for kind, names in _RESULTS.items() for name in names.split()}
_KEEPING = "ABS FIRST_VALUE LAG LAST_VALUE LEAD MAX MIN NTH_VALUE NULLIF STATS_MODE SUM ANY_VALUE PERCENTILE_DISC"
_AS_FIRST = frozenset(_KEEPING.split())

Common = Callable[[list[str | None]], str | None]


def result_kind(name: str, kinds: list[str | None], arguments: list[exp.Expr], common: Common) -> str | None:
    """The kind of a call's result, or None where it is not known."""
    fixed = _FIXED.get(name)
    if fixed is not None:
        return fixed
    first = kinds[0] if kinds else None
    if name in _AS_FIRST:
        return "F" if name in ("SUM", "ABS") and first == "T" else first
    if name in ("ROUND", "TRUNC"):
        return "D" if first in ("D", "S") else "F" if first is not None and first[0] in "FT" else first
    if name in ("CEIL", "FLOOR"):
        return "F" if first is not None and first[0] in "FT" else "N0" if first is not None and first[0] == "N" else None
    if name == "MOD":
        return common(kinds) if all(one is not None and one[0] in "NF" for one in kinds) else None
    if name == "NVL":
        return "T" if first == "T" else common(kinds)
    if name in ("COALESCE", "GREATEST", "LEAST"):
        return common(kinds)
    if name == "NVL2" and len(kinds) == 3:
        return "T" if kinds[1] == "T" else common(kinds[1:])
    if name == "DECODE" and len(kinds) > 2:
        results = [place for place in range(2, len(kinds), 2)] + ([len(kinds) - 1] if len(kinds) % 2 == 0 else [])
        if kinds[2] == "T":
            return "T"
        return common([kinds[place] for place in results if not isinstance(arguments[place], exp.Null)])
    return None
