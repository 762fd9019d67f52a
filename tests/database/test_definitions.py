"""Definitions in schema LAB: foreign keys and what hangs on them, altered sequences, indexes on expressions, storage; and MERGE."""

import pytest

from raclab.database.oracle_error import OracleError


def code_of(session, sql):
    with pytest.raises(OracleError) as raised:
        session.execute(sql)
    return raised.value.code


@pytest.fixture
def family(session):
    """Three generations of tables, each with a foreign key to the one before, and a row in each."""
    for sql in (
        "create table grandparent (id number(2) primary key)",
        "create table parent (id number(4) primary key, name varchar2(10), above number(2) references grandparent)",
        "create table child (above number(4) references parent (id), x number)",
        "create index child_x on child (x)",
        "insert into grandparent values (10)",
        "insert into parent values (20, 'one', 10)",
        "insert into child values (20, 1)",
        "commit",
    ):
        session.execute(sql)
    return session


def test_a_foreign_key_in_a_columns_definition_is_kept(family):
    assert code_of(family, "insert into child values (99, 1)") == 2291
    assert code_of(family, "delete from grandparent") == 2292


def test_a_parent_can_be_changed_and_its_children_stay_children(family):
    family.execute("alter table grandparent add constraint small check (id < 50)")
    family.execute("alter table parent modify name varchar2(20) not null")
    assert code_of(family, "insert into grandparent values (60)") == 2290
    assert code_of(family, "insert into parent values (21, null, 10)") == 1400
    assert code_of(family, "insert into parent values (21, 'two', 11)") == 2291
    assert code_of(family, "insert into child values (99, 1)") == 2291
    assert family.execute("insert into child values (20, 2)").changed == 1
    assert family.execute("select index_name from user_indexes where table_name = 'CHILD'").rows == [("CHILD_X",)]
    assert family.execute("select g.id, p.name, c.x from grandparent g, parent p, child c order by c.x").rows == [
        (10, "one", 1),
        (10, "one", 2),
    ]


def test_a_parent_is_dropped_with_cascade_constraints_only(family):
    assert code_of(family, "drop table grandparent") == 2449
    family.execute("drop table grandparent cascade constraints")
    assert family.execute("insert into parent values (21, 'two', 77)").changed == 1
    assert code_of(family, "insert into child values (99, 1)") == 2291
    assert code_of(family, "drop table grandparent cascade constraints") == 942


def test_a_change_that_the_rows_stand_against_changes_nothing(family):
    assert code_of(family, "alter table parent add constraint other check (id > 20)") == 2293
    assert code_of(family, "insert into child values (99, 1)") == 2291
    assert family.execute("insert into parent values (15, 'x', 10)").changed == 1


def next_number(session):
    [(number,)] = session.execute("select s.nextval from dual").rows
    return number


def test_an_altered_sequence_goes_on_where_it_was(session):
    session.execute("create sequence s start with 10 increment by 5 nocache order")
    assert [next_number(session), next_number(session)] == [10, 15]
    session.execute("alter sequence s cache 1000 noorder")
    assert next_number(session) == 20
    session.execute("alter sequence s increment by 2")
    assert next_number(session) == 22
    session.execute("alter sequence s restart start with 3 maxvalue 6 cycle")
    assert [next_number(session) for _ in range(3)] == [3, 5, 1]


def test_an_altered_sequence_that_was_never_used_begins_at_its_beginning(session):
    session.execute("create sequence s start with 7")
    session.execute("alter sequence s increment by 3")
    assert [next_number(session), next_number(session)] == [7, 10]


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("alter sequence nosuch cache 5", 2289),
        ("alter sequence s start with 3", 2283),
        ("alter sequence s cache 1", 4010),
        ("alter sequence s increment by 0", 4002),
        ("alter sequence s maxvalue 5", 4007),
        ("alter sequence s minvalue 9 maxvalue 9", 4004),
        ("create sequence s", 955),
        ("create sequence other cache 1", 4010),
    ],
)
def test_what_a_sequence_refuses(session, sql, code):
    session.execute("create sequence s start with 7")
    next_number(session)
    assert code_of(session, sql) == code
    assert next_number(session) == 8


def test_an_index_on_an_expression(session):
    session.execute("create table t (id number, name varchar2(10))")
    session.execute("create index t_upper on t (id, upper(name))")
    session.execute("create unique index t_lower on t (lower(name))")
    session.execute("insert into t values (1, 'a')")
    assert code_of(session, "insert into t values (2, 'A')") == 1
    session.execute("alter table t add note varchar2(3)")  # its indexes are made again
    assert code_of(session, "insert into t values (2, 'A', null)") == 1


