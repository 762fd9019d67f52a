"""LMS: how many by default, its turn in time-share against round robin by hand, and what it burns in real time."""

import dataclasses

import numpy as np
import pytest

from raclab.cluster import gc_frames, gc_requests
from raclab.cluster.gc_frames import LMS_WAITS, LMS_WORKS, Accounts
from raclab.cluster.gc_requests import Built, Workload
from raclab.cluster.lms import REAL_TIME, TIME_SHARE, default_count
from raclab.cluster.nodes import NodeSetup
from raclab.cluster.parameters import Hardware
from raclab.sim import Run, ops

SEEDS = range(1, 9)
ONE_WAY = ((1, 0),)  # node 2 asks node 1


def simulate(setup: NodeSetup, hardware: Hardware | None = None, **load: object) -> tuple[Built, Accounts, list[Run]]:
    built = gc_requests.build(Workload(hardware or Hardware(), ONE_WAY, (setup,), **load))  # type: ignore[arg-type]
    runs = gc_requests.simulate(built, SEEDS)
    return built, Accounts(built), runs


def waits_ms(setup: NodeSetup, hardware: Hardware | None = None, **load: object) -> list[float]:
    """Mean time in ms that LMS waited for a core before it served a block, by run."""
    _, accounts, runs = simulate(setup, hardware, **load)
    found = []
    for run in runs:
        flows = accounts.flows(run)
        found.append(1000 * sum(flow.parts[LMS_WAITS] for flow in flows) / sum(flow.blocks for flow in flows))
    return found


@pytest.mark.parametrize(
    ("release", "cpus", "sga_gb", "count"),
    [
        ("10.2", 1, 0, 2), ("10.2", 64, 0, 2),
        ("11.1", 1, 0, 1), ("11.1", 2, 0, 2), ("11.1", 8, 0, 2), ("11.1", 12, 0, 3), ("11.1", 104, 0, 26),
        ("11.2", 3, 0, 1), ("11.2", 4, 0, 2), ("11.2", 15, 0, 2), ("11.2", 16, 0, 2), ("11.2", 32, 0, 3), ("12.1", 64, 0, 4),
        ("19", 128, 500, 6), ("21", 128, 99, 6), ("21", 127, 500, 5), ("21", 128, 100, 21), ("23", 192, 500, 32),
    ],
)  # fmt: skip
def test_default_count_by_release(release: str, cpus: int, sga_gb: float, count: int) -> None:
    assert default_count(release, cpus, sga_gb) == count


def test_default_count_refuses_what_has_no_rule() -> None:
    with pytest.raises(ValueError, match=r"release 9\.2 is known"):
        default_count("9.2", 4)
    with pytest.raises(ValueError, match="at least one CPU"):
        default_count("19", 0)


@pytest.mark.parametrize("runnable", [1, 2, 5, 8])
def test_in_time_share_lms_waits_for_its_turn_in_round_robin(runnable: int) -> None:
    """One core: half a slice of the process that is on it, and a whole one of each other. Within three standard errors."""
    hardware = Hardware(cores=1)
    setup = NodeSetup(lms_priority=TIME_SHARE, runnable=runnable)
    waits = waits_ms(setup, hardware, sessions=1, think_s=0.1)
    by_hand = 1000 * hardware.quantum_s * (runnable - 0.5)
    assert abs(np.mean(waits) - by_hand) <= 3 * np.std(waits, ddof=1) / np.sqrt(len(waits))
    assert np.mean(waits) == pytest.approx(by_hand, rel=0.03)


def test_a_longer_slice_is_a_longer_wait() -> None:
    setup = NodeSetup(lms_priority=TIME_SHARE, runnable=3)
    short, long = (np.mean(waits_ms(setup, Hardware(cores=1, quantum_s=q), sessions=1, think_s=0.5)) for q in (10e-3, 30e-3))
    assert long / short == pytest.approx(3, rel=0.03)


def test_in_real_time_lms_waits_for_nobody() -> None:
    assert max(waits_ms(NodeSetup(lms_priority=REAL_TIME, runnable=64), Hardware(spread=0.0), sessions=1)) < 1e-9


def test_with_a_free_core_priority_does_not_matter() -> None:
    assert max(waits_ms(NodeSetup(lms_priority=TIME_SHARE, runnable=3), Hardware(spread=0.0), sessions=1)) < 1e-9


def test_more_lms_in_time_share_get_more_turns() -> None:
    few, many = (np.mean(waits_ms(NodeSetup(lms=count, lms_priority=TIME_SHARE, runnable=16), sessions=16)) for count in (1, 8))
    assert many < few


