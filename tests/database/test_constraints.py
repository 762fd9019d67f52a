"""Constraints of learners' tables: their names, what breaks them, foreign keys and ON DELETE, and what an ALTER leaves as it was."""

import pytest

from raclab.database.oracle_error import OracleError


def error_of(session, sql):
    with pytest.raises(OracleError) as raised:
        session.execute(sql)
    return str(raised.value)


def code_of(session, sql):
    return int(error_of(session, sql)[4:9])


def rows(session, sql):
    return session.execute(sql).rows


def run(session, *statements):
    for sql in statements:
        session.execute(sql)


@pytest.fixture
def orders(session):
    """Customers, their orders, the lines of these, and a note that may be about an order."""
    run(
        session,
        "create table customer (id number(4) constraint customer_pk primary key using index tablespace users, "
        "name varchar2(9) constraint customer_named not null enable, city varchar2(9), constraint customer_u unique (name, city))",
        "create table orders (id number primary key, customer number(4) constraint orders_customer references customer on delete cascade, "
        "price number(5,2) constraint orders_price check ( price >= 0 ))",
        "create table line (orders number constraint line_orders references orders (id) on delete cascade, place number)",
        "create table note (orders number references orders on delete set null, "
        "customer number(4) constraint note_customer references customer)",
        "insert into customer values (1, 'ann', 'Bern')",
        "insert into customer values (2, 'bob', 'Bern')",
        "insert into orders select level, mod(level, 2) + 1, level from dual connect by level <= 4",  # 1, 3 are bob's, 2, 4 ann's
        "insert into line select mod(level, 4) + 1, level from dual connect by level <= 8",  # two for each order
        "insert into note values (1, null)",
        "insert into note values (2, 2)",
        "commit",
    )
    return session


# -- names


def test_constraints_are_shown_by_name_with_what_they_are(orders):
    found = rows(
        orders,
        "select table_name, constraint_name, constraint_type, search_condition, r_constraint_name, delete_rule, generated "
        "from user_constraints where generated = 'USER NAME' order by 1, 2",
    )
    named = "USER NAME"
    assert found == [
        ("CUSTOMER", "CUSTOMER_NAMED", "C", '"NAME" IS NOT NULL', None, None, named),
        ("CUSTOMER", "CUSTOMER_PK", "P", None, None, None, named),
        ("CUSTOMER", "CUSTOMER_U", "U", None, None, None, named),
        ("LINE", "LINE_ORDERS", "R", None, orders_key(orders), "CASCADE", named),
        ("NOTE", "NOTE_CUSTOMER", "R", None, "CUSTOMER_PK", "NO ACTION", named),
        ("ORDERS", "ORDERS_CUSTOMER", "R", None, "CUSTOMER_PK", "CASCADE", named),
        ("ORDERS", "ORDERS_PRICE", "C", "price >= 0", None, None, named),
    ]
    keys = "select column_name, position from all_cons_columns where constraint_name = 'CUSTOMER_U' and owner = 'LAB' order by position"
    assert rows(orders, keys) == [("NAME", 1), ("CITY", 2)]


def orders_key(session):
    """The name that the system gave to the primary key of ORDERS."""
    [(name,)] = rows(session, "select constraint_name from dba_constraints where table_name = 'ORDERS' and constraint_type = 'P'")
    return name


