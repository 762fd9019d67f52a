"""Snapshots of the simulated cluster: numbers, names, DBA_HIST, differences, and what is not touched on a real database."""

import csv
import re
import time

import pytest

from raclab.database import history_views
from raclab.database.embedded import EmbeddedLab
from raclab.database.oracle import connect_oracle
from raclab.database.serve import ServedCluster
from raclab.database.snapshots import ReadSnapshots
from raclab.evidence.measurement import Kind
from raclab.myths.registry import myth
from raclab.reports.errors import ReportError, SnapshotError, TraceError
from raclab.reports.snapshot import KEPT

WIRE = {
    "NUMBER": "DB_TYPE_NUMBER",
    "VARCHAR2": "DB_TYPE_VARCHAR",
    "DATE": "DB_TYPE_DATE",
    "RAW": "DB_TYPE_RAW",
    "TIMESTAMP": "DB_TYPE_TIMESTAMP",
    "INTERVAL": "DB_TYPE_INTERVAL_DS",
    "CLOB": "DB_TYPE_VARCHAR",  # DBA_HIST_SQLTEXT.SQL_TEXT: no statement here is longer than a VARCHAR2
}


def rows(lab, sql, **binds):
    with lab.connection.cursor() as cursor:
        return cursor.execute(sql, binds).fetchall()


def numbers(table):
    return table.frame["SNAP_ID"].tolist()


@pytest.mark.parametrize("view", sorted(history_views.NAMES))
def test_a_history_view_has_oracles_columns_in_order_with_their_types(shared_lab, view):
    with history_views.COLUMNS_FILE.open(encoding="utf-8") as file:
        documented = [row for row in csv.DictReader(line for line in file if not line.startswith("#")) if row["view"] == view]
    cursor = shared_lab.connection.cursor()
    cursor.execute(f"select * from {view.lower()}")
    wanted = [(row["column"], WIRE[row["type"].split("(")[0].split()[0]]) for row in documented]
    assert [(column[0], column[1].name) for column in cursor.description] == wanted
    assert rows(shared_lab, "select owner from all_views where view_name = :name", name=view) == [("SYS",)]


HISTORY = {
    "dba_hist_system_event": ("gv$system_event", "event_name = v.event", ["total_waits", "time_waited_micro", "total_waits_fg"]),
    "dba_hist_sysstat": ("gv$sysstat", "stat_name = v.name", ["stat_id"]),
    "dba_hist_sys_time_model": ("gv$sys_time_model", "stat_name = v.stat_name", ["stat_id", "value"]),
    "dba_hist_osstat": ("gv$osstat", "stat_name = v.stat_name", ["value"]),
    "dba_hist_event_histogram": (
        "gv$event_histogram",
        "event_name = v.event and h.wait_time_milli = v.wait_time_milli",
        ["wait_count"],
    ),
    "dba_hist_cr_block_server": ("gv$cr_block_server", "con_id = v.con_id", ["cr_requests", "flushes"]),
    "dba_hist_current_block_server": ("gv$current_block_server", "con_id = v.con_id", ["flush1", "flush10"]),
    "dba_hist_inst_cache_transfer": (
        "gv$instance_cache_transfer",
        "instance = v.instance and h.class = v.class",
        ["cr_block", "cr_2hop_time", "current_busy"],
    ),
    "dba_hist_latch": ("gv$latch", "latch_name = v.name", ["gets", "misses", "sleeps", "wait_time"]),
    "dba_hist_enqueue_stat": ("gv$enqueue_statistics", "eq_type = v.eq_type", ["total_req#", "cum_wait_time"]),
}


@pytest.fixture(scope="module")
def history():
    """A lab after runs that bring counters of every kind, two of them twice."""
    with EmbeddedLab() as made:
        for slug, levers in [("nocache_sequences", {"cache": 20, "order": True}), ("logical_isolation", {}), ("latch_spin_cpu", {})]:
            for _ in range(2):
                made.run(myth(slug), levers, 1)
        yield made


