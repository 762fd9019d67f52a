"""What batch on node 1 does to the others: when it hurts, when it doesn't, and what curing it costs."""

import dataclasses

import numpy as np
import pytest

from raclab.evidence import awr, published
from raclab.evidence.compare import value
from raclab.evidence.figures import ELAPSED
from raclab.evidence.measurement import Measurement
from raclab.myths import lms_cpu_starvation as module
from raclab.myths.block_drawing import part_time, receive_time
from raclab.myths.levers import LeverError
from raclab.myths.lms_cpu_starvation import (
    CURED,
    EIGHT_NODES,
    LMS_WAITS,
    MYTH,
    QUIET,
    ROOM,
    STARVED,
    TOO_MANY,
    StarvationLevers,
    lms_cpu_ms,
)


def cr_ms(levers: StarvationLevers) -> float:
    return value(MYTH.simulate(levers), receive_time("cr")).mean


def test_the_other_nodes_wait_for_node_1s_cpu() -> None:
    measured = MYTH.simulate(STARVED)
    assert set(measured.waits["inst_id"]) == {2}
    assert cr_ms(STARVED) > 15 * cr_ms(QUIET)
    waits = value(measured, part_time("cr", LMS_WAITS)).mean
    assert waits > 0.8 * cr_ms(STARVED)


def test_with_a_free_core_the_myth_is_true() -> None:
    assert cr_ms(ROOM) == pytest.approx(cr_ms(QUIET), rel=0.02)


def test_more_runnable_processes_are_more_wait() -> None:
    times = [cr_ms(StarvationLevers(runnable=count)) for count in (4, 8, 16, 32)]
    assert times == sorted(times) and times[-1] > 2 * times[0]


def test_real_time_cures_what_lms_waits_and_not_what_lgwr_waits() -> None:
    cured = MYTH.simulate(CURED)
    assert value(cured, part_time("cr", LMS_WAITS)).mean < 0.01
    busy = cured.waits[cured.waits["event"] == "gc cr block busy"]
    assert 1000 * busy["time_s"].sum() / busy["total_waits"].sum() > 20
    assert value(cured, receive_time("current")).mean < 1.2
    assert cr_ms(CURED) < cr_ms(STARVED) / 5


def test_more_nodes_that_ask_do_not_cure_it() -> None:
    assert cr_ms(dataclasses.replace(STARVED, nodes=4)) > 0.9 * cr_ms(STARVED)


def test_more_lms_cost_cpu_in_real_time() -> None:
    few, many = (lms_cpu_ms(MYTH.simulate(levers)) for levers in (EIGHT_NODES, TOO_MANY))
    assert many > 1.15 * few


def test_by_hand_and_simulated_agree_on_one_core() -> None:
    table = MYTH.compare()
    one_core = table[table["case"].str.contains("on 1 core,")]
    assert len(one_core) == 3
    assert one_core["error_pct"].abs().max() < 3
    assert (table["error_pct"].abs() < 25).all()
    assert table.loc[table["error_pct"].abs() > 5, "why"].str.len().min() > 0


@pytest.mark.parametrize(
    ("runnable", "cores", "turn_ms"), [(1, 1, 5), (8, 1, 75), (3, 4, 0), (4, 4, 2), (5, 4, 4), (8, 4, 12), (16, 4, 32)]
)
def test_turn_by_hand(runnable: int, cores: int, turn_ms: float) -> None:
    assert 1000 * StarvationLevers(runnable=runnable, cores=cores).turn_s() == pytest.approx(turn_ms)


def test_shares_of_busy_blocks_are_the_published_ones() -> None:
    frame = published.load("interconnect_blame").frame("awr_gc_workload").set_index(["node", "metric"])["value"]
    assert pytest.approx(frame[2, awr.flush_share("cr")] / 100) == module.BUSY_CR
    assert pytest.approx(frame[2, awr.flush_share("current")] / 100) == module.BUSY_CURRENT


def test_published_26_lms_are_the_rule_of_11_1() -> None:
    facts = MYTH.facts()
    wanted = int(facts.frame.set_index("fact")["value"]["most LMS processes configured by default on a huge server"])
    counts = MYTH.default_counts().frame.set_index("CPUs")
    assert counts.loc[104, "11.1"] == wanted and counts.loc[104, "11.2"] == 5


def test_awrs_formulas_give_the_simulators_averages() -> None:
    measured = MYTH.simulate(dataclasses.replace(STARVED, nodes=3))
    averages = awr.averages(measured)
    for kind in ("cr", "current"):
        waits = (
            measured.waits[measured.waits["event"].str.startswith(f"gc {kind} ")]
            .groupby(["run", "inst_id"])[["total_waits", "time_s"]]
            .sum()
        )
        mean_ms = 1000 * waits["time_s"] / waits["total_waits"]
        assert averages[awr.receive_time(kind)].dropna().to_numpy() == pytest.approx(mean_ms.to_numpy())


def test_levers_out_of_range_are_refused_in_one_sentence() -> None:
    with pytest.raises(LeverError, match=r"Cores \(cores\) can't be 0: it takes whole numbers from 1 to 32\."):
        StarvationLevers(cores=0)


@pytest.mark.parametrize("levers", [{"nodes": 8, "runnable": 64}, {"nodes": 8, "lms": 32, "cores": 1, "real_time": True}])
def test_extremes_come_to_an_end(levers: dict[str, int]) -> None:
    measured = MYTH.simulate(StarvationLevers(**levers), [1])
    assert np.isfinite(measured.sessions["elapsed_s"]).all()


def test_a_measurement_without_parts_is_told_and_drawn_too() -> None:
    """As it comes back from the lab's views or from a live database."""
    measured = MYTH.simulate(STARVED, [1]).one_run()
    assert type(measured) is Measurement
    assert "not among the counters" in MYTH.sentence([measured])
    assert len(MYTH.figure([measured]).data) == len(MYTH.figure([MYTH.simulate(STARVED, [1])]).data)


def test_calls_are_blocks_and_elapsed_holds_the_waits() -> None:
    measured = MYTH.simulate(STARVED, [1])
    assert set(measured.sessions["calls"]) == {400}
    assert value(measured, ELAPSED).mean > measured.waits["time_s"].sum() / 4


@pytest.mark.parametrize(("name", "right", "wrong"), [("turn", 75.0, 80.0), ("headroom", 3, 4), ("default_count", 104, 103)])
def test_exercises(name: str, right: float, wrong: float) -> None:
    exercise = next(one for one in MYTH.exercises if one.name == name)
    assert exercise.check(right)[0]
    assert not exercise.check(wrong)[0]


def test_predictions_hold() -> None:
    assert 25 < cr_ms(STARVED) < 35
    assert cr_ms(QUIET) == pytest.approx(1.2, abs=0.1)