def test_a_constraint_without_a_name_gets_one_of_the_systems(orders):
    names = rows(orders, "select constraint_name from user_constraints where generated = 'GENERATED NAME'")
    assert len(names) == len(set(names)) == 2  # the key of ORDERS, a foreign key of NOTE
    assert all(name.startswith("SYS_C") and name[5:].isdigit() for (name,) in names)


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("insert into customer values (1, 'x', 'y')", "ORA-00001: unique constraint (LAB.CUSTOMER_PK) violated"),
        ("insert into customer values (3, 'ann', 'Bern')", "ORA-00001: unique constraint (LAB.CUSTOMER_U) violated"),
        ("insert into customer select 7, 'n' || level, 'x' from dual connect by level < 3", "ORA-00001: unique constraint"),
        ("update customer set name = 'bob' where id = 1", "ORA-00001: unique constraint (LAB.CUSTOMER_U) violated"),
        ("insert into orders values (5, 1, -1)", "ORA-02290: check constraint (LAB.ORDERS_PRICE) violated"),
        ("update orders set price = -price where id = 1", "ORA-02290: check constraint (LAB.ORDERS_PRICE) violated"),
        ("insert into orders values (5, 9, 1)", "ORA-02291: integrity constraint (LAB.ORDERS_CUSTOMER) violated - parent key not found"),
        (
            "update line set orders = 77 where place = 1",
            "ORA-02291: integrity constraint (LAB.LINE_ORDERS) violated - parent key not found",
        ),
        ("update orders set id = id + 10 where id = 4", "ORA-02292: integrity constraint (LAB.LINE_ORDERS) violated - child record found"),
        ("delete from customer where id = 2", "ORA-02292: integrity constraint (LAB.NOTE_CUSTOMER) violated - child record found"),
        (
            "merge into orders o using (select 1 id from dual) s on (o.id = s.id) when matched then update set customer = 3",
            "ORA-02291: integrity constraint (LAB.ORDERS_CUSTOMER) violated - parent key not found",
        ),
        (
            "insert all into note values (n, null) into line values (n, 1) select 9 n from dual",
            "ORA-02291: integrity constraint (LAB.LINE_ORDERS) violated - parent key not found",
        ),
    ],
)
def test_an_error_names_the_constraint_that_a_statement_breaks(orders, sql, said):
    orders.execute("insert into customer values (8, 'cid', 'Chur')")
    assert error_of(orders, sql).startswith(said)
    orders.execute("commit")
    assert rows(orders, "select count(*) from customer") == [(3,)]  # the failed statement undid itself alone


@pytest.mark.parametrize("committed", [True, False])
def test_a_unique_index_is_named_where_the_rows_are_ones_own_too(session, committed):
    run(session, "create table t (id number primary key, name varchar2(9))", "create unique index t_i on t (lower(name), id)")
    run(session, "create unique index t_n on t (upper(name))", "insert into t values (1, 'a')")
    if committed:
        session.execute("commit")
    assert "(LAB.T_N)" in error_of(session, "insert into t values (2, 'A')")
    assert "(LAB.SYS_C" in error_of(session, "insert into t values (1, 'b')")


def test_a_check_of_a_columns_length_is_told_from_the_columns_own(session):
    session.execute("create table t (a varchar2(5) constraint short check (length(a) <= 3))")
    assert code_of(session, "insert into t values ('abcdef')") == 12899
    assert error_of(session, "insert into t values ('abcd')") == "ORA-02290: check constraint (LAB.SHORT) violated"
    run(session, "alter table t modify a varchar2(2)", "alter table t drop constraint short")
    assert code_of(session, "insert into t values ('abc')") == 12899


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        ("upper(a) = a", "'X'", "'x'"),
        ("a in ('Y', 'N')", "'Y'", "'y'"),
        ("nvl(a, 'none') <> 'none'", "'x'", "null"),
        ("trunc(d) = d", "date '2026-01-01'", "to_date('2026-01-01 12', 'yyyy-mm-dd hh24')"),
        ("mod(n, 2) = 0 and n + 1 > 0", "4", "3"),
    ],
)
def test_a_check_may_call_functions(session, check, good, bad):
    column = {"u": "a", "a": "a", "n": "a", "t": "d", "m": "n"}[check[0]]
    session.execute(f"create table t (a varchar2(5), d date, n number, constraint c check ({check}))")
    if column != "a":
        assert code_of(session, f"insert into t ({column}) values ({bad})") == 2290
        assert session.execute(f"insert into t ({column}) values ({good})").changed == 1
    else:
        assert code_of(session, f"insert into t (a) values ({bad})") == 2290
        assert session.execute(f"insert into t (a) values ({good})").changed == 1


