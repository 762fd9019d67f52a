"""Views are created when a statement first names them: nobody notices, whatever else goes on."""

import threading

import pytest

from raclab.database.definitions import definitions
from raclab.database.engine import Engine
from raclab.database.oracle_error import OracleError
from raclab.database.session import Client, Session


def there(engine):
    return {name for (name,) in engine.rows("SELECT view_name FROM duckdb_views() WHERE schema_name = 'SYS'")}


@pytest.fixture
def session(engine):
    made = Session(engine, 1, Client())
    yield made
    made.close()


def test_a_view_is_created_when_it_is_named_with_what_it_rests_on(engine, session):
    assert there(engine) == {"DUAL"}
    assert len(session.execute("select * from v$instance").rows) == 1
    assert there(engine) == {"DUAL", "V$INSTANCE", "GV$INSTANCE"}
    session.execute("select count(*) from dba_hist_active_sess_history")
    assert there(engine) >= {"DBA_HIST_ACTIVE_SESS_HISTORY", "GV$ACTIVE_SESSION_HISTORY"}


def test_nothing_is_created_for_a_name_that_there_is_not(engine, session):
    with pytest.raises(OracleError, match="V\\$NOTHING does not exist in the simulated cluster"):
        session.execute("select * from v$nothing")
    assert there(engine) == {"DUAL"}


def test_a_described_statement_has_its_columns_at_once(session):
    assert [name for name, _ in session.columns("select * from v$thread")][:3] == ["THREAD#", "STATUS", "ENABLED"]


def test_every_view_can_be_created_and_has_the_columns_that_are_said_of_it(engine, session):
    for name, one in definitions().items():
        if one.columns:
            shown = session.execute(f'select * from "{name}" where 1 = 0').columns
            assert shown == [(column, kind.replace(", ", ",")) for column, kind in one.columns], name


def test_the_dictionary_lists_views_that_nobody_has_named(engine, session):
    listed = {name for (name,) in session.execute("select view_name from all_views where owner = 'SYS'").rows}
    assert listed == {name for name, one in definitions().items() if one.columns}
    columns = session.execute("select column_name, data_type from all_tab_columns where table_name = 'GV$THREAD' order by column_id").rows
    assert columns[:3] == [("INST_ID", "NUMBER"), ("THREAD#", "NUMBER"), ("STATUS", "VARCHAR2")]
    assert "GV$THREAD" not in there(engine)
    assert session.execute("select count(*) from v$fixed_table where name = 'GV$THREAD'").rows == [(1,)]
    assert session.execute("select object_type from all_objects where object_name = 'V$LOCK'").rows == [("VIEW",)]


def test_an_open_transaction_sees_new_views_and_nothing_else_that_is_new(engine, session):
    other = Session(engine, 2, Client())
    session.execute("create table mine (n number)")
    session.execute("create table theirs (n number)")
    session.execute("insert into mine values (1)")
    other.execute("insert into theirs values (1)")
    other.commit()
    assert session.execute("select count(*) from gv$thread, dba_hist_snapshot").rows[0][0] > 0
    assert session.execute("select (select count(*) from mine), (select count(*) from theirs) from dual").rows == [(1, 0)]
    session.rollback()
    assert session.execute("select (select count(*) from mine), (select count(*) from theirs) from dual").rows == [(0, 1)]
    other.close()


IN_A_TRANSACTION = [
    ("select count(*) from gv$thread", [(2,)]),
    ("select t.thread# from v$thread t", [(1,)]),
    ("select gv$thread.thread# from gv$thread order by gv$thread.thread#", [(1,), (2,)]),
    ("select sys.v$thread.thread#, v$thread.status from sys.v$thread", [(1, "OPEN")]),
    ('select \'SYS.V$THREAD, "SYS"."V$THREAD" AS "X"\' from v$thread', [('SYS.V$THREAD, "SYS"."V$THREAD" AS "X"',)]),
    ("select m.n, t.thread# from mine m left join v$thread t on t.thread# = m.n", [(1, 1)]),
    ("select count(*) from mine where n in (select inst_id from gv$instance)", [(1,)]),
    ("select a.inst_id from gv$instance a, gv$instance b where a.inst_id = b.inst_id + 1", [(2,)]),
    ("select count(*) from dba_hist_active_sess_history", [(0,)]),
    ("select object_type from user_objects where object_name = 'MINE'", [("TABLE",)]),
    ("select table_name from dict where table_name = 'V$THREAD'", [("V$THREAD",)]),
    ("select count(*) from v$session s join v$process p on p.addr = s.paddr where s.username = 'LAB'", [(1,)]),
    ("select * from (select inst_id, status from gv$thread) pivot (count(*) for inst_id in (1 as one, 3 as three))", [("OPEN", 1, 0)]),
]


@pytest.fixture(scope="module")
def begun():
    """An engine, and a session whose transaction has begun."""
    engine = Engine()
    session = Session(engine, 1, Client())
    session.execute("create table mine (n number)")
    session.execute("insert into mine values (1)")
    yield engine, session
    session.close()
    engine.close()


@pytest.mark.parametrize(("sql", "rows"), IN_A_TRANSACTION)
def test_a_view_that_is_first_named_in_a_transaction_is_not_created(begun, sql, rows):
    engine, session = begun
    outcome = session.execute(sql)
    assert outcome.rows == rows
    assert session.columns(sql) == outcome.columns
    assert there(engine) == {"DUAL"}


def test_changes_with_such_views_are_made_again_after_an_error(engine, session):
    session.execute("create table mine (n number primary key)")
    session.execute("insert into mine values (7)")
    session.execute("insert into mine select inst_id from gv$thread")
    with pytest.raises(OracleError, match="ORA-00001"):
        session.execute("insert into mine select thread# from v$thread")
    assert session.execute("select n from mine order by n").rows == [(1,), (2,), (7,)]
    assert there(engine) == {"DUAL"}
    session.commit()
    assert len(session.execute("select * from gv$thread").rows) == 2
    assert there(engine) == {"DUAL", "GV$THREAD"}


def test_a_view_made_in_a_transaction_ends_it_and_stays(engine, session):
    session.execute("create table mine (n number)")
    session.execute("insert into mine values (1)")
    session.execute("create view threads as select thread# from v$thread")
    assert there(engine) == {"DUAL", "V$THREAD", "GV$THREAD"}
    session.rollback()
    assert session.execute("select n, thread# from mine, threads").rows == [(1, 1)]


def test_views_stay_over_a_restart_of_the_cluster(engine, session):
    session.execute("select * from v$thread")
    engine.reset()
    assert session.execute("select count(*) from gv$thread").rows == [(2,)]
    assert session.execute("select count(*) from v$enqueue_stat").rows == [(0,)]


def test_sessions_may_name_the_same_views_at_once():
    engine = Engine()
    sessions = [Session(engine, 1, Client()) for _ in range(8)]
    ready, failed, found = threading.Barrier(len(sessions)), [], []

    def ask(one):
        try:
            ready.wait(30)
            for name in ("v$session", "dba_hist_sysstat", "v$sqlarea", "user_tab_cols"):
                found.append(one.execute(f"select count(*) from {name}").rows)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=ask, args=(one,)) for one in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failed == [] and len(found) == 4 * len(sessions)
    for one in sessions:
        one.close()
    engine.close()
