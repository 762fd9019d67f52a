"""Comparing measurements: means, intervals, errors in percent, and what can't be compared."""

import math

import pandas as pd
import pytest

from raclab.evidence.compare import COLUMNS, compare, error_pct, value
from raclab.evidence.figures import CALLS, CPU, ELAPSED, Figure, figures_of, longest_wait, statistic, wait_time, waits
from raclab.evidence.measurement import SESSION_COLUMNS, STAT_COLUMNS, WAIT_COLUMNS, Kind, Measurement, Source

RUNS = [80.0, 82.0, 78.0, 81.0, 83.0, 79.0, 80.0, 85.0]


def source(kind: Kind) -> Source:
    return Source(kind, "title", 2026, "1", "machine")


def published(elapsed: float = 81.23, wait_rows: tuple[tuple[object, ...], ...] = ()) -> Measurement:
    rows = wait_rows or ((0, 1, 1, "row cache lock", "Concurrency", 5413, 62.86, 2.93),)
    return Measurement(
        source(Kind.PUBLISHED),
        "paper",
        {},
        pd.DataFrame([(0, 1, 1, 10000, 8.02, elapsed)], columns=list(SESSION_COLUMNS)),
        pd.DataFrame(rows, columns=list(WAIT_COLUMNS)),
    )


def simulated() -> Measurement:
    """Eight runs of two sessions: session 1 takes 1 s less than the run's figure, session 2 takes 1 s more."""
    sessions = [(run, inst, 1, 10000, 8.0, elapsed + (-1, 1)[inst - 1]) for run, elapsed in enumerate(RUNS) for inst in (1, 2)]
    waited = [(run, inst, 1, "row cache lock", "Concurrency", 5000 + 1000 * inst, 60.0, float(inst)) for run in range(8) for inst in (1, 2)]
    waited += [(0, 1, 1, "log file sync", "Commit", 16, 0.8, 0.1)]
    stats = [(run, inst, "redo size", 100.0 * inst) for run in range(8) for inst in (1, 2)]
    return Measurement(
        source(Kind.SIMULATED),
        "model",
        {},
        pd.DataFrame(sessions, columns=list(SESSION_COLUMNS)),
        pd.DataFrame(waited, columns=list(WAIT_COLUMNS)),
        pd.DataFrame(stats, columns=list(STAT_COLUMNS)),
    )


def test_mean_and_interval_of_eight_runs() -> None:
    estimate = value(simulated(), ELAPSED)
    # mean 81; squared deviations 1, 1, 9, 0, 4, 4, 1, 16 add up to 36; s = sqrt(36/7); t(0.975, 7) = 2.365
    half = 2.365 * math.sqrt(36 / 7) / math.sqrt(8)
    assert estimate.runs == 8
    assert estimate.mean == pytest.approx(81.0)
    assert (estimate.low, estimate.high) == pytest.approx((81 - half, 81 + half))


def test_single_run_has_no_interval() -> None:
    estimate = value(published(), ELAPSED)
    assert (estimate.mean, estimate.runs) == (81.23, 1)
    assert math.isnan(estimate.low) and math.isnan(estimate.high)


def test_sessions_are_averaged_so_that_one_trace_compares_with_a_whole_cluster() -> None:
    model = simulated()
    assert value(model, waits("row cache lock")).mean == 6500
    assert value(model, wait_time("row cache lock")).mean == 60.0
    assert value(model, longest_wait("row cache lock")).mean == 2.0
    assert value(model, CALLS).mean == 10000
    assert value(model, CPU).mean == 8.0


def test_statistics_are_of_the_whole_cluster() -> None:
    assert value(simulated(), statistic("redo size")).mean == 300.0


def test_run_in_which_the_event_does_not_occur_counts_as_zero_waits() -> None:
    # 16 waits of one of two sessions in one of eight runs
    assert value(simulated(), waits("log file sync")).mean == pytest.approx(16 / 2 / 8)


