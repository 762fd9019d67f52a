"""The views over what a run loads: Oracle's columns, units, and sums that agree."""

import csv
import datetime
from decimal import Decimal
from pathlib import Path

import pytest

from raclab.database import views
from raclab.database.errors import LoadError
from raclab.database.wait_classes import WAIT_CLASSES
from raclab.evidence.measurement import Kind

WIRE = {
    "NUMBER": "DB_TYPE_NUMBER",
    "VARCHAR2": "DB_TYPE_VARCHAR",
    "DATE": "DB_TYPE_DATE",
    "TIMESTAMP": "DB_TYPE_TIMESTAMP",
    "RAW": "DB_TYPE_RAW",
    "CHAR": "DB_TYPE_VARCHAR",
    "CLOB": "DB_TYPE_VARCHAR",  # V$SQL.SQL_FULLTEXT: no statement here is longer than a VARCHAR2
}
COLUMNS = Path(views.__file__).with_name("view_columns.csv")


def rows(lab, sql, **binds):
    with lab.connection.cursor() as cursor:
        return cursor.execute(sql, binds).fetchall()


def documented():
    found = {}
    with COLUMNS.open(encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            found.setdefault(row["view"], []).append((row["column"], row["type"]))
    return found


@pytest.mark.parametrize("view", sorted(views.documented()))
def test_a_view_has_oracles_columns_in_order_with_their_types(shared_lab, view):
    cursor = shared_lab.connection.cursor()
    wanted = [(name, WIRE[kind.split("(")[0]]) for name, kind in documented()[view]]
    cursor.execute(f"select * from v${view.lower()}")
    assert [(column[0], column[1].name) for column in cursor.description] == wanted
    cursor.execute(f"select * from gv${view.lower()}")
    assert [(column[0], column[1].name) for column in cursor.description] == [("INST_ID", "DB_TYPE_NUMBER"), *wanted]


def test_the_banner_names_the_lab_and_nobody_elses_product(shared_lab):
    banners = rows(shared_lab, "select banner || banner_full || banner_legacy from v$version")[0][0]
    assert banners.startswith("RAC Myths Lab simulated cluster")
    assert "oracle" not in banners.lower()


def test_waits_have_oracles_units(shared_lab):
    assert rows(
        shared_lab,
        "select inst_id, total_waits, time_waited, average_wait, time_waited_micro, total_waits_fg, time_waited_micro_fg "
        "from gv$system_event where event = 'row cache lock' order by inst_id",
    ) == [(1, 100, 50, 0.5, 500_000, 100, 500_000), (2, 200, 100, 0.5, 1_000_000, 200, 1_000_000)]
    assert rows(
        shared_lab, "select inst_id, max_wait, average_wait from gv$session_event where event = 'log file sync' order by inst_id"
    ) == [(1, 0, 0.1), (2, 0, 0.1)]
    assert rows(shared_lab, "select max_wait from v$session_event where event = 'row cache lock'") == [(2,)]


def test_average_wait_is_exact_to_the_hundredth_of_a_centisecond(lab, measurement):
    given = measurement(1)
    given.waits.loc[given.waits["event"] == "row cache lock", ["total_waits", "time_s"]] = [3, 0.0100]
    lab.load(given)
    assert rows(lab, "select average_wait, time_waited_micro from v$system_event where event = 'row cache lock'") == [(0.33, 10_000)]


def test_system_event_is_the_sum_of_session_event(lab, measurement):
    for nodes in (2, 3, 2):
        lab.load(measurement(nodes))
    difference = rows(
        lab,
        """select event, inst_id, total_waits, time_waited_micro, wait_class from gv$system_event
           minus
           select event, inst_id, sum(total_waits), sum(time_waited_micro), wait_class from gv$session_event
           group by event, inst_id, wait_class""",
    )
    assert difference == []
    assert rows(lab, "select count(*) from gv$system_event") == [(6,)]


def test_counters_add_up_over_runs_until_a_reset(lab, measurement):
    lab.load(measurement())
    lab.load(measurement())
    wanted = "select total_waits from v$system_event where event = 'row cache lock'"
    assert rows(lab, wanted) == [(200,)]
    assert rows(lab, "select value from v$sysstat where name = 'user commits'") == [(20,)]
    assert rows(lab, "select gets, getmisses from v$rowcache where parameter = 'dc_sequences'") == [(100, 10)]
    assert rows(lab, "select total_req#, total_wait#, cum_wait_time, failed_req# from v$enqueue_statistics") == [(40, 4, 26, None)]
    lab.reset()
    assert rows(lab, wanted) == []
    for view in ("sysstat", "rowcache", "enqueue_statistics", "active_session_history", "sesstat", "session_event"):
        assert rows(lab, f"select count(*) from gv${view}") == [(0,)], view
    assert rows(lab, "select count(*) from gv$session where program = 'raclab simulator'") == [(0,)]
    assert rows(lab, "select count(*) from gv$session where type = 'USER'") == [(1,)]


def test_cumulative_wait_time_of_enqueues_is_in_milliseconds(shared_lab):
    assert rows(shared_lab, "select inst_id, cum_wait_time from gv$enqueue_statistics order by inst_id") == [(1, 13), (2, 25)]


def test_every_run_of_a_measurement_is_loaded(lab, measurement):
    lab.load(measurement(2, runs=3))
    assert rows(lab, "select total_waits from v$system_event where event = 'row cache lock'") == [(300,)]
    assert rows(lab, "select count(*), count(distinct sid) from gv$session where program = 'raclab simulator'") == [(6, 6)]


def test_sessions_of_a_run_stay_with_slug_and_case(lab, myth):
    lab.run(myth, {"nodes": 3}, seed=5)
    lab.run(myth)
    assert myth.seeds == [[5], [1]]
    assert rows(
        lab,
        "select action, count(*), min(module), min(type), min(username), min(status) from gv$session "
        "where module = 'a_fake_myth' group by action order by 1",
    ) == [("2 nodes", 2, "a_fake_myth", "USER", "LAB", "INACTIVE"), ("3 nodes", 3, "a_fake_myth", "USER", "LAB", "INACTIVE")]
    assert rows(
        lab,
        "select s.inst_id, e.total_waits from gv$session s, gv$session_event e "
        "where s.inst_id = e.inst_id and s.sid = e.sid and s.action = '3 nodes' and e.event = 'row cache lock' order by 1",
    ) == [(1, 100), (2, 200), (3, 300)]


def test_a_run_on_more_nodes_starts_instances_with_a_service_each(lab, myth):
    lab.run(myth, {"nodes": 4})
    assert [name for (name,) in rows(lab, "select instance_name from gv$instance order by inst_id")] == ["rac1", "rac2", "rac3", "rac4"]
    cursor = lab.instance(4).cursor()
    assert cursor.execute("select sys_context('userenv', 'instance_name') from dual").fetchone() == ("rac4",)
    assert cursor.execute("select total_waits from v$system_event where event = 'row cache lock'").fetchone() == (400,)


def test_v_dollar_is_the_connected_instances_slice(shared_lab):
    for number in (1, 2):
        cursor = shared_lab.instance(number).cursor()
        assert cursor.execute("select instance_number from v$instance").fetchall() == [(number,)]
        assert cursor.execute("select total_waits from v$system_event where event = 'row cache lock'").fetchall() == [(100 * number,)]


def test_statistics_of_sessions_and_instances(shared_lab):
    assert rows(
        shared_lab,
        "select n.name, s.value from v$sesstat s join v$statname n on n.statistic# = s.statistic# order by 1",
    ) == [
        ("CPU used by this session", 25),
        ("DB time", 400),
        ("concurrency wait time", 50),
        ("execute count", 1000),
        ("non-idle wait count", 110),
        ("non-idle wait time", 51),
        ("redo synch time", 1),
        ("redo synch writes", 10),
        ("user commits", 10),
    ]
    assert rows(shared_lab, "select name, value, class from gv$sysstat where inst_id = 2 order by name") == [
        ("CPU used by this session", 50, 1),
        ("DB time", 800, 1),
        ("concurrency wait time", 100, 1),
        ("execute count", 1000, 64),
        ("gc current blocks received", 14, 40),
        ("non-idle wait count", 220, 1),
        ("non-idle wait time", 102, 1),
        ("redo synch time", 2, 8),
        ("redo synch writes", 20, 8),
        ("user commits", 20, 1),
    ]


def test_statistic_numbers_are_unique_and_the_same_in_every_view(shared_lab):
    assert rows(shared_lab, "select count(*) - count(distinct statistic#), count(*) - count(distinct stat_id) from v$statname") == [(0, 0)]
    assert rows(shared_lab, "select statistic#, name, stat_id from v$sysstat minus select statistic#, name, stat_id from v$statname") == []


def test_a_new_statistic_gets_the_next_number_and_keeps_it(lab, measurement):
    given = measurement(1)
    given.stats.loc[0, "name"] = "a statistic of tomorrow"
    lab.load(given)
    first = rows(lab, "select statistic#, class, stat_id from v$statname where name = 'a statistic of tomorrow'")
    lab.load(measurement(1))
    assert rows(lab, "select statistic#, class, stat_id from v$statname where name = 'a statistic of tomorrow'") == first
    assert first[0][1] is None


def test_event_numbers_are_oracles_for_classes_and_stable_for_events(shared_lab):
    found = rows(shared_lab, "select distinct event, wait_class, wait_class#, wait_class_id, event_id from gv$system_event order by event")
    for _, wait_class, number, class_id, _ in found:
        assert (number, class_id) == WAIT_CLASSES[wait_class]
    assert found == rows(
        shared_lab, "select distinct event, wait_class, wait_class#, wait_class_id, event_id from gv$session_event order by event"
    )
    assert dict((event, number) for event, *_, number in found)["row cache lock"] == 2_377_227_353


def test_wait_classes_are_those_of_every_oracle_since_10g():
    assert WAIT_CLASSES["Cluster"] == (11, 3871361733)
    assert WAIT_CLASSES["Concurrency"] == (4, 3875070507)
    assert sorted(number for number, _ in WAIT_CLASSES.values()) == list(range(13))


def test_samples_carry_session_time_and_wait(lab, measurement):
    lab.load(measurement(), "a_fake_myth")
    found = rows(
        lab,
        "select h.inst_id, h.event, h.session_state, h.wait_class_id, h.module, s.sid - h.session_id "
        "from gv$active_session_history h join gv$session s on s.inst_id = h.inst_id and s.sid = h.session_id "
        "order by h.sample_time, h.inst_id",
    )
    assert found == [
        (1, "row cache lock", "WAITING", 3875070507, "a_fake_myth", 0),
        (2, "row cache lock", "WAITING", 3875070507, "a_fake_myth", 0),
        (1, None, "ON CPU", None, "a_fake_myth", 0),
        (2, None, "ON CPU", None, "a_fake_myth", 0),
    ]
    (low, high, ids), *_ = rows(lab, "select min(sample_time), max(sample_time), count(distinct sample_id) from gv$active_session_history")
    assert high - low == datetime.timedelta(seconds=1)
    assert ids == 2


def test_the_clusters_clock_runs_on_with_each_run(lab, measurement):
    before, started = rows(lab, "select sysdate, startup_time from v$instance")[0]
    lab.load(measurement())
    lab.load(measurement())
    after = rows(lab, "select sysdate from dual")[0][0]
    assert 16 <= (after - before).total_seconds() < 40
    assert started <= before
    overlapping = rows(
        lab,
        "select count(*) from (select sample_id, count(distinct action || module || session_id) n from v$active_session_history "
        "group by sample_id) where n > 1",
    )
    assert overlapping == [(0,)]
    assert rows(lab, "select count(*) from gv$active_session_history where sample_time > sysdate") == [(0,)]
    assert rows(lab, "select count(*) from gv$active_session_history where sample_time > sysdate - 1/24") == [(8,)]


def test_connected_sessions_are_in_gv_session_while_they_last(lab):
    connection = lab.instance(2)
    connection.module, connection.action, connection.client_identifier = "a module", "an action", "a person"
    connection.ping()
    assert rows(
        lab,
        "select inst_id, module, action, client_identifier, status from gv$session where sid = :sid",
        sid=connection.session_id,
    ) == [(2, "a module", "an action", "a person", "INACTIVE")]
    assert rows(lab, "select status from v$session where sid = sys_context('userenv', 'sid')") == [("ACTIVE",)]
    sid = connection.session_id
    connection.close()
    assert rows(lab, "select count(*) from gv$session where sid = :sid", sid=sid) == [(0,)]


def test_only_simulated_measurements_can_be_loaded(lab, measurement):
    for kind in (Kind.PUBLISHED, Kind.LIVE):
        with pytest.raises(LoadError, match=f"is {kind}: the simulated cluster's views show simulated runs only"):
            lab.load(measurement(kind=kind))


@pytest.mark.parametrize(
    ("view", "column", "said"),
    [("ARCHIVED_LOG", "GETS", r"no view GV\$ARCHIVED_LOG"), ("ROWCACHE", "NOSUCH", r"GV\$ROWCACHE has no column NOSUCH")],
)
def test_rows_for_what_the_lab_does_not_have_are_refused_and_nothing_is_loaded(lab, measurement, view, column, said):
    given = measurement()
    given.views[view] = given.views["ROWCACHE"].rename(columns={"GETS": column})
    with pytest.raises(LoadError, match=said):
        lab.load(given)
    assert rows(lab, "select count(*) from gv$session_event") == [(0,)]


def test_an_unknown_wait_class_is_refused(lab, measurement):
    given = measurement()
    given.waits["wait_class"] = "Weather"
    with pytest.raises(LoadError, match="there is no wait class Weather"):
        lab.load(given)


def test_every_column_named_in_a_filling_is_documented():
    for view, filling in views.FILLINGS.items():
        assert set(filling.columns) <= {column.name for column in views.documented()[view]}, view


def test_numbers_arrive_exact(shared_lab):
    import oracledb

    with shared_lab.connection.cursor() as cursor:
        cursor.outputtypehandler = lambda c, metadata: (
            c.var(Decimal, arraysize=c.arraysize) if metadata.type_code is oracledb.DB_TYPE_NUMBER else None
        )
        assert cursor.execute("select sum(average_wait) * 3, 0.1 + 0.2 from gv$system_event where event = 'log file sync'").fetchone() == (
            Decimal("0.6"),
            Decimal("0.3"),
        )
