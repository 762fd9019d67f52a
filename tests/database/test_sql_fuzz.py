"""Whatever text is sent: rows, or Oracle's code and words; never the engine's own, never a hang.

A hundred cases of each kind in each run of the suite; tests/support/cases.py says how to run ten thousand of each.
"""

import re
import time

import pytest
from cases import cases
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from raclab.database.dialect.translate import translate
from raclab.database.oracle_error import OracleError

CASES = cases(100)
pytestmark = pytest.mark.timeout(0 if CASES > 100 else 300)
CPU_S = 20.0
"""Far beyond what any short statement takes: what needs more was caught in something that grows without end."""

FOREIGN = re.compile(
    r"duckdb|sqlglot|binder|catalog|parser error|traceback|candidate|INT32|INT64|HUGEINT|getvariable|\bora\.|Did you mean|LINE \d|Exp?r\b",
    re.IGNORECASE,
)
RELAXED = settings(
    max_examples=CASES,
    deadline=None,
    derandomize=CASES == 100,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def without(message, sql):
    """The message without the words of the statement, which it may repeat."""
    for word in set(re.findall(r"[\w$#]+", sql)):
        message = re.sub(rf"\b{re.escape(word)}\b", "", message, flags=re.IGNORECASE)
    return message


def sent(session, sql, values=()):
    """Run a statement as a client would; every outcome but rows and Oracle's errors fails the test."""
    began = time.process_time()
    try:
        session.execute(sql, values)
    except OracleError as error:
        assert 0 < error.code < 100_000
        assert not FOREIGN.search(without(error.message, sql)), f"{error} <- {sql}"
        assert "\n" not in error.message, f"{error} <- {sql}"
        assert error.offset is None or 0 <= error.offset <= len(sql), f"{error.offset} <- {sql}"
    finally:
        session.rollback()
    assert time.process_time() - began < CPU_S, f"took too long: {sql}"


# -- statements that a grammar makes: most of them are right, or wrong in one place only

_COLUMNS = "event wait_class total_waits time_waited time_waited_micro inst_id sid name value logon_time program nosuch dummy rownum"
COLUMNS = _COLUMNS.split()
_TABLES = "v$system_event gv$system_event gv$session v$session v$sysstat gv$session_event v$active_session_history dual nosuch t"
TABLES = _TABLES.split()
LITERALS = ["1", "0", "-5", "3.14", "1e3", "'x'", "''", "null", "'2026-01-01'", "date '2026-01-01'", "sysdate", "systimestamp", ":b", "'5'"]
LITERALS += ["interval '5' minute", "timestamp '2026-01-01 10:00:00'", "user", "99999999999999999999"]
_ONE = "abs ceil floor round trunc length upper lower to_char to_number to_date trim initcap sign sqrt ln last_day rawtohex nvl2 dump"
ONE = _ONE.split()
_TWO = "nvl mod power substr instr lpad rpad concat nullif coalesce greatest least add_months months_between replace round trunc to_char"
TWO = _TWO.split()
_AGGREGATES = "count sum avg min max median stddev variance"
AGGREGATES = _AGGREGATES.split()
FORMATS = ["'YYYY-MM-DD'", "'fm999G990D00'", "'HH24:MI'", "'MM'", "'999'", "'Q'", "'nonsense'", "null"]

literals = st.sampled_from(LITERALS)
columns = st.sampled_from(COLUMNS)


def _deeper(inner):
    pair = st.tuples(inner, inner)
    return st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/", "||"]), inner),
        st.builds("{}({})".format, st.sampled_from(ONE), inner),
        st.builds("{}({}, {})".format, st.sampled_from(TWO), inner, inner),
        st.builds("to_char({}, {})".format, inner, st.sampled_from(FORMATS)),
        st.builds("trunc({}, {})".format, inner, st.sampled_from(FORMATS)),
        st.builds("case when {} > {} then {} else {} end".format, inner, inner, inner, inner),
        st.builds("decode({}, {}, {}, {})".format, inner, inner, inner, inner),
        st.builds(
            "cast({} as {})".format, inner, st.sampled_from(["number", "varchar2(9)", "date", "timestamp", "number(5,2)", "integer"])
        ),
        st.builds("extract({} from {})".format, st.sampled_from(["year", "day", "hour", "second"]), inner),
        st.builds("(select {} from dual)".format, inner),
        st.builds("{}({})".format, st.sampled_from(AGGREGATES), inner),
        pair.map(lambda two: f"sum({two[0]}) over (partition by {two[1]})"),
        pair.map(lambda two: f"row_number() over (order by {two[0]}, {two[1]})"),
        pair.map(lambda two: f"lag({two[0]}) over (order by {two[1]} desc nulls last)"),
        pair.map(lambda two: f"max({two[0]}) keep (dense_rank first order by {two[1]})"),
        pair.map(lambda two: f"listagg({two[0]}, ',') within group (order by {two[1]})"),
        inner.map(lambda one: f"ratio_to_report({one}) over ()"),
    )


expressions = st.recursive(st.one_of(columns, literals, columns), _deeper, max_leaves=6)
conditions = st.one_of(
    st.builds("{} {} {}".format, expressions, st.sampled_from(["=", "<>", "<", ">", "<=", ">=", "like"]), expressions),
    st.builds("{} is null".format, expressions),
    st.builds("{} in ({}, {})".format, expressions, expressions, expressions),
    st.builds("{} between {} and {}".format, expressions, literals, literals),
    st.builds("exists (select 1 from {} where {} = {})".format, st.sampled_from(TABLES), expressions, expressions),
    st.builds("rownum {} {}".format, st.sampled_from(["<", "<=", "=", ">", "<>"]), literals),
    st.builds("{} = {}(+)".format, columns, columns),
)