# -- definitions


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("alter table orders drop constraint nosuch", 2443),
        ("alter table line drop primary key", 2441),
        ("alter table line drop unique (place)", 2442),
        ("alter table customer drop constraint customer_pk", 2273),
        ("alter table customer drop primary key", 2273),
        ("alter table customer drop column id", 12992),
        ("alter table customer drop column city", 12991),
        ("alter table customer drop column nosuch", 904),
        ("alter table line drop (orders, place)", 12983),
        ("drop table customer", 2449),
        ("drop table if exists customer", 2449),
        ("drop table nosuch cascade constraints", 942),
        ("truncate table orders", 2266),
        ("alter table line add constraint orders_price check (place > 0)", 2264),
        ("create table t (a number constraint orders_price unique)", 2264),
        ("create table t (a number primary key, b number primary key)", 2260),
        ("alter table orders add primary key (price)", 2260),
        ("create table t (a number unique, unique (a))", 2261),
        ("alter table line add foreign key (orders) references orders", 2275),
        ("create table t (a number references nosuch)", 942),
        ("create table t (a number references line)", 2268),
        ("create table t (a number references customer (name))", 2270),
        ("create table t (a number, b number, foreign key (a, b) references orders)", 2256),
        ("create table t (a number references orders on delete no action)", 905),
        ("create table t (a number check (a > (select 1 from dual)))", 2251),
        ("alter table orders add constraint high check (price > 2)", 2293),
        ("alter table line add constraint line_pk primary key (orders)", 2437),
        ("alter table line add unique (orders)", 2299),
        ("alter table line add constraint line_place foreign key (place) references orders", 2298),
        ("alter table note modify customer not null", 2296),
        ("alter table note add (place number not null)", 1758),
        ("alter table customer modify name not null", 1442),
        ("alter table customer modify city null", 1451),
        ("alter table customer modify name varchar2(2)", 1441),
        ("create table t (a number references orders deferrable)", 3001),
        ("create table t (a number check (a > 0) disable)", 3001),
        ("alter table orders disable constraint orders_price", 3001),
        ("alter table orders rename constraint orders_price to p", 3001),
    ],
)
def test_a_definition_that_fails_changes_nothing(orders, sql, code):
    orders.execute("create index line_i on line (place)")
    before = everything(orders)
    assert code_of(orders, sql) == code
    assert everything(orders) == before
    assert code_of(orders, "insert into line values (9, 9)") == 2291


def everything(session):
    """What there is in LAB: columns, constraints, indexes, comments, sequences, and the tables' rows."""
    asked = {
        "user_tab_columns": "table_name, column_name, data_type, data_length, data_scale, nullable, data_default",
        "user_constraints": "table_name, constraint_name, constraint_type, search_condition, r_constraint_name, delete_rule, generated",
        "user_cons_columns": "constraint_name, column_name, position",
        "user_indexes": "index_name, table_name, uniqueness",
        "user_ind_columns": "index_name, column_name, column_position",
        "user_tab_comments": "table_name, comments",
        "user_col_comments": "table_name, column_name, comments",
        "user_sequences": "sequence_name, last_number",
    }
    found = {view: sorted(rows(session, f"select {columns} from {view}"), key=str) for view, columns in asked.items()}
    tables = [name for (name,) in rows(session, "select table_name from user_tables")]
    return found | {name: sorted(rows(session, f"select * from {name}"), key=str) for name in tables}


def test_if_exists_lets_a_table_be_missing(orders):
    run(orders, "drop table if exists nosuch", "drop table if exists nosuch cascade constraints purge", "drop table if exists line purge")
    run(orders, "drop table if exists customer cascade constraints")
    assert rows(orders, "select table_name from user_tables order by 1") == [("NOTE",), ("ORDERS",)]
    assert orders.execute("insert into orders values (9, 99, 1)").changed == 1
    assert rows(orders, "select count(*) from user_constraints where constraint_type = 'R'") == [(1,)]  # of NOTE, to ORDERS


