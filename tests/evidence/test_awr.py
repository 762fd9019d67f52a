"""AWR's formulas: on figures of a real report, on the published averages, and on what has no denominator."""

import math

import pandas as pd
import pytest

from raclab.evidence import awr
from raclab.evidence.measurement import Kind, Measurement, Source

SOURCE = Source(Kind.LIVE, "a test", None, "not stated", "not stated")


def measurement(stats: dict[str, float], flushes: dict[str, int] | None = None) -> Measurement:
    frame = pd.DataFrame([(0, 1, name, value) for name, value in stats.items()], columns=["run", "inst_id", "name", "value"])
    views = {}
    if flushes:
        views["CR_BLOCK_SERVER"] = pd.DataFrame({"run": [0], "INST_ID": [1], "CR_REQUESTS": [100], "FLUSHES": [flushes["cr"]]})
        views["CURRENT_BLOCK_SERVER"] = pd.DataFrame({"run": [0], "INST_ID": [1], "FLUSH1": [flushes["current"]], "FLUSH100": [1]})
    return Measurement(SOURCE, "a case", {}, stats=frame, views=views)


def test_centiseconds_become_milliseconds() -> None:
    """A report of release 11.2.0.4 prints 1.9 ms for these totals."""
    found = awr.averages(measurement({"gc cr block receive time": 1_694_196, "gc cr blocks received": 8_947_222}))
    assert found.loc[(0, 1), awr.receive_time("cr")] == pytest.approx(1.8935, abs=1e-4)


def test_build_pin_and_send_are_over_blocks_served() -> None:
    found = awr.averages(
        measurement(
            {
                "gc cr blocks served": 200.0, "gc cr block build time": 4.0, "gc cr block send time": 2.0,
                "gc current blocks served": 50.0, "gc current block pin time": 1.0, "gc current block send time": 0.5,
            }
        )
    ).loc[(0, 1)]  # fmt: skip
    wanted = {("cr", awr.work_time): 0.2, ("cr", awr.send_time): 0.1, ("current", awr.work_time): 0.2, ("current", awr.send_time): 0.1}
    for (kind, label), value in wanted.items():
        assert found[label(kind)] == pytest.approx(value)
    assert awr.work_time("cr").endswith("build time") and awr.work_time("current").endswith("pin time")


def test_flush_time_is_over_flushes_not_over_blocks() -> None:
    stats = {
        "gc cr blocks served": 100.0,
        "gc cr block flush time": 50.0,
        "gc current blocks served": 50.0,
        "gc current block flush time": 9.0,
    }
    found = awr.averages(measurement(stats, {"cr": 5, "current": 2})).loc[(0, 1)]
    assert found[awr.flush_time("cr")] == pytest.approx(100.0)
    assert found[awr.flush_share("cr")] == pytest.approx(5.0)
    assert found[awr.flush_time("current")] == pytest.approx(30.0)  # three flushes: the sum over the columns
    assert found[awr.flush_share("current")] == pytest.approx(6.0)


def test_without_a_denominator_there_is_no_average() -> None:
    found = awr.averages(measurement({"gc cr block receive time": 0.0, "gc cr blocks received": 0.0})).loc[(0, 1)]
    assert all(math.isnan(found[label]) for label in awr.LABELS)


def test_what_a_server_accounts_for() -> None:
    stats = {"gc cr blocks served": 100.0, "gc cr block build time": 1.0, "gc cr block send time": 2.0, "gc cr block flush time": 50.0}
    averages = awr.averages(measurement(stats, {"cr": 5, "current": 0}))
    assert awr.accounted(averages, "cr", server=1)[0] == pytest.approx(0.1 + 0.2 + 5.0)
    without = awr.averages(measurement(stats))
    assert awr.accounted(without, "cr", server=1)[0] == pytest.approx(0.3)


def test_printed_averages_are_taken_as_they_are() -> None:
    found = awr.averages(measurement({awr.receive_time("cr"): 63.3, "something else": 1.0})).loc[(0, 1)]
    assert found[awr.receive_time("cr")] == 63.3
    assert math.isnan(found[awr.receive_time("current")])
