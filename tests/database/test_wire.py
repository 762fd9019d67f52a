"""What the lab relies on in seerdb's server side and in python-oracledb against it, one test a thing."""

import datetime
import threading
import time
from decimal import Decimal

import oracledb
import pytest

from raclab.database.embedded import EmbeddedLab

# About a minute of work, if nobody stops it.
ENDLESS = (
    "select count(*) from (select level l from dual connect by level <= 200000) a, (select level l from dual connect by level <= 200000) b "
    "where mod(a.l * b.l, 7) = 3"
)


@pytest.fixture(scope="module")
def wire():
    """One lab for all tests here but those that count its connections."""
    with EmbeddedLab() as made:
        yield made


def connector(lab):
    def connect(service="RAC1", **changed):
        given = {"user": lab.user, "password": lab.password, "dsn": f"127.0.0.1:{lab._listener.port}/{service}"} | changed
        return oracledb.connect(**given)

    return connect


@pytest.fixture
def connect(wire):
    return connector(wire)


def test_the_pinned_version():
    from importlib.metadata import version

    assert version("seerdb") == "3.3.0"


def test_a_thin_client_connects_and_is_told_who_answers(connect):
    with connect("RAC2") as connection:
        assert (connection.instance_name, connection.service_name, connection.db_name) == ("rac2", "RAC2", "RACLAB")
        assert connection.version == "19.0.0.0.0"
        assert connection.thin
        sid = connection.cursor().execute("select sys_context('userenv', 'sid') from dual").fetchone()[0]
        assert int(sid) == connection.session_id


def test_user_and_service_in_any_case(connect):
    assert connect("rac1", user="lab").cursor().execute("select user from dual").fetchone() == ("LAB",)


def test_wrong_password_and_unknown_user_are_told_apart_by_nobody(connect, wire):
    said = set()
    for changed in ({"password": "wrong"}, {"user": "scott"}):
        with pytest.raises(oracledb.DatabaseError) as raised:
            connect(**changed)
        assert raised.value.args[0].code == 1017
        said.add(str(raised.value))
        assert "wrong" not in str(raised.value) and wire.password not in str(raised.value)
    assert len(said) == 1


def test_an_unknown_service_is_refused_as_a_listener_does(connect, wire):
    port = wire._listener.port
    with pytest.raises(oracledb.DatabaseError, match=rf'DPY-6001: Service "RAC9" is not registered .* port {port}. \(Similar to ORA-12514'):
        connect("RAC9")
    long = f"(DESCRIPTION=(ADDRESS=(PROTOCOL=tcp)(HOST=127.0.0.1)(PORT={port}))(CONNECT_DATA=(SERVICE_NAME={'x' * 300})))"
    with pytest.raises(oracledb.DatabaseError, match="DPY-6001"):
        connect(dsn=long)


def test_every_type_arrives_as_python_has_it(connect):
    cursor = connect().cursor()
    cursor.execute(
        "select 5, 0.1 + 0.2, 1/3, 12345678901234567890123, -0.001, 'text', '', date '2026-01-02', systimestamp - (systimestamp - 1/24), "
        "hextoraw('ff00'), timestamp '2026-01-02 03:04:05.678901', null, 'é€' from dual"
    )
    assert [column[1].name for column in cursor.description] == [
        *["DB_TYPE_NUMBER"] * 5,
        *["DB_TYPE_VARCHAR"] * 2,
        "DB_TYPE_DATE",
        "DB_TYPE_INTERVAL_DS",
        "DB_TYPE_RAW",
        "DB_TYPE_TIMESTAMP",
        "DB_TYPE_VARCHAR",
        "DB_TYPE_VARCHAR",
    ]
    row = cursor.fetchone()
    assert row[:8] == (5, 0.3, 0.333333333333333, 12345678901234567890123, -0.001, "text", None, datetime.datetime(2026, 1, 2))
    assert isinstance(row[0], int) and isinstance(row[3], int)
    assert abs(row[8].total_seconds() - 3600) < 1
    assert row[9:] == (b"\xff\x00", datetime.datetime(2026, 1, 2, 3, 4, 5, 678901), None, "é€")


def test_numbers_are_exact_when_fetched_as_decimals(connect):
    connection = connect()
    cursor = connection.cursor()
    cursor.outputtypehandler = lambda c, column: c.var(Decimal, arraysize=c.arraysize)
    assert cursor.execute("select 0.1 + 0.2, 123456789012345678.25, 100 from dual").fetchone() == (
        Decimal("0.3"),
        Decimal("123456789012345678.25"),
        Decimal(100),
    )


def test_a_number_that_is_none_is_an_error(connect):
    with pytest.raises(oracledb.DatabaseError, match="ORA-01426"):
        connect().cursor().execute("select power(1e300, 2) from dual")


def test_text_longer_than_a_varchar2_arrives_as_a_clob(connect):
    cursor = connect().cursor()
    value = cursor.execute("select rpad('x', 40000, 'y') from dual").fetchone()[0]
    assert len(value if isinstance(value, str) else value.read()) == 40000


