"""Learners' own tables: DDL and DML in schema LAB, transactions as Oracle's, sessions apart from each other."""

import pytest

from raclab.database.oracle_error import OracleError


def code_of(session, sql, *values):
    with pytest.raises(OracleError) as raised:
        session.execute(sql, values)
    return raised.value.code


def rows(session, sql):
    return session.execute(sql).rows


@pytest.fixture
def table(session):
    session.execute(
        "create table t (id number primary key, name varchar2(5) not null, price number(5,2) check (price >= 0), "
        "made date default sysdate) tablespace users pctfree 10"
    )
    return session


def test_changes_are_seen_by_others_after_commit_only(table, another_session):
    table.execute("insert into t (id, name) values (1, 'a')")
    assert rows(table, "select count(*) from t") == [(1,)]
    assert rows(another_session, "select count(*) from t") == [(0,)]
    table.execute("commit")
    assert rows(another_session, "select id, name from t") == [(1, "a")]


def test_rollback_undoes_all_since_the_last_commit(table):
    table.execute("insert into t (id, name) values (1, 'a')")
    table.execute("commit work")
    table.execute("update t set name = 'b'")
    table.execute("delete from t")
    table.execute("rollback")
    assert rows(table, "select name from t") == [("a",)]


def test_a_failed_statement_undoes_only_itself(table):
    assert table.execute("insert into t (id, name) values (:1, :2)", [1, "a"]).changed == 1
    for sql, code in (
        ("insert into t (id, name) values (1, 'b')", 1),
        ("insert into t (id, name) values (2, null)", 1400),
        ("insert into t (id, name) values (2, 'too long')", 12899),
        ("insert into t (id, name, price) values (2, 'b', 12345)", 1438),
        ("insert into t (id, name, price) values (2, 'b', -1)", 2290),
        ("insert into t (id, name) values ('x', 'b')", 1722),
        ("insert into t (id, name) values (1, 2, 3)", 913),
        ("insert into t values (1, 'x')", 947),
        ("insert into t (nosuch) values (1)", 904),
        ("update t set name = to_char(1 / 0)", 1476),
        ("update t set nosuch = 1", 904),
        ("select nosuch from t", 904),
        ("delete from nosuch", 942),
    ):
        assert code_of(table, sql) == code, sql
    assert table.execute("insert into t (id, name) values (2, 'b')").changed == 1
    table.execute("commit")
    assert rows(table, "select id, name from t order by id") == [(1, "a"), (2, "b")]


def test_ddl_commits(table, another_session):
    table.execute("insert into t (id, name) values (1, 'a')")
    table.execute("create table u (x integer)")
    table.execute("rollback")
    assert rows(another_session, "select count(*) from t") == [(1,)]


def test_the_end_of_a_session_rolls_back(learners_engine, table):
    from raclab.database.session import Client, Session

    other = Session(learners_engine, 1, Client())
    other.execute("insert into t (id, name) values (7, 'x')")
    other.close()
    assert rows(table, "select count(*) from t") == [(0,)]


def test_two_sessions_that_change_the_same_row(table, another_session):
    table.execute("insert into t (id, name) values (1, 'a')")
    table.execute("commit")
    another_session.execute("insert into t (id, name) values (2, 'mine')")
    table.execute("update t set name = 'b' where id = 1")
    assert code_of(another_session, "update t set name = 'c' where id = 1") == 8177
    assert rows(another_session, "select count(*) from t where id = 2") == [(1,)]
    table.execute("commit")
    another_session.execute("rollback")
    another_session.execute("update t set name = 'c' where id = 1")
    another_session.execute("commit")
    assert rows(table, "select name from t") == [("c",)]


def test_dml_of_every_kind(table):
    assert table.execute("insert into t (id, name) select level, 'n' || level from dual connect by level <= 5").changed == 5
    assert table.execute("update t x set x.name = upper(x.name), price = id / 4 where x.id in (1, 2)").changed == 2
    assert table.execute("delete t where id = 5").changed == 1
    assert table.execute("delete from t where rownum <= 1").changed == 1
    assert table.execute("update t set price = 9 where rownum < 2").changed == 1
    merge = (
        "merge into t using (select 2 id, 'm' name from dual union all select 9, 'new' from dual) s on (t.id = s.id) "
        "when matched then update set name = s.name when not matched then insert (id, name) values (s.id, s.name)"
    )
    assert table.execute(merge).changed == 2
    assert rows(table, "select id, name from t order by id") == [(2, "m"), (3, "n3"), (4, "n4"), (9, "new")]
    assert rows(table, "select count(*) from t where made between sysdate - 1/24 and sysdate") == [(4,)]


