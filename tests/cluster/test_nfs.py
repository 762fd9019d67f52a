"""Reads over NFS: each limit by hand, and what adds up."""

import dataclasses

import pytest

from raclab.cluster import nfs, nfs_frames
from raclab.cluster.nfs import NfsHardware, NfsLoad

STEADY = NfsHardware(spread=0.0)
SCAN = NfsLoad(STEADY, 0.5e9, table_bytes=2e9, rows=1_000_000)
USERS = NfsLoad(STEADY, 0.5e9)


def _elapsed(load: NfsLoad) -> float:
    built = nfs.build(load)
    return float(nfs_frames.sessions(built, nfs.simulate(built, [1]))["elapsed_s"].mean())


def test_one_connection_is_the_limit_of_a_scan() -> None:
    """2 GB at 0.5 GB/s, and 15 microseconds a read, with the first read's way before it."""
    busy = SCAN.scan_reads * SCAN.connection_s
    assert busy == pytest.approx(4.0 + SCAN.scan_reads * 15e-6)
    assert busy < _elapsed(SCAN) < busy * 1.02


def test_the_link_is_the_limit_with_many_connections() -> None:
    on_link = 2e9 / SCAN.link_bytes
    assert on_link < _elapsed(dataclasses.replace(SCAN, direct=True)) < on_link * 1.03


def test_a_user_alone_takes_the_sum_of_the_parts() -> None:
    alone = dataclasses.replace(USERS, sessions=1)
    cycle = STEADY.user_cpu_s + STEADY.message_s + alone.storage_s + STEADY.media_s + 8192 / alone.link_bytes + alone.connection_s
    assert _elapsed(alone) == pytest.approx(alone.reads * cycle)


def test_the_storage_is_the_limit_of_many_users_on_many_connections() -> None:
    many = dataclasses.replace(USERS, sessions=256, direct=True)
    assert many.sessions * many.reads / _elapsed(many) == pytest.approx(90_000, rel=0.02)


def test_one_outstanding_request_makes_reads_wait_for_each_other() -> None:
    """The slot is held from the request to the end of the reply: nothing overlaps."""
    one = dataclasses.replace(SCAN, outstanding=1)
    alone = STEADY.message_s + one.storage_s + one.read_bytes / one.link_bytes + one.connection_s
    assert _elapsed(one) == pytest.approx(one.scan_reads * alone, rel=0.01)


@pytest.mark.parametrize("load", [SCAN, USERS, dataclasses.replace(SCAN, connections=4, outstanding=2)])
def test_every_byte_is_read_once_and_the_parts_add_up(load: NfsLoad) -> None:
    built = nfs.build(dataclasses.replace(load, hardware=NfsHardware()))
    runs = nfs.simulate(built, [1, 2])
    stats = nfs_frames.stats(built, runs).set_index(["run", "name"])["value"]
    expected = load.table_bytes if load.scan else load.sessions * load.reads * 8192
    waits, sessions = nfs_frames.waits(built, runs), nfs_frames.sessions(built, runs)
    parts = nfs_frames.parts(built, runs).pivot_table(index="run", columns="part", values="time_s")
    for run in (0, 1):
        assert stats[run, "physical read total bytes"] == pytest.approx(expected)
        waited = waits[waits["run"] == run]["time_s"].sum() / load.sessions
        assert parts.loc[run].drop("CPU").sum() == pytest.approx(waited)
        assert parts.loc[run, "CPU"] == pytest.approx(sessions[sessions["run"] == run]["cpu_s"].mean())
        assert parts.loc[run].sum() <= sessions[sessions["run"] == run]["elapsed_s"].mean() * (1 + 1e-9)
