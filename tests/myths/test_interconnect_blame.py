"""Whose fault a slow global cache is: the parts of the wait under each fault, and the published table added up."""

import dataclasses
import math
import warnings

import pandas as pd
import pytest

from raclab.evidence import awr
from raclab.evidence.compare import value
from raclab.evidence.measurement import STAT_COLUMNS, Measurement
from raclab.myths import interconnect_blame as module
from raclab.myths.block_drawing import LMS_WAITS, BlockMeasurement, breakdown, interconnect_share, receive_time
from raclab.myths.interconnect_blame import FAULTS, FLUSH, HEALTHY, MESSAGE, MYTH, RECEIVER, WIRE, BlameLevers, as_published


@pytest.fixture(scope="module")
def measured() -> dict[str, BlockMeasurement]:
    return {name: MYTH.simulate(levers) for name, levers in FAULTS.items()}


@pytest.fixture(scope="module")
def compared() -> pd.DataFrame:
    return MYTH.compare()


def largest(one: BlockMeasurement, instance: int) -> str:
    parts = breakdown(one, "cr", instance)
    return max(parts, key=lambda name: parts[name])


def test_a_run_without_blocks_has_no_receive_time_and_warns_of_nothing() -> None:
    """As on a live cluster where an instance received nothing meanwhile; run 1 received 4 blocks in 2 cs, which is 5 ms each."""
    rows = [(run, 1, f"gc cr block{name}", counted) for run, time, blocks in ((0, 0.0, 0.0), (1, 2.0, 4.0))
            for name, counted in ((" receive time", time), ("s received", blocks))]  # fmt: skip
    nothing = Measurement(module.MODEL, "nothing received", {}, stats=pd.DataFrame(rows, columns=list(STAT_COLUMNS)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        none, some = receive_time("cr", 1).read(nothing)
    assert math.isnan(none) and some == 5.0


class TestFaults:
    def test_each_fault_has_its_part(self, measured: dict[str, BlockMeasurement]) -> None:
        assert largest(measured["LMS without CPU"], 1) == LMS_WAITS
        assert largest(measured["redo write 500 ms"], 1) == FLUSH
        for fault in ("wire latency 10 ms", "bandwidth 90 % used"):
            assert largest(measured[fault], 1) in (MESSAGE, WIRE)

    def test_the_wires_share_is_high_only_when_it_is_the_wire(self, measured: dict[str, BlockMeasurement]) -> None:
        share = {name: interconnect_share(one, "cr", 1) for name, one in measured.items()}
        assert min(share["wire latency 10 ms"], share["bandwidth 90 % used"]) > 90
        assert max(share["LMS without CPU"], share["redo write 500 ms"], share["redo write 4,380 ms"]) < 5

    def test_a_slow_wire_is_slow_both_ways_and_a_slow_lgwr_is_not(self, measured: dict[str, BlockMeasurement]) -> None:
        received = {name: [value(one, receive_time("cr", node)).mean for node in (1, 2)] for name, one in measured.items()}
        for fault in ("wire latency 10 ms", "bandwidth 90 % used"):
            assert received[fault][0] == pytest.approx(received[fault][1], rel=0.05)
        assert received["redo write 500 ms"][0] > 20 * received["redo write 500 ms"][1]
        assert received["redo write 500 ms"][1] == pytest.approx(received["healthy"][1], rel=0.02)

    def test_on_a_node_without_cpu_its_own_sessions_wake_late(self, measured: dict[str, BlockMeasurement]) -> None:
        assert largest(measured["LMS without CPU"], 2) == RECEIVER

    def test_current_blocks_do_not_care_for_busy_cr_blocks(self) -> None:
        low, high = (value(MYTH.simulate(BlameLevers(busy_pct=share)), receive_time("current", 1)).mean for share in (0.0, 50.0))
        assert high == pytest.approx(low, rel=0.1)

    def test_latency_counts_twice(self, measured: dict[str, BlockMeasurement]) -> None:
        healthy, slow = (value(measured[name], receive_time("current", 1)).mean for name in ("healthy", "wire latency 10 ms"))
        assert slow - healthy == pytest.approx(2 * (10.0 - HEALTHY.wire_latency_ms), rel=0.02)

    def test_shares_table_adds_up(self) -> None:
        table = MYTH.shares([1, 2]).frame
        parts = table.iloc[:, 1:7].sum(axis=1)
        assert parts.to_numpy() == pytest.approx(table["node 1 receives in"].to_numpy(), abs=0.04)


class TestAwr:
    def test_awrs_formulas_give_the_simulators_averages(self, measured: dict[str, BlockMeasurement]) -> None:
        """From V$SYSSTAT's totals and the views' flushes, as from the waits and the parts of the simulation itself."""
        for one in measured.values():
            averages = awr.averages(one)
            for kind in ("cr", "current"):
                waits = one.waits[one.waits["event"].str.startswith(f"gc {kind} ")]
                of_node = waits.groupby(["run", "inst_id"])[["total_waits", "time_s"]].sum()
                received = 1000 * of_node["time_s"] / of_node["total_waits"]
                assert averages[awr.receive_time(kind)].to_numpy() == pytest.approx(received.to_numpy())
                busy = waits[waits["event"].str.endswith("busy")]
                if busy.empty:
                    continue
                counts = busy.groupby(["run", "inst_id"])["total_waits"].sum()
                for (run, receiver), flushes in counts.items():
                    server = 3 - receiver
                    served = of_node.loc[(run, receiver), "total_waits"]  # of two nodes, what one receives the other serves
                    assert averages.loc[(run, server), awr.flush_share(kind)] == pytest.approx(100 * flushes / served)
                    parts = one.parts[(one.parts["run"] == run) & (one.parts["inst_id"] == receiver) & (one.parts["kind"] == kind)]
                    flush_s = parts.loc[parts["part"] == FLUSH, "time_s"].sum()
                    assert averages.loc[(run, server), awr.flush_time(kind)] == pytest.approx(1000 * flush_s / flushes)

    def test_what_awr_does_not_show_is_lms_wait_and_travel(self, measured: dict[str, BlockMeasurement]) -> None:
        one = measured["LMS without CPU"]
        held = awr.accounted(awr.averages(one), "cr", server=2).mean()
        assert held < 0.2 * value(one, receive_time("cr", 1)).mean


class TestPublished:
    def test_arithmetic_by_hand(self) -> None:
        table = MYTH.arithmetic().frame.set_index(["receiver", "block"])
        assert table.loc[(1, "cr"), "flush a block"] == 219.0
        assert table.loc[(1, "cr"), "accounted for"] == pytest.approx(219.1)
        assert table.loc[(1, "cr"), "left"] == pytest.approx(63.3 - 219.1)
        assert table.loc[(1, "current"), "left"] == pytest.approx(42.0)
        assert table.loc[(2, "cr"), "accounted for"] == pytest.approx(0.3 + 0.1 + 0.045 * 51.5, abs=0.01)
        assert table.loc[(2, "current"), "left"] == pytest.approx(3.2 - 4.83)

    def test_the_table_is_told_as_published(self) -> None:
        told = MYTH.sentence(MYTH.published())
        for words in ("PUBLISHED, two nodes, AWR: node 1 receives a CR block in 63.3 ms, node 2 in 10.4 ms", "make 219 ms a block"):
            assert words in told

    def test_the_chart_has_the_servers_figures_and_the_rest(self) -> None:
        published = MYTH.published()[0]
        assert breakdown(published, "cr", 1)[FLUSH] == pytest.approx(219.0)
        assert breakdown(published, "current", 1)["not in the server's figures"] == pytest.approx(42.0)
        assert breakdown(published, "cr", 2)["not in the server's figures"] == pytest.approx(7.68, abs=0.01)

    def test_settings_meet_the_servers_published_flush_times(self, compared: pd.DataFrame) -> None:
        flush = compared[compared["figure"].str.endswith("flush time")]
        assert len(flush) == 2 and (flush["error_pct"].abs() < 10).all()

    def test_what_is_missed_says_why(self, compared: pd.DataFrame) -> None:
        missed = compared[compared["error_pct"].abs() > 25]
        assert len(missed) == 5  # every receive time, and one build time: what the table cannot explain
        assert (missed["why"].str.len() > 20).all()

    def test_the_simulation_gives_what_the_arithmetic_gives(self) -> None:
        """The receive time that follows from the published flushes is the table's own contradiction, not the model's."""
        simulated = value(as_published(), receive_time("cr", 1)).mean
        by_hand = MYTH.arithmetic().frame["accounted for"].iloc[0]
        assert simulated == pytest.approx(by_hand + 1.0, rel=0.1)


def test_the_case_names_what_is_not_as_usual() -> None:
    assert HEALTHY.describe() == "healthy"
    assert BlameLevers(bandwidth_used_pct=50, busy_pct=10.0).describe() == "bandwidth used 50 %, busy CR blocks 10 %"


def test_long_flushes_mean_fewer_blocks_not_a_longer_run() -> None:
    levers = BlameLevers(redo_write_ms=4380.0, busy_pct=100.0)
    assert module.workload(levers).blocks < module.workload(HEALTHY).blocks == 400
    measured = MYTH.simulate(levers, [1])
    assert measured.sessions["elapsed_s"].max() < 3 * module.FLUSHING_S


def test_views_come_with_a_single_seed() -> None:
    single, several = MYTH.simulate(HEALTHY, [1]), MYTH.simulate(HEALTHY, [1, 2])
    servers = {"CR_BLOCK_SERVER", "CURRENT_BLOCK_SERVER"}
    assert set(several.views) == servers
    assert set(single.views) >= servers | {"INSTANCE_CACHE_TRANSFER", "OSSTAT", "ACTIVE_SESSION_HISTORY"}
    rows = single.views["INSTANCE_CACHE_TRANSFER"].set_index(["INST_ID", "INSTANCE"])
    assert (rows.loc[(1, 2), "CR_BLOCK_TIME"] / rows.loc[(1, 2), "CR_BLOCK"] / 1000) == pytest.approx(
        value(single, receive_time("cr", 1)).mean, rel=1e-4
    )


@pytest.mark.parametrize(
    ("name", "right", "wrong"), [("unexplained", 42.0, 42.1), ("flush_that_fits", 1266.0, 4380.0), ("wire_share", 2.0, 5.0)]
)
def test_exercises(name: str, right: float, wrong: float) -> None:
    exercise = next(one for one in MYTH.exercises if one.name == name)
    assert exercise.check(right)[0]
    assert not exercise.check(wrong)[0]


def test_a_wrong_formula_would_be_seen() -> None:
    """The tests of AWR's formulas can fail: over blocks instead of flushes a flush time is far off."""
    one = MYTH.simulate(dataclasses.replace(HEALTHY, redo_write_ms=100.0), [1])
    averages = awr.averages(one).loc[(0, 2)]
    over_blocks = averages[awr.flush_time("cr")] * averages[awr.flush_share("cr")] / 100
    assert over_blocks < 0.2 * averages[awr.flush_time("cr")]