@st.composite
def queries(draw, nested=True):
    items = draw(st.lists(expressions, min_size=1, max_size=3))
    listed = ", ".join(item + draw(st.sampled_from(["", " x", ' "Y y"', " as z"])) for item in items)
    sources = draw(st.lists(st.sampled_from(TABLES), min_size=1, max_size=2))
    origin = ", ".join(f"{source} a{place}" for place, source in enumerate(sources)) if len(sources) > 1 else sources[0]
    if nested and draw(st.integers(0, 4)) == 0:
        origin = f"({draw(queries(nested=False))})"
    listed = draw(st.sampled_from([listed, listed, listed, "*"]))
    text = f"select {draw(st.sampled_from(['', 'distinct ', '/*+ full(x) */ ']))}{listed} from {origin}"
    if draw(st.booleans()):
        text += " where " + " and ".join(draw(st.lists(conditions, min_size=1, max_size=2)))
    if draw(st.integers(0, 3)) == 0:
        text += draw(st.sampled_from([" connect by level <= 3", " start with sid = 1 connect by nocycle prior sid = inst_id"]))
    if draw(st.integers(0, 3)) == 0:
        keys = ", ".join(draw(st.lists(columns, min_size=1, max_size=2)))
        text += draw(
            st.sampled_from([" group by {}", " group by rollup({})", " group by cube({})", " group by grouping sets(({}), ())"])
        ).format(keys)
        if draw(st.booleans()):
            text += f" having {draw(conditions)}"
    if draw(st.integers(0, 5)) == 0:
        text += draw(st.sampled_from([" union all ", " minus ", " intersect "])) + f"select {draw(expressions)} from dual"
    if draw(st.booleans()):
        text += f" order by {draw(st.one_of(expressions, st.sampled_from(['1', '2 desc', '1 nulls first'])))}"
    if draw(st.integers(0, 4)) == 0:
        text += draw(
            st.sampled_from([" fetch first 2 rows only", " offset 1 rows fetch next 1 row only", " fetch first 10 percent rows with ties"])
        )
    return text


@st.composite
def changes(draw):
    column, value = draw(st.sampled_from(["id", "name", "made", "nosuch"])), draw(expressions)
    return draw(
        st.sampled_from(
            [
                f"insert into fuzz ({column}) values ({value})",
                f"insert into fuzz ({column}) {draw(queries())}",
                f"update fuzz set {column} = {value} where {draw(conditions)}",
                f"delete from fuzz where {draw(conditions)}",
                f"merge into fuzz using (select {value} k from dual) s on (fuzz.id = s.k) when matched then update set name = s.k",
                f"insert all into fuzz ({column}) values ({value}) into fuzz (id) values (1) select 1 from dual",
                f"create or replace view fuzz_view as {draw(queries())}",
            ]
        )
    )


@RELAXED
@given(st.one_of(queries(), queries(), changes()))
def test_statements_of_a_grammar(reader, sql):
    if "fuzz" in sql:
        try:
            reader.execute("create table fuzz (id number(5), name varchar2(9) not null, made date)")
        except OracleError as error:
            assert error.code == 955
    sent(reader, sql, [1] * sql.count(":b"))


@RELAXED
@given(queries(), st.data())
def test_statements_with_a_piece_changed(reader, sql, data):
    at = data.draw(st.integers(0, len(sql)))
    end = data.draw(st.integers(at, min(len(sql), at + 12)))
    sql = (
        sql[:at]
        + data.draw(
            st.sampled_from(
                ["", "(", ")", "'", '"', ",", ";", " ", "--", "/*", "(+)", "@", "&x", ":1", "?", "[", "\0", "é", " from ", " over "]
            )
        )
        + sql[end:]
    )
    sent(reader, sql, [1] * 20)


WORDS = """
    select from where group by order having dual gv$session v$sysstat sid value count(*) sum( ) ( , * + - / || 'x' 1 0.5 null and or
    not in between like exists union all minus rownum level connect prior start with (+) = < > <= != :a :1 ? over partition as case when
    then else end sysdate trunc( nvl( to_char( decode( 'YYYY' fetch first rows only distinct insert into values update set delete create
    table drop t a b merge using matched commit rollback ; " ' -- /* */ @ # $ interval '1' day cast( number pivot unpivot for keep
    dense_rank last
"""


@RELAXED
@given(st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=14))
def test_words_in_any_order(reader, words):
    sent(reader, " ".join(words), [1] * 20)


@RELAXED
@given(st.text(max_size=60))
def test_any_text_at_all(reader, text):
    for sql in (text, f"select {text} from dual", f"select * from dual where {text}"):
        sent(reader, sql)


def test_nested_expressions_do_not_grow_without_end(reader):
    for shape in (
        "nvl({}, 1)",
        "substr({}, 2)",
        "greatest({}, 1)",
        "1 / ({} + 1)",
        "decode({}, 1, 2, 3)",
        "({} + :b)",
        "mod({}, 7)",
        "instr({}, 'a', 1, 1)",
    ):
        sql = "level"
        for _ in range(24):
            sql = shape.format(sql)
        sent(reader, f"select {sql} from dual connect by level < 3", [1] * 24)


def test_long_chains_are_run(reader):
    assert reader.execute("select " + "+".join(["1"] * 150) + " from dual").rows == [(150,)]
    assert reader.execute("select " + "||".join(["'a'"] * 150) + " from dual").rows == [("a" * 150,)]
    assert reader.execute("select 1 from dual where " + " or ".join(["1 = 2"] * 150 + ["1 = 1"])).rows == [(1,)]
    translate("select 1 from dual where dummy in (" + ",".join(["'x'"] * 1000) + ")", "LAB")