def test_merge_takes_its_targets_columns_with_the_tables_alias(session):
    session.execute("create table t (id number primary key, n number)")
    session.execute("insert into t values (1, 1)")
    merge = """
        merge into t a using (select 1 id from dual union all select 2 from dual) b on (a.id = b.id)
        when matched then update set a.n = a.n + 10 when not matched then insert (a.id, a.n) values (b.id, 5)"""
    assert session.execute(merge).changed == 2
    assert session.execute("select id, n from t order by id").rows == [(1, 11), (2, 5)]


@pytest.fixture
def numbers(session):
    session.execute("create table t (id number primary key, n number default 7)")
    session.execute("insert into t values (1, 1)")
    session.execute("insert into t values (3, 3)")
    return session


def test_where_in_a_merge_leaves_rows_alone(numbers):
    merge = """
        merge into t using (select level id from dual connect by level <= 5) b on (t.id = b.id)
        when matched then update set n = n + 10 where t.n > 2
        when not matched then insert (id, n) values (b.id, 5) where b.id < 4"""
    assert numbers.execute(merge).changed == 2
    assert numbers.execute("select id, n from t order by id").rows == [(1, 1), (2, 5), (3, 13)]


def test_merge_changes_no_column_that_it_matches_by(numbers):
    merge = "merge into t a using (select 1 id from dual) b on (a.id = b.id) when matched then update set {} = 9"
    assert code_of(numbers, merge.format("id")) == 38104
    assert numbers.execute(merge.format("a.n")).changed == 1


@pytest.mark.parametrize(
    ("update", "delete", "changed", "left"),
    [
        ("n = n + 10", "n > 12", 6, {1: 11, 2: 12}),  # by the new values, not the old ones
        ("n = n + 10 where t.n < 5", "n > 12", 4, {1: 11, 2: 12, 5: 5, 6: 6}),  # only of what was updated
        ("n = b.id * 2", "t.n = 8 or b.id = 1", 6, {2: 4, 3: 6, 5: 10, 6: 12}),
        ("n = b.id / 3", "t.n = 0.33", 6, {2: 0.67, 3: 1, 4: 1.33, 5: 1.67, 6: 2}),  # as NUMBER(5,2) keeps it
        ("n = case when b.id = 2 then null else n end", "n is null", 6, {1: 1, 3: 3, 4: 4, 5: 5, 6: 6}),
        ("n = :x", "case when b.id < 4 then n end > :y", 6, {4: 9, 5: 9, 6: 9}),
    ],
)
def test_merge_deletes_of_what_it_has_updated(session, update, delete, changed, left):
    session.execute("create table t (id number primary key, n number(5,2))")
    session.execute("insert into t select level, level from dual connect by level <= 7")
    merge = (
        "merge into t using (select level id from dual connect by level <= 6) b on (t.id = b.id) "
        f"when matched then update set {update} delete where {delete} when not matched then insert (id, n) values (b.id, 0)"
    )
    assert session.execute(merge, [9, 8] if ":" in update else ()).changed == changed
    assert {int(id): float(n) for id, n in session.execute("select id, n from t").rows} == left | {7: 7}


def test_default_as_a_value(numbers):
    numbers.execute("insert into t values (4, default)")
    numbers.execute("update t set n = default where id = 1")
    numbers.execute("merge into t using (select 3 id from dual) b on (t.id = b.id) when matched then update set n = default")
    assert numbers.execute("select id, n from t order by id").rows == [(1, 7), (3, 7), (4, 7)]


def test_a_view_takes_no_changes(numbers):
    numbers.execute("create view v as select id from t")
    assert code_of(numbers, "insert into v values (9)") == 1732
    assert code_of(numbers, "delete from v") == 1732
    assert code_of(numbers, "update v set id = 9") == 1732


@pytest.mark.parametrize("words", ["nologging", "parallel 4 nologging", "noparallel compress", "row store compress advanced cache"])
def test_how_a_table_is_stored_changes_nothing(numbers, words):
    numbers.execute(f"create table a {words} as select * from t")
    numbers.execute(f"create table b (id number, text varchar2(9) default 'x') {words}")
    assert numbers.execute("select count(*) from a").rows == [(2,)]
    for one in ("move", "parallel 8", "nologging", "enable row movement", "shrink space cascade"):
        numbers.execute(f"alter table b {one}")
    assert code_of(numbers, "alter table nosuch move") == 942
    numbers.execute("alter table b add constraint positive check (id > 0) enable validate")
    assert code_of(numbers, "insert into b (id) values (0)") == 2290