def test_numbers_and_dates_come_back_as_they_went_in(session):
    session.execute("create table n (a number, b number(10,2), c integer, d timestamp, e binary_double, f clob, g raw(16))")
    session.execute("insert into n values (0.1, 12.345, 7.5, timestamp '2026-01-02 03:04:05.678901', 0.1, 'long', hextoraw('FF'))")
    assert [str(value) for value in rows(session, "select a * 3, b, c, d, e, f, g from n")[0]] == [
        "0.3000000000",
        "12.35",
        "8",
        "2026-01-02 03:04:05.678901",
        "0.1",
        "long",
        "b'\\xff'",
    ]


def test_an_empty_string_is_stored_as_null(table):
    assert code_of(table, "insert into t (id, name) values (1, '')") == 1400
    assert code_of(table, "insert into t (id, name) values (1, :n)", "") == 1400


def test_tables_views_sequences_indexes_and_changes_of_them(session):
    for sql in (
        "create table a (x number, y varchar2(10))",
        "create or replace view v as select x * 2 twice from a",
        "create table b as select level n from dual connect by level <= 3",
        "create sequence s start with 10 increment by 5 cache 20 order",
        "alter table a add (z date, w number(3))",
        "alter table a rename column y to yy",
        "comment on table a is 'mine'",
        "create index a_x on a (x)",
    ):
        session.execute(sql)
    session.execute("insert into a (x, yy) values (s.nextval, 'q')")
    assert rows(session, "select a.x, v.twice, s.currval, (select max(n) from b) from a, v") == [(10, 20, 10, 3)]
    assert rows(session, "select table_name from user_tables order by 1") == [("A",), ("B",)]
    assert rows(session, "select column_name, data_type from user_tab_columns where table_name = 'A' order by column_id") == [
        ("X", "NUMBER"),
        ("YY", "VARCHAR2"),
        ("Z", "DATE"),
        ("W", "NUMBER"),
    ]
    session.execute("commit")
    for sql in (
        "drop view v",
        "drop index a_x",
        "truncate table b",
        "drop table b purge",
        "alter table a drop column w",
        "drop sequence s",
    ):
        session.execute(sql)
    assert code_of(session, "create table a (x number)") == 955
    assert code_of(session, "drop table nosuch") == 942
    assert code_of(session, "drop sequence s") == 2289
    session.execute("drop table a cascade constraints")
    assert rows(session, "select count(*) from user_tables") == [(0,)]


def test_own_tables_outlive_a_reset_and_can_be_named_with_the_schema(engine, session):
    session.execute("create table lab.kept as select event, total_waits from v$system_event")
    engine.reset()
    assert rows(session, "select count(*) from lab.kept") == [(0,)]


def test_current_schema_can_be_published(session):
    session.execute("alter session set current_schema = published")
    assert (
        rows(session, "select sys_context('userenv', 'current_schema'), count(*) from nocache_sequences_tkprof_waits")[0][0] == "PUBLISHED"
    )
    assert code_of(session, "delete from nocache_sequences_tkprof_waits") == 1031


def test_many_changes_before_an_error_are_all_kept(table):
    for number in range(200):
        table.execute("insert into t (id, name) values (:1, :2)", [number, "x"])
    assert code_of(table, "insert into t (id, name) values (0, 'x')") == 1
    table.execute("commit")
    assert rows(table, "select count(*) from t") == [(200,)]


def test_too_many_changes_before_an_error_are_rolled_back_and_it_is_said(table, monkeypatch):
    monkeypatch.setattr("raclab.database.transaction.MOST_CHANGES", 10)
    for number in range(11):
        table.execute("insert into t (id, name) values (:1, 'x')", [number])
    assert code_of(table, "insert into t (id, name) values (0, 'x')") == 2091
    assert rows(table, "select count(*) from t") == [(0,)]
    table.execute("insert into t (id, name) values (0, 'x')")


@pytest.mark.parametrize(
    ("block", "values", "said"),
    [
        ("begin null; end;", [], {}),
        ("begin dbms_session.sleep(0); dbms_output.put_line('x'); -- waits\nend;", [], {}),
        ("call dbms_application_info.set_module('called', :1)", ["c"], {"module": "called", "action": "c"}),
        ("BEGIN DBMS_APPLICATION_INFO.SET_MODULE('m', 'a'); END;", [], {"module": "m", "action": "a"}),
        (
            "begin dbms_application_info.set_module(module_name => :1, action_name => :2); end;",
            ["x", None],
            {"module": "x", "action": None},
        ),
        (
            "begin dbms_application_info.set_action('it''s'); dbms_session.set_identifier('me'); end;",
            [],
            {"action": "it's", "client_identifier": "me"},
        ),
    ],
)
def test_blocks_that_only_say_who_the_session_is(session, block, values, said):
    session.execute(block, values)
    for name, value in said.items():
        assert rows(session, f"select {name} from v$session where sid = sys_context('userenv', 'sid')") == [(value,)]


