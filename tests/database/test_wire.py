"""What the lab relies on in seerdb's server side and in python-oracledb against it, one test a thing."""

import datetime
import gc
import threading
import time
from decimal import Decimal

import oracledb
import pytest

from raclab.database.embedded import EmbeddedLab
from raclab.database.session import Session
from raclab.database.wire import cursors
from raclab.database.wire.stream import Stream

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


@pytest.mark.parametrize(
    "text", ["select :\0 from dual", "select dum\x01my from dual", "select dummy \x7f from dual", "select 1 from dual\0"]
)
def test_control_characters_have_no_place_in_a_statement(connect, text):
    with connect() as connection, pytest.raises(oracledb.DatabaseError, match="ORA-00911"):
        connection.cursor().execute(text)


def test_control_characters_in_quotes_are_text(connect):
    with connect() as connection:
        text = "select 'a\x01b' as \"c\" -- \x02\nfrom /*\x03*/ dual"
        assert connection.cursor().execute(text).fetchall() == [("a\x01b",)]


def test_a_cursor_that_the_client_closes_is_forgotten(connect):
    with connect() as connection, connection.cursor() as cursor:
        connection.stmtcachesize = 5
        known = cursors_of(connection)
        for number in range(50):
            cursor.execute(f"select level + {number} from dual connect by level <= 1000")
            assert cursor.fetchone() == (number + 1,)  # and 999 rows are left where they are
        cursor.execute("select 'it' from dual").fetchall()
        assert len(known) <= 8 and len(known._open) <= 8 and len(known._describe) <= 8


def test_a_client_that_closes_no_cursor_has_a_thousand(connect, monkeypatch):
    monkeypatch.setattr(cursors, "MOST", 10)
    with connect() as connection, connection.cursor() as cursor:
        known = cursors_of(connection)
        for number in range(30):
            cursor.execute("select 'often' from dual").fetchall()
            cursor.execute(f"select {number} from dual").fetchall()
        assert len(known) == len(known._query) == 10
        assert cursor.execute("select 'often' from dual").fetchall() == [("often",)]
        cursor.execute("create table cursors_t (a number)")
        for number in range(15):
            cursor.execute(f"insert into cursors_t values ({number})")
        assert len(known) == 10
        cursor.execute("drop table cursors_t")


def test_a_session_is_over_before_its_client_hears_of_it(connect, monkeypatch):
    happened = []

    def noted(cls, method, what):
        original = getattr(cls, method)
        monkeypatch.setattr(cls, method, lambda *given: (happened.append(what), original(*given))[1])

    connection = connect()
    noted(Session, "close", "ended")
    noted(Stream, "write_packet", "answered")
    connection.close()
    assert happened[:2] == ["ended", "answered"]


def cursors_of(connection):
    """What the lab's listener knows of a connection's open cursors."""
    mark = f"select {connection.session_id} from dual"
    connection.cursor().execute(mark).fetchall()
    kept = [one for one in gc.get_objects() if isinstance(one, cursors.Cursors)]
    return next(one for one in kept if any(sql == mark for sql, _ in one._query.values()))


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


def test_what_a_change_returns(connect):
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("create table made (id number generated always as identity, name varchar2(10), day date, price number(5,2))")
        number, text, day = cursor.var(int), cursor.var(str), cursor.var(datetime.datetime)
        cursor.execute(
            "insert into made (name, day, price) values (:name, :day, 1.25) returning id + 1, upper(name), day into :a, :b, :c",
            {"name": "one", "day": datetime.datetime(2026, 1, 2, 3, 4, 5), "a": number, "b": text, "c": day},
        )
        assert (number.getvalue(), text.getvalue(), day.getvalue(), cursor.rowcount) == (
            [2],
            ["ONE"],
            [datetime.datetime(2026, 1, 2, 3, 4, 5)],
            1,
        )
        number = cursor.var(int, arraysize=2)
        cursor.setinputsizes(None, number)
        cursor.executemany("insert into made (name) values (:1) returning id into :2", [("two",), (None,)])
        assert number.values == [[2], [3]]
        price, text = cursor.var(Decimal), cursor.var(str)
        cursor.execute("update made set price = price * 2 where id < :1 returning price, id into :2, :3", [3, price, text])
        assert (price.getvalue(), text.getvalue(), cursor.rowcount) == ([Decimal("2.5"), None], ["1", "2"], 2)
        cursor.execute("delete from made where id = 99 returning id into :1", [number])
        assert (number.getvalue(), cursor.rowcount) == ([], 0)
        connection.rollback()
        assert cursor.execute("select count(*) from made").fetchone() == (0,)


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("delete from made returning id", 925),
        ("delete from made returning id into x", 1745),
        ("delete from made returning nosuch into :1", 904),
        ("delete from made returning id, name into :1", 913),
        ("insert into made (name) select dummy from dual returning id into :1", 933),
        ("insert into made (name) values ('much too long') returning id into :1", 12899),
        ("delete from made return id into :1", 3001),
    ],
)
def test_what_a_change_does_not_return(connect, sql, code):
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("create table if not exists made (id number, name varchar2(10))")
        with pytest.raises(oracledb.DatabaseError) as raised:
            cursor.execute(sql, [cursor.var(int)] if ":1" in sql else [])
        assert raised.value.args[0].code == code
        assert cursor.execute("select 1 from dual").fetchone() == (1,)