def test_once_on_a_core_lms_serves_all_that_has_come() -> None:
    """Sixteen sessions and one LMS: were each request a turn of its own, the sixteenth would wait for sixteen turns."""
    hardware = Hardware(cores=1)
    one, sixteen = (np.mean(waits_ms(NodeSetup(lms_priority=TIME_SHARE, runnable=8), hardware, sessions=sessions)) for sessions in (1, 16))
    assert sixteen < 1.2 * one


def test_every_request_is_served_once() -> None:
    for setup in (NodeSetup(), NodeSetup(lms=3, yields=2, runnable=9), NodeSetup(lms=3, lms_priority=TIME_SHARE, runnable=9)):
        built, accounts, runs = simulate(setup, sessions=5, blocks=100)
        for run in runs:
            assert run.tally["hits"][accounts.serves[0]].sum() == 500
            assert sum(flow.blocks for flow in accounts.flows(run)) == 500
            # nobody waits, so what LMS has put itself down for is one request an LMS that sleeps, or none while it ends its last one
            assert -setup.lms <= run.cells[built.cluster.asked] <= 0


def test_looking_for_more_before_sleeping_costs_cpu() -> None:
    hardware = Hardware(spread=0.0)
    cpu = {}
    for yields in (0, 1, 4):
        built, accounts, runs = simulate(NodeSetup(yields=yields), hardware, sessions=1)
        cpu[yields] = accounts.lms_cpu_s(runs[0], 0) / built.load.blocks
    assert cpu[0] == pytest.approx(hardware.lms_cpu_s)
    # one session: the next request never comes before LMS sleeps again; the last look may be cut off by the end of the run
    assert cpu[1] == pytest.approx(hardware.lms_cpu_s + hardware.yield_cpu_s, rel=0.01)
    assert cpu[4] == pytest.approx(hardware.lms_cpu_s + 4 * hardware.yield_cpu_s, rel=0.01)


def test_a_busy_lms_looks_less_often() -> None:
    load = {"sessions": 24, "think_s": 5e-3}
    few, many = (
        accounts.lms_cpu_s(runs[0], 0)
        for _, accounts, runs in (simulate(NodeSetup(lms=count, yields=2), Hardware(cores=32), **load) for count in (1, 16))
    )
    assert few < 0.9 * many


def test_batch_uses_all_that_is_left() -> None:
    built, _, runs = simulate(NodeSetup(runnable=8, lms_priority=TIME_SHARE))
    for run in runs:
        assert run.used[0] == pytest.approx(built.load.hardware.cores * run.clock, rel=1e-3)


def test_who_is_preempted_keeps_the_rest_of_its_slice() -> None:
    """One core that LMS takes for a tenth of the time: a time-share process waits a tenth longer for its turn, not for ever."""
    hardware = Hardware(cores=1, lgwr_cpu_s=0.01e-3)
    load = {"sessions": 8, "think_s": 8e-3, "busy_cr": 0.02, "cr_share": 1.0, "blocks": 2000}
    setup = NodeSetup(lgwr_priority=TIME_SHARE, runnable=4, redo_write_s=0.0)
    built, accounts, runs = simulate(setup, hardware, **load)
    taken = np.mean([accounts.lms_cpu_s(run, 0) / run.clock for run in runs])
    batch = [process.number for process in built.model.processes if process.name.startswith("batch")]
    assert 0.05 < taken < 0.15
    for run in runs:
        used = np.bincount(accounts.owner, run.tally["cpu"], len(built.model.processes))[batch]
        assert used.min() > 0.9 * used.max()


def test_a_plain_node_is_as_before() -> None:
    """One LMS, LCK0, LMD0 and LGWR each, in this order: the sequence model's random numbers hang on it."""
    built, _, _ = simulate(NodeSetup())
    names = [process.name for process in built.model.processes][:8]
    assert names == ["LMS0 1", "LCK0 1", "LMD0 1", "LGWR 1", "LMS0 2", "LCK0 2", "LMD0 2", "LGWR 2"]
    assert built.model.program[0][0] == ops.ADD and built.model.program[1][0] == ops.TAKE


def test_work_and_wait_are_what_the_request_spends_at_lms() -> None:
    built, accounts, runs = simulate(NodeSetup(lms_priority=TIME_SHARE, runnable=8), dataclasses.replace(Hardware(), spread=0.0))
    for run in runs:
        for flow in accounts.flows(run):
            assert flow.parts[LMS_WORKS] == pytest.approx(flow.blocks * built.load.hardware.lms_cpu_s)
    assert set(gc_frames.SHOWN_PARTS) == set(accounts.flows(runs[0])[0].parts)
