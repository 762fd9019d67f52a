"""Wrong and unsupported SQL: Oracle's code, words that name the construct, nothing of DuckDB's or sqlglot's, and a session that lives."""

import re
from pathlib import Path

import pytest

from raclab.database.oracle_error import OracleError

FOREIGN = re.compile(
    r"duckdb|sqlglot|binder|catalog|parser error|traceback|candidate|INT32|INT64|HUGEINT|getvariable|\bora\.|Did you mean|LINE \d",
    re.IGNORECASE,
)


def refused():
    """Statement, code and word from sql_refused.txt."""
    for line in Path(__file__).with_name("sql_refused.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            code, word, sql = (part.strip() for part in line.split("|", 2))
            yield pytest.param(sql, int(code), word, id=line[:70])


def without(message, sql):
    """The message without the words of the statement, which it may repeat."""
    for word in re.findall(r"[\w$#]+", sql):
        message = re.sub(rf"\b{re.escape(word)}\b", "", message, flags=re.IGNORECASE)
    return message


@pytest.mark.parametrize(("sql", "code", "word"), list(refused()))
def test_a_statement_is_refused_with_oracles_code_and_a_word_for_it(reader, sql, code, word):
    with pytest.raises(OracleError) as raised:
        reader.execute(sql)
    assert raised.value.code == code, str(raised.value)
    assert word.lower() in str(raised.value).lower()
    assert str(raised.value).startswith(f"ORA-{code:05d}: ")
    assert not FOREIGN.search(without(str(raised.value), sql)), str(raised.value)
    assert "\n" not in str(raised.value)
    assert reader.execute("select 1 from dual").rows == [(1,)]


@pytest.mark.parametrize(
    ("sql", "offset"),
    [
        ("select dummy, nosuch from dual", 14),
        ("select *\nfrom nosuch", 14),
        ("select * from scott.emp", 14),
        ("select nosuch(1) from dual", 7),
        ("select 'abc from dual", 7),
        ("select 1 from dual;", 18),
        ("select d.dummy,\n  -- nosuch\n  'nosuch', d.nosuch from dual d", 40),
        ("select 1 from dual where x.y = 1", 25),
        ("select dummy from dual a, dual b", 7),
        ("select event, count(*) from v$system_event group by wait_class", 7),
        ("select 1 + &x from dual", 11),
        ("select to_char(sysdate, 'QQQZ') from dual", 7),
        ("select substr('abc') from dual", 7),
        ("select rank() from dual", 7),
        ("select 1 from dual order by rownum, json_value(dummy)", 36),
        ("select 1 from dual limit 5", 25),
        ("select 1, from dual", 10),
        ("select s.nextval from dual", 7),
        ("set lines 200", 0),
        ("select true from dual", None),
    ],
)
def test_an_error_says_where_it_is(reader, sql, offset):
    with pytest.raises(OracleError) as raised:
        reader.execute(sql)
    assert raised.value.offset == offset


def test_the_engine_reads_no_file_and_no_network(reader):
    for sql in ("select * from read_csv('/etc/passwd')", "select * from '/etc/passwd'", "select * from 'https://localhost/x.csv'"):
        with pytest.raises(OracleError):
            reader.execute(sql)


def test_a_result_without_end_is_cut_off(reader, monkeypatch):
    monkeypatch.setattr("raclab.database.session.MOST_ROWS", 100)
    with pytest.raises(OracleError, match="ORA-02395"):
        reader.execute("select level from dual connect by level <= 101")
    assert len(reader.execute("select level from dual connect by level <= 100").rows) == 100


def test_a_very_long_statement_is_refused(reader):
    with pytest.raises(OracleError, match="characters"):
        reader.execute("select 1 from dual where 1 in (" + "1," * 60_000 + "1)")


def test_comments_that_do_not_end_are_refused(reader):
    with pytest.raises(OracleError, match="comment that is not closed"):
        reader.execute("select 1 from dual " + "/* \x01 " * 10_000)


def test_a_deeply_nested_statement_is_refused(reader):
    with pytest.raises(OracleError):
        reader.execute("select " + "(" * 5_000 + "1" + ")" * 5_000 + " from dual")
