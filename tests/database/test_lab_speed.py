"""How long things take. The limits are the design's, with room for a busy machine; `make bench` prints the figures."""

import statistics
import time

import oracledb
import pytest

QUERIES = [
    "select event, total_waits, time_waited_micro / 1000 ms from gv$system_event order by 3 desc fetch first 5 rows only",
    "select inst_id, name, value from gv$sysstat where name like 'gc%' order by 1, 2",
    "select s.inst_id, s.module, s.action, e.event, e.time_waited from gv$session s join gv$session_event e "
    "on s.inst_id = e.inst_id and s.sid = e.sid where s.module is not null order by e.time_waited desc",
    "select inst_id, nvl(event, 'CPU') event, count(*) samples, round(100 * ratio_to_report(count(*)) over (), 1) pct "
    "from gv$active_session_history group by inst_id, nvl(event, 'CPU') order by 3 desc",
]


def median_ms(run, times=15):
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        taken.append(1000 * (time.perf_counter() - start))
    return statistics.median(taken)


def test_a_connection_takes_under_20_ms(shared_lab):
    def connect():
        oracledb.connect(user=shared_lab.user, password=shared_lab.password, dsn=shared_lab.dsn).close()

    connect()
    assert min(median_ms(connect) for _ in range(3)) < 20


@pytest.mark.parametrize("sql", QUERIES, ids=lambda sql: sql[:30])
def test_a_diagnostic_query_takes_under_50_ms_once_seen(shared_lab, sql):
    cursor = shared_lab.connection.cursor()

    def ask():
        return cursor.execute(sql).fetchall()

    assert ask()
    assert min(median_ms(ask) for _ in range(3)) < 50


def test_loading_a_run_takes_under_100_ms(lab, measurement):
    given = measurement(8)
    lab.load(given)
    assert min(median_ms(lambda: lab.load(given), 5) for _ in range(3)) < 100


def test_views_stay_quick_after_many_runs(lab, measurement):
    lab.load(measurement(8, runs=100))
    cursor = lab.connection.cursor()
    cursor.execute(QUERIES[0]).fetchall()
    assert min(median_ms(lambda: cursor.execute(QUERIES[0]).fetchall()) for _ in range(3)) < 50
