"""The archiver's steps with one set of parameters, the name server, and what nodes bring."""

import dataclasses
import math

import pandas as pd
import pytest

from raclab.cluster.archiver import WINDOW_S
from raclab.cluster.row_locks import ROW_LOCK
from raclab.myths.scale_out import MYTH, NAMES, NAMES_ALONE, NAMES_PARTITIONED, STEPS, ScaleLevers, work

TWO = (1, 2)


@pytest.fixture(scope="module")
def compared() -> pd.DataFrame:
    return MYTH.compare()


def test_each_step_is_within_a_quarter_of_the_published_rate(compared: pd.DataFrame) -> None:
    rates = compared[compared["figure"] == "rate"]
    assert rates["published"].tolist() == [100, 2000, 16000, 150000, 150000]
    assert (rates["error_pct"].abs() < 25).all()


def test_the_top_event_of_each_step_is_the_published_one(compared: pd.DataFrame) -> None:
    tops = compared[compared["figure"].str.startswith("top event is")]
    assert len(tops) == 5
    assert (tops["simulated"] == 1).all()


def test_what_is_missed_says_why(compared: pd.DataFrame) -> None:
    missed = compared[compared["error_pct"].abs() > 25]
    assert len(missed) == 7
    assert (missed["why"].str.len() > 20).all()


def test_parameters_come_from_the_published_figures() -> None:
    assert work().client_s == 1.5 and work().pace == 1000
    assert work().disk_s == pytest.approx(137 / 29242)


def test_after_the_last_step_nothing_waits_for_space() -> None:
    frozen, stable = (MYTH.simulate(STEPS[step], TWO) for step in (4, 5))
    assert "row cache lock" in set(frozen.waits["event"])
    assert frozen.waits.loc[frozen.waits["event"] == "row cache lock", "max_s"].max() > 1.5
    assert "row cache lock" not in set(stable.waits["event"])


def test_sensitivity_tells_what_the_predictions_rest_on() -> None:
    table = MYTH.sensitivity([1]).frame
    assert len(table) == 9
    on_disk = table[table["step"] == 2].set_index("value")["changes a second"]
    assert on_disk[0.25] > 1.7 * on_disk[0.5] > 1.7 * on_disk[1.0]
    redo = table[table["assumption"] == "redo write (ms)"].set_index("value")["error %"]
    assert redo[2.0] > redo[4.0] > redo[8.0]


def test_direct_path_without_a_partition_queues_for_the_table() -> None:
    measured = MYTH.simulate(ScaleLevers(direct=True), TWO)
    assert measured.top() == "enq: TM - contention"
    assert "locks the table" in MYTH.sentence([measured])


def test_a_hot_block_makes_more_nodes_slower_and_partitions_make_them_scale() -> None:
    hot, cured = MYTH.law(STEPS[3]), MYTH.law(STEPS[5])
    assert hot.peak_nodes == 1
    assert cured.contention < 0.01 and cured.peak_nodes > 20
    assert cured.at(8) == pytest.approx(200_000, rel=0.03)
    table = MYTH.scaling(STEPS[5]).frame
    assert table["fitted law"].to_numpy() == pytest.approx(table["a second"].to_numpy(), rel=0.02)


def test_no_partitioning_cures_row_locks() -> None:
    alone, plain, parted = (MYTH.simulate(levers, TWO) for levers in (NAMES_ALONE, NAMES, NAMES_PARTITIONED))
    assert plain.rate < parted.rate < alone.rate
    assert {one.top() for one in (alone, plain, parted)} == {ROW_LOCK}
    free = MYTH.simulate(dataclasses.replace(NAMES_PARTITIONED, conflicts_pct=0), TWO)
    assert free.rate > 3 * parted.rate


def test_row_conflicts_hold_the_archiver_up_too() -> None:
    rates = [MYTH.simulate(dataclasses.replace(STEPS[5], conflicts_pct=share), TWO).rate for share in (0, 100)]
    assert rates[1] < 0.7 * rates[0]


def test_a_session_s_time_is_cpu_and_waits() -> None:
    """Where cores are to spare; where sessions wait for a core, that is in neither."""
    measured = MYTH.simulate(STEPS[1], [1])
    spent = measured.sessions["cpu_s"].sum() + measured.waits["time_s"].sum()
    assert spent == pytest.approx(measured.sessions["elapsed_s"].sum(), rel=0.001)
    assert measured.sessions["elapsed_s"].max() <= WINDOW_S
    stats = measured.stats.groupby("name")["value"].sum()
    busy = measured.waits[measured.waits["wait_class"] != "Idle"]["time_s"].sum() + measured.sessions["cpu_s"].sum()
    assert stats["DB time"] == pytest.approx(100 * busy, rel=0.01)


def test_views_come_with_a_single_seed() -> None:
    single = MYTH.simulate(NAMES, [1])
    assert set(single.views) >= {"ENQUEUE_STATISTICS", "ACTIVE_SESSION_HISTORY", "SEGMENT_STATISTICS", "OSSTAT"}
    enqueues = single.views["ENQUEUE_STATISTICS"]
    waits = single.waits[single.waits["event"] == ROW_LOCK]
    assert enqueues["TOTAL_WAIT#"].sum() == waits["total_waits"].sum()
    history = single.views["ACTIVE_SESSION_HISTORY"]
    assert "SQL*Net message from client" not in set(history["EVENT"].dropna())
    assert (history.loc[history["session"] > 0, "EVENT"] == ROW_LOCK).mean() > 0.8
    assert not MYTH.simulate(NAMES, TWO).views


def test_levers_that_do_not_count_are_said() -> None:
    assert "don't count" in MYTH.sentence([MYTH.simulate(NAMES, [1])])
    assert "don't count" not in MYTH.sentence([MYTH.simulate(STEPS[3], [1])])


@pytest.mark.parametrize(
    ("name", "right", "wrong"), [("client_time", 1.5, 0.01), ("smallest_bulk", 2000, 1000), ("smallest_bulk", 2000, 7)]
)
def test_exercises(name: str, right: float, wrong: float) -> None:
    exercise = next(one for one in MYTH.exercises if one.name == name)
    assert exercise.check(right)[0]
    assert not exercise.check(wrong)[0]


def test_published_steps_are_told_as_such() -> None:
    told = MYTH.sentence(MYTH.published())
    assert "PUBLISHED, step 3: 16,000 changes a second; top event gc buffer busy." in told
    assert told.endswith("150,000 changes a second; stable.")
    assert all(math.isfinite(one.rate) for one in MYTH.published())  # type: ignore[attr-defined]
