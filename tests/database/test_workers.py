"""Statements run in a few threads that all clients share."""

import threading
from concurrent.futures import ThreadPoolExecutor

import oracledb
import pytest

from raclab.bench.memory import resident_mb
from raclab.database.embedded import EmbeddedLab
from raclab.database.turns import AT_ONCE
from raclab.database.workers import NAME, Workers


def working() -> int:
    return sum(thread.name == NAME for thread in threading.enumerate())


@pytest.fixture
def workers():
    before = working()
    made = Workers(2, turn_s=600.0)
    yield made
    made.close()
    assert working() == before


def test_all_work_is_done_in_as_many_threads_as_may_run(workers):
    def work(number):
        return workers.run(lambda: (number, threading.current_thread()))

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(work, range(200)))
    assert [number for number, _ in done] == list(range(200))
    assert {thread.name for _, thread in done} == {NAME} and len({thread for _, thread in done}) <= 2


def test_what_the_work_raises_is_raised_where_it_was_asked_for(workers):
    with pytest.raises(ZeroDivisionError):
        workers.run(lambda: 1 // 0)
    assert workers.run(lambda: 1) == 1


def test_one_that_takes_long_gets_a_thread_more_that_ends_with_it():
    before, workers, begun, over = working(), Workers(1, turn_s=0.05), threading.Semaphore(0), threading.Event()

    def take_long():
        begun.release()
        return over.wait(30)

    with ThreadPoolExecutor(3) as pool:
        long = [pool.submit(workers.run, take_long) for _ in range(3)]
        assert all(begun.acquire(timeout=30) for _ in long)
        assert workers.run(working) == before + 4
        over.set()
        assert all(one.result() for one in long)
    assert working() == before + 1
    workers.close()
    assert working() == before


def test_work_after_the_end_is_still_done():
    before, workers = working(), Workers(1)
    workers.close()
    assert workers.run(working) == before + 1
    assert working() == before


def test_a_clients_own_thread_costs_little():
    """DuckDB keeps half a megabyte for each thread that calls it."""
    with EmbeddedLab() as lab:
        before = working()

        def connect():
            connection = oracledb.connect(user=lab.user, password=lab.password, dsn=lab.dsn)
            connection.module = "many"
            connection.cursor().execute("select count(*) from gv$instance").fetchall()
            connection.commit()
            return connection

        first, already = connect(), resident_mb()
        more = [connect() for _ in range(60)]
        assert working() <= before + AT_ONCE
        assert already is None or (resident_mb() or 0.0) - already < 60 * 0.25
        for connection in (first, *more):
            connection.close()