def test_savepoints(table, another_session):
    table.execute("insert into t (id, name) values (1, 'a')")
    table.execute("savepoint one")
    table.execute("insert into t (id, name) values (2, 'b')")
    table.execute("savepoint two")
    table.execute("update t set name = 'z'")
    table.execute("rollback to savepoint two")
    assert rows(table, "select id, name from t order by id") == [(1, "a"), (2, "b")]
    table.execute("rollback work to one")
    assert code_of(table, "rollback to two") == 1086
    table.execute("insert into t (id, name) values (3, 'c')")
    table.execute("commit")
    assert rows(another_session, "select id from t order by id") == [(1,), (3,)]
    assert code_of(table, "rollback to one") == 1086


def test_inserts_into_several_tables_and_changes_of_several_columns(session):
    for sql in ("create table low (id number, kind varchar2(9))", "create table high (id number)", "create table rest (id number)"):
        session.execute(sql)
    assert session.execute("insert all into low values (1, 'a') into low (id) values (2) select * from dual").changed == 2
    every = (
        "insert {} when n < 3 then into low (id, kind) values (n, 'few') "
        "when n < 5 then into high values (n) else into rest select n from {}"
    )
    source = "(select level n from dual connect by level <= 6)"
    assert session.execute(every.format("all", source)).changed == 2 + 4 + 2
    session.execute("rollback")
    assert session.execute(every.format("first", source)).changed == 6
    assert rows(session, "select (select sum(id) from low), (select sum(id) from high), (select sum(id) from rest) from dual") == [
        (3, 7, 11)
    ]
    assert session.execute("update low l set (id, kind) = (select max(id), 'new' from rest) where l.id = 1").changed == 1
    assert rows(session, "select id, kind from low order by id") == [(2, "few"), (6, "new")]
    assert code_of(session, "update low set (id, kind) = (select 1 from dual)") == 947


def test_tables_are_altered_with_their_rows(table):
    table.execute("create index t_made on t (made)")
    table.execute("insert into t (id, name) values (1, 'abcde')")
    for sql in (
        "alter table t modify (name varchar2(8), price number(9,3) default 7)",
        "alter table t add note varchar2(3)",
        "alter table t add constraint t_name unique (name)",
        "alter table t modify name null",
    ):
        table.execute(sql)
    table.execute("insert into t (id, name, note) values (2, 'abcdefgh', 'abc')")
    table.execute("insert into t (id) values (3)")
    assert rows(table, "select id, name, price, note from t order by id") == [
        (1, "abcde", None, None),
        (2, "abcdefgh", 7, "abc"),
        (3, None, 7, None),
    ]
    assert code_of(table, "insert into t (id, name) values (4, 'abcdefghi')") == 12899
    assert code_of(table, "insert into t (id, note) values (4, 'abcd')") == 12899
    assert code_of(table, "insert into t (id, name) values (4, 'abcde')") == 1
    assert code_of(table, "insert into t (id, price) values (4, -1)") == 2290
    assert code_of(table, "alter table t modify nosuch number") == 904
    table.execute("alter table t drop (note)")
    table.execute("rename t to u")
    assert rows(table, "select count(*) from u") == [(3,)]
    indexes = rows(table, "select index_name, uniqueness from user_indexes order by 1")
    assert ("T_MADE", "NONUNIQUE") in indexes
    assert [uniqueness for name, uniqueness in indexes if name != "T_MADE"] == ["UNIQUE", "UNIQUE"]  # of the primary key and of t_name


def test_identity_columns_and_the_dictionary(session):
    session.execute("create table i (id number generated by default as identity, name varchar2(9))")
    session.execute("insert into i (name) values ('a')")
    session.execute("insert into i (name) values ('b')")
    assert rows(session, "select id, name from i order by id") == [(1, "a"), (2, "b")]
    assert rows(session, "select object_name, object_type from user_objects order by 1") == [("I", "TABLE"), ("ISEQ$$_I", "SEQUENCE")]
    assert rows(session, "select last_number, increment_by from dba_sequences") == [(3, 1)]


@pytest.mark.parametrize(("returning", "values", "code"), [("id, name into :1", [None], 913), ("id into :1, :2", [None, None], 947)])
def test_a_change_that_returns_more_or_less_than_is_received_is_not_made(table, returning, values, code):
    assert code_of(table, f"insert into t (id, name) values (1, 'a') returning {returning}", *values) == code
    assert rows(table, "select count(*) from t") == [(0,)]


@pytest.mark.parametrize("block", ["begin null end;", "begin dbms_application_info.set_module(1 + 1, 'a'); end;", "begin commit; end;"])
def test_other_blocks_are_refused(session, block):
    assert code_of(session, block) in (3001, 6550)