def test_a_constraint_is_dropped_by_its_name_and_others_stay(orders):
    run(orders, "alter table orders drop constraint orders_price", "alter table customer drop constraint customer_named")
    run(orders, "alter table customer drop unique (name, city)", "insert into orders values (5, 1, -1)")
    run(orders, "insert into customer values (3, null, 'Bern')", "insert into customer values (4, 'ann', 'Bern')")
    assert code_of(orders, "insert into orders values (6, 7, 1)") == 2291
    orders.execute("alter table customer drop constraint customer_pk cascade")
    assert orders.execute("insert into orders values (6, 7, 1)").changed == 1
    assert rows(orders, "select constraint_name from user_constraints where table_name = 'CUSTOMER'") == []
    assert rows(orders, "select constraint_name from user_constraints where constraint_name like '%CUSTOMER'") == []


def test_an_altered_table_keeps_all_else(orders):
    run(
        orders,
        "create table own (id number generated by default as identity primary key, name varchar2(9), x number)",
        "create index own_i on own (name, x)",
        "create unique index own_u on own (upper(name))",
        "comment on table own is 'it''s mine'",
        "comment on column own.name is 'of whom'",
        "insert into own (name, x) values ('a', 1)",
        "commit",
    )
    before = everything(orders)
    run(
        orders,
        "alter table own add constraint own_check check (x > 0)",
        "alter table own add (a number, b varchar2(3) default 'x' constraint own_b not null, constraint own_ab unique (a, b))",
        "alter table own modify (name varchar2(20), x constraint own_x not null)",
        "alter table own add foreign key (a) references orders on delete set null",
        "alter table own rename column name to called",
        "alter table own rename to mine",
        "alter table mine rename to own",
        "alter table own rename column called to name",
        "alter table own drop (a) cascade constraints",
        "alter table own drop column b",
        "alter table own modify (name varchar2(9), x null)",
        "alter table own drop constraint own_check",
    )
    assert everything(orders) == before
    run(orders, "insert into own (name, x) values ('b', 1)")
    assert rows(orders, "select id from own order by id") == [(1,), (2,)]
    run(orders, "drop table own", "create table own (id number generated by default as identity)")


def test_a_parent_is_renamed_with_its_key_and_its_children_follow(orders):
    run(
        orders, "rename customer to client", "alter table client rename column id to no", "alter table orders rename column customer to who"
    )
    assert "(LAB.ORDERS_CUSTOMER)" in error_of(orders, "insert into orders values (5, 9, 1)")
    assert "(LAB.NOTE_CUSTOMER)" in error_of(orders, "delete from client")
    orders.execute("insert into client values (9, 'x', 'y')")
    assert orders.execute("insert into orders values (5, 9, 1)").changed == 1
    found = "select table_name, column_name from user_cons_columns where constraint_name in ('CUSTOMER_PK', 'ORDERS_CUSTOMER') order by 1"
    assert rows(orders, found) == [("CLIENT", "NO"), ("ORDERS", "WHO")]


def test_a_renamed_column_is_renamed_in_its_check(session):
    run(session, "create table t (a number, b varchar2(9), constraint c check (a > 0 and b <> 'a'))", "alter table t rename column a to n")
    assert rows(session, "select search_condition from user_constraints") == [("N > 0 AND b <> 'a'",)]


def test_comments_are_kept_on_tables_columns_and_views(session):
    run(
        session,
        "create table t (a number)",
        "create view v as select a from t",
        "comment on table t is 'x'",
        "comment on column t.a is 'y'",
    )
    run(session, "comment on table v is 'seen'", "comment on table t is ''")
    assert rows(session, "select table_name, comments from user_tab_comments order by 1") == [("T", None), ("V", "seen")]
    assert rows(session, "select table_name, comments from user_col_comments order by 1") == [("T", "y"), ("V", None)]
    assert code_of(session, "comment on table nosuch is 'x'") == 942
    assert code_of(session, "comment on column t.nosuch is 'x'") == 904


# -- foreign keys in transactions