def test_binds_by_name_and_position_nulls_and_dates(connect):
    cursor = connect().cursor()
    moment = datetime.datetime(2026, 1, 2, 3, 4, 5)
    assert cursor.execute("select :a, :b, :a, :d, :n from dual", a=1, b="x", d=moment, n=None).fetchone() == (1, "x", 1, moment, None)
    assert cursor.execute("select :1, :2 + 1, :3 from dual", [Decimal("0.1"), 2**40, b"\x01"]).fetchone() == (0.1, 2**40 + 1, b"\x01")


def test_a_statement_is_run_again_with_new_values(connect):
    cursor = connect().cursor()
    for number in range(10):
        assert cursor.execute("select :x from dual", x=number).fetchall() == [(number,)]


def test_rows_in_batches(connect):
    cursor = connect().cursor()
    cursor.arraysize = 7
    assert [row[0] for row in cursor.execute("select level from dual connect by level <= 1000")] == list(range(1, 1001))


def test_executemany_counts_rolls_back_and_commits(connect):
    connection = connect()
    cursor = connection.cursor()
    cursor.execute("create table many (a number primary key, b varchar2(10))")
    cursor.executemany("insert into many values (:1, :2)", [(number, str(number)) for number in range(500)])
    assert cursor.rowcount == 500
    connection.rollback()
    assert cursor.execute("select count(*) from many").fetchone() == (0,)
    with pytest.raises(oracledb.IntegrityError, match="ORA-00001"):
        cursor.executemany("insert into many values (:1, :2)", [(1, "a"), (2, "b"), (1, "c")])
    assert cursor.rowcount == 2
    connection.commit()
    assert cursor.execute("select count(*) from many").fetchone() == (2,)
    cursor.executemany("update many set b = :1 where a >= :2", [("x", 1), ("y", 2)], arraydmlrowcounts=True)
    assert cursor.getarraydmlrowcounts() == [2, 1]


def test_autocommit_and_a_session_that_ends(connect):
    first = connect()
    first.cursor().execute("create table kept (a number)")
    first.autocommit = True
    first.cursor().execute("insert into kept values (1)")
    first.autocommit = False
    first.cursor().execute("insert into kept values (2)")
    first.close()
    assert connect().cursor().execute("select a from kept").fetchall() == [(1,)]


@pytest.mark.parametrize(
    ("sql", "code", "offset"),
    [("select dummy, nosuch from dual", 904, 14), ("select * from nosuch", 942, 14), ("begin x; end;", 3001, 0), ("selec", 900, 0)],
)
def test_errors_keep_code_place_and_connection(connect, sql, code, offset):
    connection = connect()
    with pytest.raises(oracledb.DatabaseError) as raised:
        connection.cursor().execute(sql)
    assert (raised.value.args[0].code, raised.value.args[0].offset) == (code, offset)
    assert connection.is_healthy()
    assert connection.cursor().execute("select 1 from dual").fetchone() == (1,)


def test_module_action_and_identifier_reach_the_session(connect):
    connection = connect()
    connection.module, connection.action, connection.clientinfo, connection.client_identifier = "m", "a", "i", "c"
    found = connection.cursor().execute(
        "select module, action, client_info, client_identifier, sys_context('userenv', 'module') from v$session "
        "where sid = sys_context('userenv', 'sid')"
    )
    assert found.fetchone() == ("m", "a", "i", "c", "m")


def test_current_schema_as_an_attribute(connect):
    connection = connect()
    connection.current_schema = "PUBLISHED"
    assert connection.cursor().execute("select sys_context('userenv', 'current_schema') from dual").fetchone() == ("PUBLISHED",)


def test_parse_describe_and_ping(connect):
    connection = connect()
    cursor = connection.cursor()
    cursor.parse("select inst_id, instance_name from gv$instance where inst_id = :x")
    assert [column[0] for column in cursor.description] == ["INST_ID", "INSTANCE_NAME"]
    with pytest.raises(oracledb.DatabaseError, match="ORA-00942"):
        cursor.parse("select * from nosuch")
    with pytest.raises(oracledb.DatabaseError, match="ORA-01031"):
        cursor.parse("delete from gv$instance")
    connection.ping()


# -- breaks


def elapsed(run):
    start = time.monotonic()
    run()
    return time.monotonic() - start


def test_a_call_timeout_stops_the_statement_and_leaves_the_connection(connect):
    connection = connect()
    connection.call_timeout = 300

    def run():
        with pytest.raises(oracledb.DatabaseError, match="DPY-4024"):
            connection.cursor().execute(ENDLESS)

    assert elapsed(run) < 10
    connection.call_timeout = 0
    assert connection.cursor().execute("select 1 from dual").fetchone() == (1,)


def test_cancel_from_another_thread(connect):
    connection = connect()
    timer = threading.Timer(0.3, connection.cancel)
    timer.start()
    with pytest.raises(oracledb.DatabaseError, match="ORA-01013"):
        connection.cursor().execute(ENDLESS)
    timer.join()
    assert connection.cursor().execute("select 1 from dual").fetchone() == (1,)
