"""Differences of snapshots: what adds up is subtracted, what is so now is not, and what can't be compared is refused."""

import datetime

import pandas as pd
import pytest

from raclab.evidence.measurement import Kind
from raclab.reports.delta import Delta
from raclab.reports.errors import ReportError, SnapshotError
from raclab.reports.snapshot import KEPT, Snapshot

STARTED = datetime.datetime(2026, 1, 1, 8)


def snapshot(number, *, instances=(1, 2), started=STARTED, start=0, seconds=0, **views):
    frame = pd.DataFrame(
        [(one, f"rac{one}", f"node{one}", started, start) for one in instances],
        columns=["INST_ID", "INSTANCE_NAME", "HOST_NAME", "STARTUP_TIME", "START"],
    )
    filled = {view: rows.reindex(columns=["INST_ID", *KEPT[view].columns]) for view, rows in views.items()}
    return Snapshot(number, "", STARTED + datetime.timedelta(seconds=seconds), number, frame, {}, filled)


def delta(begin, end):
    return Delta(begin, end, Kind.SIMULATED, "a test")


def statistics(**values):
    return pd.DataFrame([(1, name, value) for name, value in values.items()], columns=["INST_ID", "NAME", "VALUE"])


def test_counters_are_subtracted_and_what_stands_still_is_left_out():
    made = delta(snapshot(1, SYSSTAT=statistics(a=5, b=7)), snapshot(2, seconds=90, SYSSTAT=statistics(a=8, b=7, c=2)))
    assert made.statistics.frame.values.tolist() == [[1, "a", 3], [1, "c", 2]]
    assert made.seconds == 90
    assert made["gv$sysstat"].frame["VALUE"].tolist() == made["SYSSTAT"].frame["VALUE"].tolist() == [3, 2]
    assert "snapshots 1 to 2, 90.0 s" in repr(made)


def test_rows_whose_keys_are_null_are_told_apart_by_the_rest():
    def rows(gets):
        return pd.DataFrame(
            [(1, "dc_sequences", None, None, gets), (1, "dc_users", None, None, 1)],
            columns=["INST_ID", "PARAMETER", "TYPE", "SUBORDINATE#", "GETS"],
        )

    changed = delta(snapshot(1, ROWCACHE=rows(10)), snapshot(2, ROWCACHE=rows(25))).frame("ROWCACHE")
    assert changed[["PARAMETER", "GETS"]].values.tolist() == [["dc_sequences", 15.0]]
    assert changed["SCANS"].isna().all()  # unknown before and after: no zero


def test_what_is_so_now_is_shown_as_it_is_at_the_end():
    def os(busy, load):
        return pd.DataFrame([(1, "BUSY_TIME", busy), (1, "LOAD", load), (1, "NUM_CPUS", 4)], columns=["INST_ID", "STAT_NAME", "VALUE"])

    changed = delta(snapshot(1, OSSTAT=os(100, 9)), snapshot(2, OSSTAT=os(160, 3))).frame("OSSTAT")
    assert dict(zip(changed["STAT_NAME"], changed["VALUE"], strict=True)) == {"BUSY_TIME": 60, "LOAD": 3, "NUM_CPUS": 4}


def test_waits_come_with_their_average_and_idle_ones_are_left_out():
    rows = pd.DataFrame(
        [(1, "row cache lock", 4, 10_000, "Concurrency"), (1, "SQL*Net message from client", 9, 99, "Idle")],
        columns=["INST_ID", "EVENT", "TOTAL_WAITS", "TIME_WAITED_MICRO", "WAIT_CLASS"],
    )
    events = delta(snapshot(1), snapshot(2, SYSTEM_EVENT=rows)).events.frame
    assert events.to_dict("records") == [
        {
            "INST_ID": 1,
            "EVENT": "row cache lock",
            "WAIT_CLASS": "Concurrency",
            "TOTAL_WAITS": 4,
            "TIME_WAITED_MICRO": 10_000,
            "AVERAGE_MS": 2.5,
        }
    ]


def test_an_instance_started_in_between_counts_from_its_start():
    began = snapshot(1, instances=(1,), SYSSTAT=statistics(a=5))
    assert delta(began, snapshot(2, instances=(1, 2), SYSSTAT=statistics(a=6))).instances == [1, 2]


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (snapshot(2, start=1), r"Instances 1, 2 were shut down between snapshots 1 and 2.*ORA-20200"),
        (snapshot(2, started=STARTED + datetime.timedelta(hours=1)), "Instances 1, 2 were shut down"),
        (snapshot(2, instances=(1,)), "Instance 2 was shut down"),
        (snapshot(1), "Nothing lies between snapshot 1 and itself"),
        (snapshot(0), r"Snapshot 1 was taken after snapshot 0: give the earlier one first, \(0, 1\)"),
    ],
)
def test_what_can_not_be_compared_is_refused_in_a_sentence(end, said):
    with pytest.raises(SnapshotError, match=said):
        delta(snapshot(1), end)


def test_nothing_changed_says_so():
    made = delta(snapshot(1), snapshot(2))
    assert repr(made) == "Nothing has changed: a test, snapshots 1 to 2, 0.0 s."
    assert "Nothing has changed" in made._repr_html_()


def test_a_view_that_is_not_kept_is_named():
    with pytest.raises(ReportError, match=r"does not keep V\$ARCHIVED_LOG; it keeps GV\$SYSTEM_EVENT"):
        delta(snapshot(1), snapshot(2))["V$ARCHIVED_LOG"]