def test_event_that_was_not_published_is_not_zero() -> None:
    assert math.isnan(value(published(), waits("log file sync")).mean)


def test_session_that_did_not_wait_counts() -> None:
    assert value(simulated().one_run(0), waits("log file sync")).mean == 8.0


@pytest.mark.parametrize(
    ("a", "b", "error"),
    [
        (80.0, 100.0, 25.0),
        (100.0, 80.0, -20.0),
        (50.0, 50.0, 0.0),
        (0.0, 0.0, 0.0),
        (10.0, 0.0, -100.0),
        (0.0, 1.0, math.nan),
        (math.nan, 1.0, math.nan),
    ],
)
def test_error_is_relative_to_the_first(a: float, b: float, error: float) -> None:
    assert error_pct(a, b) == pytest.approx(error, nan_ok=True)


def test_comparison_table() -> None:
    frame = compare(published(), simulated())
    assert list(frame.columns) == list(COLUMNS)
    assert frame["figure"].tolist() == [
        *("elapsed", "CPU", "calls"),
        *("row cache lock: waits", "row cache lock: time", "log file sync: waits", "log file sync: time"),
        "redo size",
    ]
    rows = frame.set_index("figure")
    assert rows.loc["elapsed", "error_pct"] == pytest.approx(100 * (81 - 81.23) / 81.23)
    assert rows.loc["elapsed", "b_low"] < 81 < rows.loc["elapsed", "b_high"]
    assert math.isnan(rows.loc["elapsed", "a_low"])
    assert rows.loc["row cache lock: time", ["unit", "a", "b"]].tolist() == ["s", 62.86, 60.0]
    assert rows.loc["log file sync: time", "note"] == "paper: not published"
    assert math.isnan(rows.loc["log file sync: time", "error_pct"])
    assert rows.loc["elapsed", "note"] == ""


def test_comparison_turned_round() -> None:
    rows = compare(simulated(), published(), [ELAPSED, statistic("redo size")]).set_index("figure")
    assert rows.loc["elapsed", "error_pct"] == pytest.approx(100 * (81.23 - 81) / 81)
    assert rows.loc["redo size", "note"] == "paper: not published"


def test_zero_is_explained() -> None:
    zero = published(wait_rows=((0, 1, 1, "row cache lock", "Concurrency", 4, 0.0, 0.0),))
    row = compare(zero, simulated(), [wait_time("row cache lock")]).iloc[0]
    assert math.isnan(row["error_pct"])
    assert row["note"] == "no percentage of zero; the difference is 60 s"


def test_measurement_without_sessions() -> None:
    only_waits = Measurement(source(Kind.PUBLISHED), "paper", {}, waits=published().waits)
    rows = compare(only_waits, simulated()).set_index("figure")
    assert rows.loc["elapsed", "note"] == "paper: not published"
    assert rows.loc["row cache lock: waits", "a"] == 5413
    assert rows.loc["row cache lock: waits", "error_pct"] == pytest.approx(100 * (6500 - 5413) / 5413)


def test_figure_with_a_gap_is_no_figure() -> None:
    assert math.isnan(value(published(elapsed=math.nan), ELAPSED).mean)
    assert compare(published(elapsed=math.nan), simulated(), [ELAPSED])["note"].tolist() == ["paper: not published"]


def test_nothing_measured_at_all() -> None:
    nothing = Measurement(source(Kind.LIVE), "idle", {})
    assert figures_of(nothing) == []
    assert compare(nothing, nothing).empty
    assert compare(nothing, simulated(), [ELAPSED])["note"].tolist() == ["idle: not measured"]


def test_figure_of_ones_own() -> None:
    slowest = Figure("slowest session", "s", lambda measured: measured.sessions.groupby("run")["elapsed_s"].max().to_numpy())
    assert compare(published(), simulated(), [slowest]).loc[0, ["a", "b"]].tolist() == [81.23, 82.0]
