"""Oracle's functions that one call computes: their arguments, and the DuckDB function or the lab's macro for each."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Plain:
    """A function computed by one call.

    ``arguments`` has a letter for each: s text, n number, i whole number, d date, . anything; those after the bar may be left out.
    A plus sign at the end repeats the letter before it.
    """

    target: str
    arguments: str


def _plain(pairs: str) -> dict[str, Plain]:
    rows = (line.split() for line in pairs.strip().splitlines())
    return {name: Plain(target, arguments if arguments != "-" else "") for name, target, arguments in rows}


_SCALAR = _plain("""
    ABS abs n
    ACOS acos n
    ADD_MONTHS ora.add_months di
    ASCII ascii s
    ASIN asin n
    ATAN atan n
    ATAN2 atan2 nn
    CHR chr i
    CONCAT ora.concat ss
    COS cos n
    COSH cosh n
    DBMS_LOB.GETLENGTH length s
    DBMS_LOB.INSTR ora.instr ss|ii
    DBMS_RANDOM.STRING ora.random_text si
    DBMS_RANDOM.VALUE ora.random |nn
    EXP exp n
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
    MONTHS_BETWEEN ora.months_between dd
    NANVL coalesce ..
    NEXT_DAY ora.next_day ds
    NULLIF nullif ..
    NUMTODSINTERVAL ora.interval_of ns
    NUMTOYMINTERVAL ora.months_of ns
    ORA_HASH ora.hash .|i
    RAWTOHEX hex .
    REGEXP_COUNT ora.regexp_count ss|is
    REGEXP_INSTR ora.regexp_instr ss|iiis
    REGEXP_LIKE ora.regexp_like ss|s
    REGEXP_REPLACE ora.regexp_replace ss|siis
    REGEXP_SUBSTR ora.regexp_substr ss|iisi
    REMAINDER ora.remainder nn
    REPLACE ora.replace ss|s
    REVERSE reverse s
    RPAD ora.rpad si|s
    RTRIM ora.rtrim s|s
    SIGN sign n
    SOUNDEX ora.soundex s
    TO_DSINTERVAL ora.ds_interval s
    TO_YMINTERVAL ora.ym_interval s
    NLS_LOWER lower s
    NLS_UPPER upper s
    NLS_INITCAP ora.initcap s
    TO_BINARY_DOUBLE ora.binary s
    TO_BINARY_FLOAT ora.binary s
    TO_NCHAR ora.str .
    SIN sin n
    SINH sinh n
    SQRT ora.sqrt n
    SUBSTRB ora.substr si|i
    SYS_CONTEXT ora.sys_context ss
    TAN tan n
    TANH tanh n
    TO_CLOB ora.str .
    TRANSLATE ora.translate sss
    TZ_OFFSET ora.tz_offset s
    UPPER upper s
    USERENV ora.userenv s
    VSIZE ora.vsize .
    WIDTH_BUCKET ora.width_bucket nnnn
""")

_AGGREGATE = _plain("""
    ANY_VALUE any_value .
    APPROX_COUNT_DISTINCT approx_count_distinct .
    BIT_AND_AGG bit_and i
    BIT_OR_AGG bit_or i
    BIT_XOR_AGG bit_xor i
    AVG avg n
    CORR corr nn
    COUNT count .
    COVAR_POP covar_pop nn
    COVAR_SAMP covar_samp nn
    MAX max .
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

PLAIN = {**_SCALAR, **_AGGREGATE, **_ANALYTIC}
AGGREGATES = frozenset((*_AGGREGATE, "MEDIAN"))
ANALYTIC_ONLY = frozenset(_ANALYTIC)
