"""The archiver's pipeline: figures that can be worked out by hand."""

import dataclasses

import pytest

from raclab.cluster import archiver
from raclab.cluster.archiver import READ, TABLE_LOCK, WINDOW_S, Built, Case, WorkParameters
from raclab.cluster.space import ROW_CACHE_LOCK, SpaceParameters
from raclab.sim import Run

WORK = WorkParameters(client_s=1.5, pace=1000.0, disk_s=5e-3)


def run(case: Case, seed: int = 1) -> tuple[Built, Run]:
    built = archiver.build(case)
    return built, archiver.simulate(built, [seed])[0]


def waits(built: Built, ran: Run, event: str) -> tuple[int, float]:
    numbers = [process.number for _, _, process in built.sessions]
    tally = ran.waits[numbers, built.model.events.index(event)]
    return int(tally["hits"].sum()), float(tally["time"].sum())


def test_clients_that_fill_a_bulk_slowly_set_the_pace() -> None:
    built, ran = run(Case(WORK, partitioned=True, direct=True, preallocated=True))
    assert built.rate(ran) == pytest.approx(150_000, rel=0.03)


def test_clients_that_are_slow_from_call_to_call_set_the_pace() -> None:
    built, ran = run(Case(WORK, partitioned=True, direct=True, preallocated=True, bulk=100))
    assert built.rate(ran) == pytest.approx(150 * 100 / 1.5, rel=0.03)


def test_disks_give_two_accesses_a_read() -> None:
    built, ran = run(Case(WORK, indexes=5))
    most = WORK.disks / (2 * WORK.disk_s)
    assert waits(built, ran, READ)[0] / WINDOW_S == pytest.approx(most, rel=0.08)
    assert built.rate(ran) == pytest.approx(most / (4 * WORK.reads_per_entry), rel=0.08)


def test_a_hot_block_is_passed_on_after_each_visit() -> None:
    """81 rows a visit; between two visits a message, LMS, a redo write, and the block's way back."""
    case = Case(WORK)
    built, ran = run(case)
    hardware = case.hardware
    rows = hardware.block_bytes // case.space.row_bytes
    # the request is on its way while others have the block: only the way back counts
    passed_on = hardware.lms_cpu_s + hardware.lgwr_cpu_s + hardware.redo_write_s + hardware.message_s + hardware.wire_s
    assert built.rate(ran) == pytest.approx(rows / (rows * WORK.entry_cpu_s + passed_on), rel=0.08)


def test_one_node_has_nobody_to_pass_blocks_to() -> None:
    built, ran = run(Case(WORK, nodes=1))
    assert not any(event.startswith("gc ") for event in built.model.events)
    assert built.rate(ran) == pytest.approx(1 / WORK.entry_cpu_s, rel=0.03)


def test_only_a_load_without_a_partition_locks_the_table() -> None:
    built, ran = run(Case(WORK, direct=True))
    assert waits(built, ran, TABLE_LOCK)[0] > 100
    assert TABLE_LOCK not in run(Case(WORK, direct=True, partitioned=True))[0].model.events


def test_a_file_that_grows_more_often_is_waited_for_longer() -> None:
    slow = dataclasses.replace(SpaceParameters(), format_bytes=25e6)
    times = [waits(*run(Case(WORK, direct=True, partitioned=True, space=space)), ROW_CACHE_LOCK)[1] for space in (SpaceParameters(), slow)]
    assert times[1] > 2 * times[0]


def test_changes_are_counted_once() -> None:
    built, ran = run(Case(WORK))
    assert sum(ran.cells[cell] for cell in built.done) == ran.cells[built.total] > ran.cells[built.before] > 0
