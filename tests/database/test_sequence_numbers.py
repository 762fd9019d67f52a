"""NEXTVAL and CURRVAL: one number a row, wherever the row names it; ORA-02287 where Oracle allows none."""

import pytest

from raclab.database.oracle_error import OracleError


@pytest.fixture
def sequences(session):
    """The sequences s and r, from 5 and from 70 on; the table t with the rows (1, 'a'), (2, 'b') and (3, 'c')."""
    for text in (
        "create sequence s start with 5",
        "create sequence r start with 70",
        "create table t (n number, w varchar2(20))",
        "insert into t select level, chr(96 + level) from dual connect by level <= 3",
    ):
        session.execute(text)
    yield session
    for text in ("rollback", "drop sequence s", "drop sequence r", "drop table t"):
        session.execute(text)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("select s.nextval, s.nextval from dual", [(5, 5)]),
        ("select s.currval, s.nextval + 1, 'x' || s.nextval, r.nextval from dual", [(5, 6, "x5", 70)]),
        ("select level, s.nextval, s.nextval * 2 from dual connect by level <= 3", [(1, 5, 10), (2, 6, 12), (3, 7, 14)]),
        ("select n, s.nextval, s.currval from t where n > 1", [(2, 5, 5), (3, 6, 6)]),
        ("select s.nextval, r.nextval, s.currval, r.currval from t", [(5, 70, 5, 70), (6, 71, 6, 71), (7, 72, 7, 72)]),
        ("select rownum, s.nextval, s.nextval from t where rownum <= 2", [(1, 5, 5), (2, 6, 6)]),
        ("select s.nextval, t.* from t where n = 2", [(5, 2, "b")]),
    ],
)
def test_a_row_draws_one_number(sequences, text, rows):
    assert sequences.execute(text).rows == rows


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("insert into t values (s.nextval, 'x' || s.nextval)", [(5, "x5")]),
        ("insert into t (w, n) select 'x' || s.nextval, s.currval from dual connect by level <= 2", [(5, "x5"), (6, "x6")]),
        ("insert into t (n) (select s.nextval from dual)", [(5, None)]),
        ("update t set n = s.nextval", [(5, "a"), (6, "b"), (7, "c")]),
        ("merge into t using (select 9 x from dual) on (n = x) when not matched then insert values (s.nextval, 'm')", [(5, "m")]),
    ],
)
def test_a_row_is_written_with_one_number(sequences, text, rows):
    sequences.execute(text)
    assert sequences.execute("select * from t where n >= 5 order by n").rows == rows


@pytest.mark.parametrize(
    "text",
    [
        "select distinct s.nextval from dual",
        "select n from t where n < s.nextval",
        "select n from t order by s.nextval",
        "select s.nextval from t order by n",
        "select s.nextval, count(*) from t group by n",
        "select max(s.nextval) from t",
        "select s.nextval from dual union all select 1 from dual",
        "select (select s.nextval from dual) from dual",
        "select * from (select s.currval from dual)",
        "delete from t where n = s.currval",
        "insert into t (n) values ((select s.nextval from dual))",
    ],
)
def test_a_number_has_its_places(sequences, text):
    with pytest.raises(OracleError) as refused:
        sequences.execute(text)
    assert refused.value.code == 2287
    assert text[refused.value.offset :].startswith("s.")


@pytest.mark.parametrize(
    "text",
    [
        "update t set n = s.nextval, w = s.nextval",
        "merge into t using (select 9 x from dual) on (n = x) when not matched then insert values (s.nextval, s.currval)",
    ],
)
def test_what_would_draw_two_numbers_a_row_is_refused(sequences, text):
    with pytest.raises(OracleError, match="number of a sequence that an UPDATE or MERGE names more than once") as refused:
        sequences.execute(text)
    assert refused.value.code == 3001
