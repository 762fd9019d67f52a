"""What a measurement guarantees."""

import pandas as pd
import pytest

from raclab.evidence.measurement import SESSION_COLUMNS, WAIT_COLUMNS, Kind, Measurement, Source, empty_frame

SOURCE = Source(Kind.SIMULATED, "model", 2026, "0.1.0", "this computer")


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (SOURCE, "model (2026; version 0.1.0; this computer)"),
        (Source(Kind.PUBLISHED, "slides", None, "not stated", "not stated"), "slides (year, version and machine not stated)"),
        (Source(Kind.PUBLISHED, "slides", 2008, "not stated", "6 nodes"), "slides (2008; 6 nodes; version not stated)"),
        (Source(Kind.PUBLISHED, "slides", 2008, "not stated", "not stated"), "slides (2008; version and machine not stated)"),
    ],
)
def test_source_in_one_line(source: Source, line: str) -> None:
    assert source.line == line


def test_empty_frames_have_the_types_of_full_ones() -> None:
    full = pd.DataFrame([(0, 1, 1, 10000, 8.02, 81.23)], columns=list(SESSION_COLUMNS))
    assert empty_frame(SESSION_COLUMNS).dtypes.equals(full.dtypes)
    row = (0, 1, 1, "row cache lock", "Concurrency", 5413, 62.86, 2.93)
    assert empty_frame(WAIT_COLUMNS).dtypes.equals(pd.DataFrame([row], columns=list(WAIT_COLUMNS)).dtypes)


def test_missing_column_is_refused() -> None:
    with pytest.raises(ValueError, match="case: frame sessions lacks elapsed_s"):
        Measurement(SOURCE, "case", {}, empty_frame(SESSION_COLUMNS).drop(columns="elapsed_s"))


def test_runs_are_those_of_any_frame() -> None:
    waits = pd.DataFrame([(run, 1, 1, "row cache lock", "Concurrency", 1, 0.1, 0.1) for run in (0, 2)], columns=list(WAIT_COLUMNS))
    sessions = pd.DataFrame([(run, 1, 1, 1, 0.1, 0.2) for run in (0, 1)], columns=list(SESSION_COLUMNS))
    assert Measurement(SOURCE, "case", {}, waits=waits).runs == 2
    assert Measurement(SOURCE, "case", {}, sessions, waits).run_numbers == [0, 1, 2]
    assert Measurement(SOURCE, "case", {}).runs == 0


def test_one_run_keeps_the_extra_views_of_that_run() -> None:
    rows = pd.DataFrame({"run": [0, 1], "INST_ID": [1, 1], "GETS": [10, 20]})
    one = Measurement(SOURCE, "case", {"cache": 0}, views={"ROWCACHE": rows}).one_run(1)
    assert one.views["ROWCACHE"]["GETS"].tolist() == [20]
    assert one.levers == {"cache": 0}