def test_children_go_with_their_parent_or_lose_it(orders):
    orders.execute("delete from note where customer = 2")
    assert orders.execute("delete from customer where id = 2").changed == 1  # Oracle counts the rows of the table itself
    assert rows(orders, "select id from orders order by id") == [(2,), (4,)]
    assert rows(orders, "select orders, count(*) from line group by orders order by 1") == [(2, 2), (4, 2)]
    assert rows(orders, "select orders from note") == [(None,)]
    assert code_of(orders, "insert into line values (1, 1)") == 2291  # the transaction's changes are made again
    orders.execute("savepoint one")
    orders.execute("delete from orders")
    assert rows(orders, "select count(*) from line") == [(0,)]
    orders.execute("rollback to one")
    assert rows(orders, "select count(*) from line") == [(4,)]
    orders.execute("rollback")
    assert rows(
        orders, "select (select count(*) from orders), (select count(*) from line), (select count(orders) from note) from dual"
    ) == [(4, 8, 2)]


def test_merge_that_deletes_takes_children_along(orders):
    merge = (
        "merge into orders o using (select 2 id from dual) s on (o.id = s.id) when matched then update set price = 0 delete where price = 0"
    )
    assert orders.execute(merge).changed == 1
    assert rows(orders, "select orders, count(*) from line group by orders order by 1") == [(1, 2), (3, 2), (4, 2)]


def test_a_tree_falls_with_its_root(session):
    run(
        session,
        "create table emp (id number primary key, boss number constraint emp_boss references emp on delete cascade)",
        "insert into emp select level, nullif(trunc(level / 2), 0) from dual connect by level <= 15",
    )
    assert code_of(session, "insert into emp values (99, 98)") == 2291
    assert session.execute("delete from emp where id = 2").changed == 1
    assert rows(session, "select id from emp order by id") == [(1,), (3,), (6,), (7,), (12,), (13,), (14,), (15,)]
    assert session.execute("insert into emp values (98, 98)").changed == 1  # one's own boss


def test_children_and_then_their_parents_go_in_one_transaction(orders):
    for table in ("note", "line", "orders", "customer"):
        orders.execute(f"delete from {table}")
    run(orders, "insert into customer values (1, 'ann', 'Bern')", "insert into orders values (1, 1, 1)", "commit")
    assert rows(orders, "select id, customer from orders") == [(1, 1)]


@pytest.mark.parametrize("first", ["delete from customer where id = 8", "update customer set id = 9 where id = 8"])
@pytest.mark.parametrize("child_commits_first", [True, False])
def test_a_parent_that_goes_while_another_session_adds_a_child(orders, another_session, first, child_commits_first):
    run(orders, "insert into customer values (8, 'cid', 'Chur')", "commit", first)
    another_session.execute("insert into orders values (8, 8, 1)")  # it sees the customer still
    one, other = (another_session, orders) if child_commits_first else (orders, another_session)
    one.execute("commit")
    assert code_of(other, "commit") == 2091
    orphans = "select count(*) from orders o where customer is not null and not exists (select 1 from customer c where c.id = o.customer)"
    assert rows(orders, orphans) == [(0,)]
    run(another_session, "insert into orders values (9, 1, 1)", "commit")


def test_sessions_that_do_each_other_no_harm_both_commit(orders, another_session):
    run(orders, "insert into orders values (8, 1, 1)", "update customer set city = 'Chur' where id = 2")
    run(
        another_session,
        "insert into orders values (9, 2, 1)",
        "update orders set price = 7 where id = 1",
        "delete from note where orders = 1",
    )
    run(orders, "commit")
    run(another_session, "commit")
    assert rows(orders, "select count(*) from orders") == [(6,)]


@pytest.mark.parametrize("change", ["insert into c values (6)", "delete from p", "update p set id = 6"])
def test_a_foreign_key_that_is_new_binds_a_transaction_that_began_before(session, another_session, change):
    run(session, "create table p (id number primary key)", "create table c (p number)")
    run(session, "insert into p values (5)", "insert into c values (5)", "commit")
    another_session.execute(change)
    session.execute("alter table c add constraint c_p foreign key (p) references p")
    assert code_of(another_session, "commit") == 2091
    assert rows(session, "select (select sum(id) from p), (select sum(p) from c) from dual") == [(5, 5)]
