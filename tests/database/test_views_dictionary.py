"""The dictionary: Oracle's columns in order, what is known of tables of one's own, and the objects behind ASH."""

import csv

import pytest

from raclab.database import dictionary_views
from raclab.database.loader import load
from raclab.database.session import Client, Session
from raclab.myths.registry import myth

TYPES = {"NUMBER": "DECIMAL(38,0)", "VARCHAR2": "VARCHAR", "CHAR": "VARCHAR", "LONG": "VARCHAR", "DATE": "TIMESTAMP_S", "RAW": "BLOB"}


def documented():
    found = {}
    with dictionary_views.COLUMNS_FILE.open(encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            kind = "TIMESTAMP" if row["type"].startswith("TIMESTAMP") else TYPES[row["type"].split("(")[0]]
            found.setdefault(row["view"], []).append((row["column"], kind))
    return found


@pytest.fixture(scope="module")
def tables(shared_engine):
    """A session with tables of its own."""
    session = Session(shared_engine, 1, Client())
    session.execute(
        "create table emp (id number(9) primary key, name varchar2(30) not null, sal number(10,2), note varchar2(4000), "
        "any_number number, hired date default sysdate, seen timestamp, unique (name), check (sal > 0))"
    )
    session.execute("create table dept (emp_id number(9), place varchar2(5))")
    session.execute("create index dept_i on dept (place, emp_id)")
    session.execute("create sequence numbers start with 5 cache 100 order")
    yield session
    session.close()


@pytest.fixture(scope="module")
def shared_engine():
    from raclab.database.engine import Engine

    made = Engine()
    yield made
    made.close()


@pytest.mark.parametrize("view", sorted(documented()))
def test_a_dictionary_view_has_oracles_columns_in_order_with_their_types(tables, view):
    assert tables.execute(f"select * from {view}").columns == documented()[view]


@pytest.mark.parametrize("view", sorted(name for name in dictionary_views.NAMES if name.startswith("USER_")))
def test_a_view_of_ones_own_objects_has_all_columns_but_the_owners(tables, view):
    everybodys = documented()[view.replace("USER_", "ALL_", 1)]
    shown = tables.execute(f"select * from {view}").columns
    assert [column for column in everybodys if column in shown] == shown
    assert {name for name, _ in everybodys} - {name for name, _ in shown} <= {"OWNER", "TABLE_OWNER", "INDEX_OWNER", "SEQUENCE_OWNER"}


def test_columns_are_as_they_were_declared(tables):
    found = tables.execute(
        "select column_name, data_type, data_length, data_precision, data_scale, nullable, char_length, data_default from user_tab_cols "
        "where table_name = 'EMP' order by column_id"
    )
    assert found.rows == [
        ("ID", "NUMBER", 22, 9, 0, "N", 0, None),
        ("NAME", "VARCHAR2", 30, None, None, "N", 30, None),
        ("SAL", "NUMBER", 22, 10, 2, "Y", 0, None),
        ("NOTE", "VARCHAR2", 4000, None, None, "Y", 4000, None),
        ("ANY_NUMBER", "NUMBER", 22, None, None, "Y", 0, None),
        ("HIRED", "DATE", 7, None, None, "Y", 0, "sysdate"),
        ("SEEN", "TIMESTAMP(6)", 11, None, None, "Y", 0, None),
    ]


def test_keys_checks_and_indexes_are_told_with_their_columns(tables):
    keys = tables.execute(
        "select c.constraint_type, k.column_name, k.position, c.search_condition from user_constraints c join user_cons_columns k "
        "on k.constraint_name = c.constraint_name where c.table_name = 'EMP' and c.constraint_type <> 'C' order by 1"
    )
    assert keys.rows == [("P", "ID", 1, None), ("U", "NAME", 1, None)]
    checks = tables.execute(
        "select search_condition_vc, generated from user_constraints where table_name = 'EMP' and constraint_type = 'C' order by 1"
    )
    assert checks.rows[0] == ('"NAME" IS NOT NULL', "GENERATED NAME") and len(checks.rows) == 2
    columns = tables.execute(
        "select i.uniqueness, c.column_name, c.column_position from all_ind_columns c join dba_indexes i on i.index_name = c.index_name "
        "and i.owner = c.index_owner where i.table_name in ('EMP', 'DEPT') and i.owner = user order by i.table_name, 1, 2"
    )
    assert columns.rows == [("NONUNIQUE", "EMP_ID", 2), ("NONUNIQUE", "PLACE", 1), ("UNIQUE", "ID", 1), ("UNIQUE", "NAME", 1)]


def test_a_sequence_shows_its_cache_and_its_order(tables):
    found = tables.execute("select sequence_name, cache_size, order_flag, increment_by, last_number from dba_sequences")
    assert found.rows == [("NUMBERS", 100, "Y", 1, 5)]


def test_the_objects_that_ash_names_are_in_dba_objects_and_nobodys_tables(tables, shared_engine):
    for slug in ("logical_isolation", "nfs_throughput", "scale_out", "nocache_sequences"):
        one = myth(slug)
        load(shared_engine, one.simulate(one.levers(), [1]), slug)
    unknown = tables.execute(
        "select count(*) from gv$active_session_history where current_obj# not in (select object_id from dba_objects where object_id > 0)"
    )
    assert unknown.rows == [(0,)]
    hot = tables.execute(
        "select distinct o.owner, o.object_name from gv$active_session_history a join dba_objects o on o.object_id = a.current_obj#"
    )
    assert len(hot.rows) > 2
    assert tables.execute("select count(*) from all_objects where owner = 'LAB' and object_name in ('ORDERS', 'T1')").rows == [(0,)]
