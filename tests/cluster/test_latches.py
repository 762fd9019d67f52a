"""Sessions on a latch: against the closed network that they are, and what must add up."""

import dataclasses

import pytest

from raclab.cluster import latch_frames, latches
from raclab.cluster.latches import LatchHardware, LatchLoad

NO_LINES = LatchHardware(line_s=0.0)
SEEDS = range(1, 9)


def _load(**changes: object) -> LatchLoad:
    return dataclasses.replace(LatchLoad(2**25, 64.0, 0.5, hardware=NO_LINES), **changes)  # type: ignore[arg-type]


def _cpu(load: LatchLoad) -> float:
    built = latches.build(load)
    return float(latch_frames.sessions(built, latches.simulate(built, SEEDS))["cpu_s"].mean())


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.8])
def test_two_sessions_are_a_closed_network(share: float) -> None:
    """Mean value analysis: a get finds the latch held with probability ``share``, and then waits for one mean hold time."""
    load = _load(hold_share=share)
    built = latches.build(load)
    runs = latches.simulate(built, SEEDS)
    line = latch_frames.latch(built, runs).mean(numeric_only=True)
    assert line["MISSES"] / line["GETS"] == pytest.approx(share, rel=0.02)
    assert _cpu(load) / load.cpu_s == pytest.approx(1 + share**2, rel=0.01)


@pytest.mark.parametrize("changes", [{"sessions": 1}, {"same": False}, {"same": False, "sessions": 4, "cores": 4}])
def test_nobody_misses_a_latch_that_nobody_shares(changes: dict[str, object]) -> None:
    load = _load(**changes)
    built = latches.build(load)
    runs = latches.simulate(built, [1, 2])
    line = latch_frames.latch(built, runs)
    assert (line[["MISSES", "SLEEPS", "SPIN_GETS", "WAIT_TIME"]] == 0).all().all()
    assert latch_frames.sessions(built, runs)["cpu_s"].mean() == pytest.approx(load.cpu_s, rel=0.01)


def test_spinning_at_most_doubles_the_cpu_of_two() -> None:
    assert 1.9 < _cpu(_load(hold_share=0.99)) / 64.0 < 2.0


def test_cache_lines_cost_only_where_the_latch_changes_hands() -> None:
    lines = LatchHardware()
    alone, two = (_cpu(_load(sessions=count, hardware=lines)) for count in (1, 2))
    assert alone == pytest.approx(64.0, rel=0.01)
    assert two > 1.1 * _cpu(_load())


def test_with_a_core_for_two_holders_lose_it_under_the_latch_and_others_sleep() -> None:
    built = latches.build(_load(sessions=4, cores=1))
    runs = latches.simulate(built, SEEDS)
    assert latch_frames.latch(built, runs)["SLEEPS"].sum() > 0
    assert latch_frames.waits(built, runs)["event"].unique().tolist() == [latches.EVENT]
    sessions = latch_frames.sessions(built, runs)
    assert sessions["cpu_s"].groupby(sessions["run"]).sum().max() <= sessions["elapsed_s"].max() * 1.0001


def test_a_spin_count_of_one_sleeps_instead_of_spinning() -> None:
    one = latches.build(_load(spin_count=1))
    runs = latches.simulate(one, SEEDS)
    line = latch_frames.latch(one, runs).sum(numeric_only=True)
    assert line["SLEEPS"] > 0.9 * line["MISSES"] > 0
    assert sum(latch_frames.spinning_s(one, run) for run in runs) < 0.1


@pytest.mark.parametrize("changes", [{}, {"sessions": 5, "cores": 2}, {"sessions": 3, "cores": 3, "spin_count": 10}])
def test_parts_add_up_to_the_elapsed_time_and_counters_to_each_other(changes: dict[str, object]) -> None:
    built = latches.build(_load(hardware=LatchHardware(), **changes))
    runs = latches.simulate(built, [1, 2])
    parts, sessions = latch_frames.parts(built, runs), latch_frames.sessions(built, runs)
    line = latch_frames.latch(built, runs)
    for run in (0, 1):
        total = parts.loc[parts["run"] == run, "time_s"].sum()
        assert total == pytest.approx(sessions.loc[sessions["run"] == run, "elapsed_s"].mean())
        row = line.iloc[run]
        assert row["MISSES"] <= row["SPIN_GETS"] + row["SLEEPS"] + 1 and row["MISSES"] <= row["GETS"]


def test_the_sample_never_exceeds_the_gets() -> None:
    assert _load(gets=1024).scale == 1.0
    assert _load(sessions=16).sample * 16 <= latches.SAMPLE_ALL
