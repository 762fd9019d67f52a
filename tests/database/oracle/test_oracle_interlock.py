"""The interlock: against a database that is not the lab's, nothing is ever sent that writes or loads."""

import contextlib
from collections.abc import Callable
from typing import Any

import oracledb
import pytest

import raclab
from raclab.database.interlock import InterlockError
from raclab.database.lab import Lab
from raclab.database.reading import is_reading
from raclab.errors import LabError
from raclab.evidence.measurement import Kind

MYTH = raclab.myth("nocache_sequences")

CLOSED = {
    "not named": ({}, "", "for reading only, and nothing was sent that writes: if it is yours to load, set RACLAB_I_OWN_THIS_DATABASE"),
    "another named": ({}, "TEST1", "RACLAB_I_OWN_THIS_DATABASE says TEST1, but FREE is connected"),
    "no mark": (
        {"mark": None},
        "FREE",
        "RACLAB is not a user that the lab made in FREE, so nothing was sent that writes: run python -m raclab",
    ),
    "mark of another user": ({"mark": ("OTHER", "FREE", "FREEPDB1")}, "FREE", "was made for another user or database"),
    "mark of another database": ({"mark": ("RACLAB", "TEST1", "FREEPDB1")}, "FREE", "was made for another user or database"),
    "mark of another container": ({"mark": ("RACLAB", "FREE", "PDB2")}, "FREE", "was made for another user or database"),
}


@pytest.fixture(params=CLOSED)
def closed(request: pytest.FixtureRequest, fake_oracle: Any, as_lab_user: Any) -> tuple[Any, str]:
    """A database whose interlock is closed, and the sentence's gist."""
    what, owned, wanted = CLOSED[request.param]
    oracle = fake_oracle(**what)
    as_lab_user(oracle, owned)
    return oracle, wanted


def ways_to_write(lab: Lab) -> dict[str, Callable[[], object]]:
    """Every way in which something could be written over a lab."""
    connection, cursor = lab.connection, lab.connection.cursor()
    return {
        "run": lambda: lab.run(MYTH),
        "sql": lambda: lab.sql("delete from t"),
        "plsql": lambda: lab.sql("begin dbms_stats.gather_schema_stats('X'); end;"),
        "for update": lambda: lab.sql("select * from t for update"),
        "ddl": lambda: lab.sql("create table t (a number)"),
        "cursor": lambda: cursor.execute("truncate table t"),
        "many": lambda: cursor.executemany("insert into t values (:1)", [(1,), (2,)]),
        "prepare": lambda: cursor.prepare("drop table t"),
        "parse": lambda: cursor.parse("create table t (a number)"),
        "procedure": lambda: cursor.callproc("dbms_lock.sleep", [1]),
        "function": lambda: cursor.callfunc("f", int),
        "frame": lambda: connection.fetch_df_all("delete from t"),
        "frames": lambda: list(connection.fetch_df_batches("delete from t")),
        "direct path": lambda: connection.direct_path_load("S", "T", ["A"], [(1,)]),
        "password": lambda: connection.changepassword("a", "b"),
        "queue": lambda: connection.queue("Q"),
        "subscribe": lambda: connection.subscribe(),
    }


def test_nothing_that_writes_is_sent(closed: tuple[Any, str]) -> None:
    oracle, wanted = closed
    with raclab.connect() as lab:
        for name, write in ways_to_write(lab).items():
            with pytest.raises(InterlockError) as raised:
                write()
            assert wanted in str(raised.value), name
        lab.sql("select 'x' from dual")
    assert oracle.sent(), "the recording has recorded"
    assert [statement for statement in oracle.sent() if not is_reading(statement)] == []
    assert oracle.objects == set() and not oracle.claimed


def test_reading_goes_through(closed: tuple[Any, str]) -> None:
    _, wanted = closed
    with raclab.connect() as lab:
        table = lab.sql("select 'x' from dual")
        assert table.frame.iloc[0, 0] == "X"
        assert table.badges == (Kind.LIVE,)
        assert wanted in lab.interlock.closed and not lab.interlock.open
        cursor = lab.connection.cursor()
        cursor.prepare("select 'x' from dual")
        assert cursor.execute(None).fetchall() == [("X",)]


def test_open_interlock_lets_the_learner_write_in_the_labs_schema(fake_oracle: Any, as_lab_user: Any) -> None:
    oracle = fake_oracle()
    as_lab_user(oracle, "free")
    with raclab.connect() as lab:
        assert lab.interlock.open
        assert lab.sql("create table t (a number)").frame.iloc[0, 0] == "Table created."
    assert oracle.objects == {"T"}


def test_the_interlock_is_asked_again_each_time(fake_oracle: Any, as_lab_user: Any) -> None:
    oracle = fake_oracle()
    as_lab_user(oracle)
    with raclab.connect() as lab:
        lab.sql("create table t (a number)")
        oracle.mark = None
        with pytest.raises(InterlockError):
            lab.sql("create table u (a number)")
    assert oracle.objects == {"T"}


def test_the_variable_counts_as_it_is_set_now(fake_oracle: Any, as_lab_user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    oracle = fake_oracle()
    as_lab_user(oracle, "")
    with raclab.connect() as lab:
        assert not lab.interlock.open
        monkeypatch.setenv("RACLAB_I_OWN_THIS_DATABASE", " free ")
        assert lab.interlock.open
        monkeypatch.delenv("RACLAB_I_OWN_THIS_DATABASE")
        with pytest.raises(InterlockError):
            lab.sql("create table t (a number)")
    assert oracle.objects == set()


def test_another_schema_closes_the_interlock(fake_oracle: Any, as_lab_user: Any) -> None:
    oracle = fake_oracle()
    oracle.others["'session_user'"] = lambda session: elsewhere()
    as_lab_user(oracle)
    with raclab.connect() as lab, pytest.raises(InterlockError, match="works in schema PAYROLL, not in its own"):
        lab.run(MYTH)
    assert all(map(is_reading, oracle.sent()))


def elsewhere() -> Any:
    """The answer of a session whose current schema is another's."""
    from seerdb.common.tns import ColumnMeta
    from seerdb.common.tns_consts import TNS_TYPE_VARCHAR
    from seerdb.server.backend import Result

    columns = [ColumnMeta(name, TNS_TYPE_VARCHAR, 30, 30) for name in (b"A", b"B", b"C", b"D")]
    return Result(columns=columns, rows=[("RACLAB", "PAYROLL", "FREE", "FREEPDB1")])


def test_a_connection_without_a_lab_reads_only(fake_oracle: Any) -> None:
    from raclab.database.connecting import Connector
    from raclab.database.settings import OracleSettings

    oracle = fake_oracle()
    with Connector(OracleSettings(oracle.dsn, oracle.user, oracle.password)).open() as connection, pytest.raises(PermissionError):
        connection.cursor().execute("delete from t")
    assert oracle.sent() == []


def test_a_session_that_is_lost_while_asking_is_one_sentence(fake_oracle: Any, as_lab_user: Any) -> None:
    oracle = fake_oracle()
    as_lab_user(oracle)
    with raclab.connect() as lab:
        oracle.others["'session_user'"] = lambda session: cut()
        with pytest.raises(LabError, match="lost its session"):
            lab.run(MYTH)
        oracle.others.clear()
        with contextlib.suppress(oracledb.Error):
            lab.sql("select 'x' from dual")
        assert len(lab.sql("select 'x' from dual")) == 1


def cut() -> Any:
    """End the connection without an answer."""
    raise RuntimeError("cut")