@pytest.mark.parametrize("view", sorted(HISTORY))
def test_the_last_snapshot_shows_what_the_counters_show_now(history, view):
    now, same, columns = HISTORY[view]
    (last,) = rows(history, "select max(snap_id) from dba_hist_snapshot")[0]
    equal = " and ".join(f"(h.{name} = v.{name} or (h.{name} is null and v.{name} is null))" for name in columns)
    on = f"h.instance_number = v.inst_id and h.{same} and h.snap_id = {last}"
    found = rows(history, f"select count(*) from {view} h join {now} v on {on} and {equal}")[0][0]
    there = rows(history, f"select count(*) from {now} v where exists (select 1 from {view} h where {on})")[0][0]
    assert found == there == rows(history, f"select count(*) from {view} where snap_id = {last}")[0][0] > 0


def test_what_segments_and_statements_have_grown_by_adds_up_to_what_they_show_now(history):
    grown = "select sum({0}_delta), max({0}_total) from dba_hist_{1} where instance_number = 1 and {2}"
    waits = "select sum(value) from v$segment_statistics where statistic_name = 'gc cr blocks received' and object_name = 'ORDERS'"
    (now,) = rows(history, waits)[0]
    orders = "obj# = (select obj# from dba_hist_seg_stat_obj where object_name = 'ORDERS')"
    assert now > 0 and rows(history, grown.format("gc_cr_blocks_received", "seg_stat", orders)) == [(now, now)]
    statements = rows(history, "select sql_id, executions, elapsed_time from v$sql where executions > 0")
    for sql_id, executions, elapsed in statements:
        which = f"sql_id = '{sql_id}'"
        assert rows(history, grown.format("executions", "sqlstat", which)) == [(executions, executions)]
        assert rows(history, grown.format("elapsed_time", "sqlstat", which)) == [(elapsed, elapsed)]
        assert rows(history, f"select count(*) from dba_hist_sqltext t join v$sql s using (sql_id) where {which}") == [(1,)]
    assert len(statements) > 2


def test_a_lab_takes_snapshots_by_itself_and_when_asked(lab, measurement):
    assert numbers(lab.snapshots()) == [1]
    lab.load(measurement())
    assert lab.snapshots().frame["NAME"].tolist() == ["start", "before 2 nodes, NOCACHE", "after 2 nodes, NOCACHE"]
    assert lab.snapshot("mine") == 4
    assert lab.snapshots().frame["NAME"].tolist()[-1] == "mine"
    assert rows(lab, "select snap_id, count(*) from dba_hist_snapshot group by snap_id order by 1") == [(1, 2), (2, 2), (3, 2), (4, 2)]


def test_dba_hist_shows_each_snapshots_counters_and_intervals_that_adjoin(lab, measurement):
    lab.load(measurement())
    lab.load(measurement())
    waits = (
        "select snap_id, total_waits, time_waited_micro from dba_hist_system_event where event_name = :e and instance_number = 2 order by 1"
    )
    assert rows(lab, waits, e="row cache lock") == [(3, 200, 1_000_000), (4, 200, 1_000_000), (5, 400, 2_000_000)]
    assert rows(lab, "select snap_id, value from dba_hist_sysstat where stat_name = 'user commits' and instance_number = 1 order by 1") == [
        (3, 10), (4, 10), (5, 20),
    ]  # fmt: skip
    parted = rows(
        lab,
        "select count(*) from dba_hist_snapshot a, dba_hist_snapshot b where b.snap_id = a.snap_id + 1 "
        "and a.instance_number = b.instance_number and a.end_interval_time <> b.begin_interval_time",
    )
    assert parted == [(0,)]
    # AWR's own way to a difference
    assert rows(
        lab,
        "select event_name, total_waits - lag(total_waits) over (partition by event_name, instance_number order by snap_id) waits "
        "from dba_hist_system_event where instance_number = 1 and snap_id in (4, 5) order by waits nulls last, event_name",
    )[:2] == [("log file sync", 10), ("row cache lock", 100)]


