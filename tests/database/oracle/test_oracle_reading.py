"""Which statements only read."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raclab.database.reading import is_reading

READING = [
    "select 1 from dual",
    "select 1 from dual;",
    "-- top waits\nwith w as (select 1 x from dual) select * from w",
    "((select 1 from dual))",
    "/* for update */ select q'[for update]' from dual",
    "select 'for', 'update', 'x.nextval' from dual",
    "select /*+ parallel(8) */ * from gv$session s where s.username = :u",
    "select last_number from dba_sequences where sequence_name = 'NEXTVAL'",
]

NOT_ONLY_READING = [
    "",
    "   -- nothing",
    "delete from t",
    "insert into t select * from u",
    "merge into t using u on (1 = 1) when matched then update set a = 1",
    "select * from t for update",
    "select * from t for /* x */ update of a nowait",
    "select * from t -- ' \nfor update",
    "select * from t where a = '\\' for update -- '",
    "select * from t /* /* */ for update -- */",
    "select s.nextval from dual",
    'select s."NEXTVAL" from dual',
    "with function f return number is begin return 1; end; select f from dual",
    "select * from (with procedure p is begin null; end; select 1 from dual)",
    "select 1 from dual; delete from t",
    "begin null; end;",
    "declare x number; begin null; end;",
    "call p()",
    "create table t (a number)",
    "explain plan for select 1 from dual",
    "lock table t in exclusive mode",
    "alter session set events '10046 trace name context forever'",
    "alter system flush shared_pool",
    "commit",
    "select 'unfinished from dual",
]


@pytest.mark.parametrize("text", READING)
def test_reads(text: str) -> None:
    assert is_reading(text)


@pytest.mark.parametrize("text", NOT_ONLY_READING)
def test_may_do_more_than_read(text: str) -> None:
    assert not is_reading(text)


@settings(deadline=None)
@given(st.sampled_from(NOT_ONLY_READING), st.sampled_from(["", " ", "\n", "-- x\n", "/* x */", "/*+ x */"]), st.booleans())
def test_comments_and_case_hide_nothing(text: str, before: str, upper: bool) -> None:
    assert not is_reading(before + (text.upper() if upper else text))


@settings(deadline=None)
@given(st.text(max_size=60))
def test_whatever_else_comes_is_not_reading(text: str) -> None:
    if not text.lstrip("( \t\n").upper().startswith(("SELECT", "WITH", "/*", "--")):
        assert not is_reading(text)
