"""Oracle's everyday SQL, statement by statement, against answers worked out by hand."""

import datetime
from decimal import Decimal
from pathlib import Path

import pytest

from raclab.database.oracle_error import OracleError

NOW = datetime.datetime(2026, 3, 5, 13, 14, 15, 678000)

ROWS = "(select 1 id, 'a' name, 10 value from dual union all select 2, 'b', 20 from dual union all select 3, null, 30 from dual)"
TREE = (
    "(select 1 id, null boss, 'king' name from dual union all select 2, 1, 'blake' from dual "
    "union all select 3, 1, 'clark' from dual union all select 4, 2, 'allen' from dual)"
)


def answers():
    """Statement and rows from sql_answers.txt."""
    names = {"at": datetime.datetime.fromisoformat, "seconds": lambda number: datetime.timedelta(seconds=number)}
    statement = []
    for line in Path(__file__).with_name("sql_answers.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("=>"):
            text = "\n".join(statement).replace("ROWS", ROWS).replace("TREE", TREE)
            yield pytest.param(text, eval(f"[{line[2:]}]", names), id="; ".join(statement)[:70])
            statement = []
        elif line and not line.startswith("#"):
            statement.append(line.replace("\\n", "\n"))


@pytest.fixture(autouse=True)
def stopped_clock(reader, monkeypatch):
    monkeypatch.setattr(reader._engine, "now", lambda: NOW)


@pytest.mark.parametrize(("sql", "wanted"), list(answers()))
def test_a_statement_gives_oracles_answer(reader, sql, wanted):
    found = reader.execute(sql).rows
    assert [tuple(rounded(value) for value in row) for row in found] == [tuple(rounded(value) for value in row) for row in wanted]


def rounded(value):
    return round(float(value), 9) if isinstance(value, float | int | Decimal) else value


@pytest.mark.parametrize(
    ("sql", "headings"),
    [
        ("select dummy, 'x', count(*) over () from dual", ["DUMMY", "'X'", "COUNT(*)OVER()"]),
        ("select  nvl( dummy , 0 ) , sysdate, user, rownum from dual", ["NVL(DUMMY,0)", "SYSDATE", "USER", "ROWNUM"]),
        ('select dummy as d, dummy "Mixed Case", d.dummy from dual d', ["D", "Mixed Case", "DUMMY"]),
        ("select count(*) from dual", ["COUNT(*)"]),
        ("with t as (select dummy a from dual) select a, a || 'x' from t", ["A", "A||'X'"]),
        ("(select 1+1 from dual) union all select 3 from dual", ["1+1"]),
        ("select * from (select max(dummy) from dual)", ["MAX(DUMMY)"]),
        ("select level from dual connect by level < 3", ["LEVEL"]),
        (
            "select connect_by_iscycle, connect_by_isleaf from dual connect by nocycle prior dummy = dummy",
            ["CONNECT_BY_ISCYCLE", "CONNECT_BY_ISLEAF"],
        ),
        ("select sum(1) / count(*), dummy d from dual group by dummy", ["SUM(1)/COUNT(*)", "D"]),
    ],
)
def test_columns_are_headed_as_oracle_heads_them(reader, sql, headings):
    assert [name for name, _ in reader.execute(sql).columns] == headings


@pytest.mark.parametrize(
    ("sql", "values", "wanted"),
    [
        ("select :1 + :2, :1 from dual", [1, 2, 3], (3, 3)),
        ("select :a + :b, :a from dual", [1, 2, 1], (3, 1)),
        ("select :a + :b, :a from dual", [1, 2], (3, 1)),
        ("select nvl(:x, 'null') from dual", [""], ("null",)),
        ("select nvl(:x, 'null') from dual", [None], ("null",)),
        ("select count(*) from dual where dummy = :d and rownum <= :n", ["X", 5], (1,)),
        ("select trunc(:d), :d + 1 from dual", [datetime.datetime(2026, 1, 2, 3, 4, 5)] * 2, (datetime.datetime(2026, 1, 2), None)),
        ("select ':not a bind', :yes from dual -- :nor this", [1], (":not a bind", 1)),
    ],
)
def test_bind_variables_by_name_and_position(reader, sql, values, wanted):
    found = reader.execute(sql, values).rows[0]
    assert all(have == want for have, want in zip(found, wanted, strict=True) if want is not None)


@pytest.mark.parametrize(("values", "code"), [([1], 1008), ([1, 2, 3], 1006)])
def test_wrong_number_of_binds(reader, values, code):
    with pytest.raises(OracleError) as raised:
        reader.execute("select :a + :b from dual", values)
    assert raised.value.code == code


def test_a_statement_sees_one_moment(reader, monkeypatch):
    monkeypatch.undo()
    rows = reader.execute("select count(distinct systimestamp) from dual connect by level <= 10000").rows
    assert rows == [(1,)]


def test_date_format_of_the_session(engine):
    from raclab.database.session import Client, Session

    session = Session(engine, 1, Client())
    session.execute("alter session set nls_date_format = 'YYYY-MM-DD'")
    assert session.execute(
        "select to_char(date '2026-01-02'), to_date('2026-01-03'), sys_context('userenv', 'nls_date_format') from dual"
    ).rows == [("2026-01-02", datetime.datetime(2026, 1, 3), "YYYY-MM-DD")]
    session.close()