def test_the_difference_of_two_snapshots_is_what_was_loaded_in_between(lab, measurement):
    lab.load(measurement())
    begin = lab.snapshot("begin")
    lab.load(measurement())
    end = lab.snapshot("end")
    for made in (lab.delta(), lab.delta(begin, end), lab.delta("begin", "end"), lab.delta("begin")):
        events = made.events.frame.set_index(["INST_ID", "EVENT"])
        assert events.loc[(2, "row cache lock"), ["TOTAL_WAITS", "TIME_WAITED_MICRO", "AVERAGE_MS"]].tolist() == [200, 1_000_000, 5.0]
        assert made.events.badge is Kind.SIMULATED
    statistics = lab.delta().statistics.frame.set_index(["INST_ID", "NAME"])["VALUE"]
    assert statistics[1, "user commits"] == 10
    assert lab.delta()["GV$ROWCACHE"].frame.set_index("INST_ID")["GETS"].to_dict() == {1: 50, 2: 100}
    whole = lab.delta(1, end)["ROWCACHE"].frame.set_index("INST_ID")["GETS"].to_dict()
    assert whole == {1: 100, 2: 200}


def test_without_numbers_the_latest_run_is_meant(lab, measurement):
    lab.load(measurement())
    assert (lab.delta().begin.number, lab.delta().end.number) == (2, 3)
    lab.snapshot()
    lab.snapshot()
    assert (lab.delta().begin.number, lab.delta().end.number) == (2, 5)
    assert lab.delta(3).events.frame.empty


def test_time_between_snapshots_is_the_clusters_own(lab, measurement):
    began = time.monotonic()
    lab.load(measurement())
    took = time.monotonic() - began
    simulated = 8.0  # seconds of the run; before it nothing counts, however long the learner has waited
    assert simulated <= lab.delta().seconds <= simulated + took
    ended, now = rows(lab, "select max(end_interval_time), systimestamp from dba_hist_snapshot")[0]
    assert ended <= now.replace(tzinfo=None)


def test_an_instance_that_a_run_starts_counts_from_its_start(lab, measurement):
    lab.load(measurement(4))
    found = lab.delta().events.frame
    assert found[found["EVENT"] == "row cache lock"].set_index("INST_ID")["TOTAL_WAITS"].to_dict() == {1: 100, 2: 200, 3: 300, 4: 400}
    assert lab.awr_report(instance=4).text.count("rac4") == 1


def test_snapshots_that_can_not_be_compared(lab, measurement):
    with pytest.raises(SnapshotError, match=r"There is no snapshot before 1"):
        lab.delta()
    with pytest.raises(SnapshotError, match=r"no snapshot 7 \(ORA-20200\): there are 1 to 1; lab.snapshots\(\) lists them"):
        lab.delta(1, 7)
    with pytest.raises(SnapshotError, match="no snapshot 'noon'"):
        lab.delta("noon")
    lab.load(measurement())
    with pytest.raises(SnapshotError, match=r"Snapshot 3 was taken after snapshot 2"):
        lab.delta(3, 2)
    with pytest.raises(ReportError, match=r'no instance 9 in snapshot 3; there are 1, 2, and "all"'):
        lab.awr_report(2, 3, instance=9)
    lab.reset()
    with pytest.raises(SnapshotError, match=r"Instances 1, 2 were shut down between snapshots 3 and 4.*ORA-20200"):
        lab.delta(3, 4)
    lab.load(measurement())
    assert lab.delta().events.frame["TOTAL_WAITS"].max() == 200


def test_old_snapshots_go_and_their_rows_with_them(lab, measurement, monkeypatch):
    monkeypatch.setattr("raclab.database.snapshots.MOST_KEPT", 3)
    lab.load(measurement())
    for _ in range(4):
        last = lab.snapshot()
    assert numbers(lab.snapshots()) == [last - 2, last - 1, last]
    # nothing has changed since the run: all three show what the snapshot after it kept
    assert rows(lab, "select count(distinct total_waits), count(*) from dba_hist_system_event where event_name = 'row cache lock'") == [
        (2, 6)
    ]
    lab.reset()
    assert lab._engine.rows("SELECT count(*) > 0 FROM cluster.past_session_event") == [(True,)]
    assert rows(lab, "select max(total_waits) from dba_hist_system_event") == [(200,)]  # from before the restart
    lab.snapshot(), lab.snapshot(), lab.reset()
    assert lab._engine.rows("SELECT count(*) FROM cluster.past_session_event") == [(0,)]


