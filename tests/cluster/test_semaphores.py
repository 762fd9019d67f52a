"""Servers that post each other: against mean value analysis, and what adds up."""

import dataclasses

import pytest

from raclab.cluster import semaphore_frames, semaphores
from raclab.cluster.semaphores import PostHardware, PostLoad

SEEDS = range(1, 9)


def _elapsed(load: PostLoad) -> float:
    built = semaphores.build(load)
    runs = semaphores.simulate(built, SEEDS)
    return sum(semaphore_frames.elapsed_s(built, run) for run in runs) / len(runs)


def _second_of_work(load: PostLoad) -> float:
    """What a server's second of work takes by mean value analysis: posts go to any of the locks, times are exponential."""
    work, locked, queue, cycle = 1 / load.messages_s, load.hardware.locked_s, 0.0, 0.0
    for servers in range(1, load.servers + 1):
        at_lock = locked * (1 + queue)
        cycle = work + at_lock
        queue = servers * at_lock / cycle / load.sets
    return cycle * load.messages_s


@pytest.mark.parametrize(
    ("servers", "sets", "messages_s"), [(1, 1, 5000.0), (8, 1, 5000.0), (32, 3, 5000.0), (128, 3, 5000.0), (128, 34, 5000.0)]
)
def test_servers_with_a_cpu_each_are_a_closed_network(servers: int, sets: int, messages_s: float) -> None:
    load = PostLoad(servers, sets, 2000, messages_s)
    assert _elapsed(load) == pytest.approx(_second_of_work(load), rel=0.03)


def test_locks_are_the_limit_of_a_busy_box() -> None:
    load = PostLoad(512, 3, 1502, 5000.0)
    assert semaphores.utilisation(load) > 2
    assert _elapsed(load) == pytest.approx(512 * 5000 * 10e-6 / 3, rel=0.04)


def test_more_cpus_do_not_help_where_the_locks_are_the_limit() -> None:
    load = PostLoad(512, 3, 1502, 5000.0)
    twice = dataclasses.replace(load, hardware=PostHardware(cpus=256))
    assert _elapsed(twice) == pytest.approx(_elapsed(load), rel=0.03)


def test_cpus_are_the_limit_where_hardly_anybody_posts() -> None:
    assert _elapsed(PostLoad(512, 34, 93, 100.0)) == pytest.approx(512 / 128, rel=0.1)


def test_servers_without_a_semaphore_do_not_start() -> None:
    built = semaphores.build(PostLoad(512, 3, 16, 5000.0))
    assert len(built.servers) == built.load.running == 48


@pytest.mark.parametrize("load", [PostLoad(512, 3, 1502, 5000.0), PostLoad(40, 2, 100, 1000.0)])
def test_parts_and_counters_add_up(load: PostLoad) -> None:
    built = semaphores.build(load)
    run = semaphores.simulate(built, [3])[0]
    elapsed = semaphore_frames.elapsed_s(built, run)
    parts = semaphore_frames.parts(built, [run])["time_s"]
    box = semaphore_frames.views(built, run)["OSSTAT"].set_index("STAT_NAME")["VALUE"]
    assert parts.sum() == pytest.approx(elapsed, rel=1e-6)
    assert box["USER_TIME"] + box["SYS_TIME"] == pytest.approx(box["BUSY_TIME"], abs=2)
    assert box["BUSY_TIME"] + box["IDLE_TIME"] == pytest.approx(100 * 128 * elapsed, rel=1e-3)
    sessions = semaphore_frames.sessions(built, [run])
    assert sessions["calls"].sum() == pytest.approx(load.servers * load.messages_s, rel=0.01)
    assert 100 * sessions["cpu_s"].sum() == pytest.approx(box["BUSY_TIME"], rel=1e-3)