def test_history_has_every_tenth_sample_and_the_snapshot_after_it(lab):
    lab.run(myth("start_here"), None, 1)
    samples = rows(lab, "select sample_id, is_awr_sample from v$active_session_history group by sample_id, is_awr_sample order by 1")
    assert len(samples) > 20
    assert [kept for _, kept in samples] == ["Y" if place % 10 == 0 else "N" for place in range(len(samples))]
    history = rows(lab, "select sample_id, snap_id, instance_number, session_id, event from dba_hist_active_sess_history order by 1, 4")
    shown = rows(lab, "select sample_id, inst_id, session_id, event from gv$active_session_history where is_awr_sample = 'Y' order by 1, 3")
    assert [(sample, *rest) for sample, _, *rest in history] == shown
    assert {snap for _, snap, *_ in history} == {numbers(lab.snapshots())[-1]}


@pytest.fixture
def reached(monkeypatch):
    """A simulated cluster reached as an Oracle is, over the wire, with a note of all that was sent."""
    with ServedCluster(port=0) as cluster:
        monkeypatch.setenv("RACLAB_DSN", cluster.dsn)
        monkeypatch.setenv("RACLAB_USER", "lab")
        monkeypatch.setenv("RACLAB_PASSWORD", cluster.password)
        with connect_oracle() as lab:
            yield cluster, lab


def test_a_real_database_is_only_read_and_neither_awr_nor_ash_is_touched(reached, measurement, monkeypatch):
    cluster, lab = reached
    sent = []
    original = type(lab.connection).cursor

    def cursor(self, *arguments, **named):
        made = original(self, *arguments, **named)
        execute = made.execute
        made.execute = lambda text, *rest, **more: (sent.append(text), execute(text, *rest, **more))[1]
        return made

    monkeypatch.setattr(type(lab.connection), "cursor", cursor)
    assert lab.snapshot("before") == 1
    from raclab.database.loader import load

    load(cluster._engine, measurement())
    assert lab.snapshot() == 2
    made = lab.delta()
    assert made.events.frame.set_index(["INST_ID", "EVENT"]).loc[(2, "row cache lock"), "TOTAL_WAITS"] == 200
    assert set(made.end.views) >= {"SYSTEM_EVENT", "SYSSTAT", "ROWCACHE", "ENQUEUE_STATISTICS"}
    assert "row cache lock" in lab.awr_report().text
    assert len(sent) >= len(KEPT)
    assert all(re.match(r"(?i)select\b", text) for text in sent)
    assert not [text for text in sent if re.search(r"(?i)dba_hist|active_session_history|workload_repository", text)]
    with pytest.raises(TraceError, match="trace SID 21 in the lab that ran it"):
        lab.trace(21)


def test_a_view_that_is_not_granted_is_left_out(lab, measurement, monkeypatch):
    lab.load(measurement())
    monkeypatch.setitem(KEPT, "ARCHIVED_LOG", KEPT["LATCH"])
    snapshots = ReadSnapshots(lambda: lab.connection)
    taken = snapshots.find(snapshots.take())
    assert "ARCHIVED_LOG" not in taken.views and len(taken.views["SYSTEM_EVENT"])


def test_a_trace_on_a_real_database_says_how():
    class Live(EmbeddedLab):
        kind = Kind.LIVE

    from raclab.database.reporting import Reporting

    with Live() as lab, pytest.raises(TraceError, match=r"session_trace_enable\(session_id => 77, .*The lab only reads here"):
        Reporting.trace(lab, (1, 77))
