"""AWR's sections about waits: top events, classes, foreground and background events, histograms."""

from collections.abc import Hashable, Mapping
from itertools import pairwise
from typing import Any

import pandas as pd

from raclab.reports.awr_load import CPU_SECTIONS
from raclab.reports.counted import DB_CPU, Counted
from raclab.reports.delta import MICROSECONDS, Delta
from raclab.reports.layout import Column, count, headed, number, ratio, share, table, time

_TOP = 10
_ABOVE_A_MS = 1024
_SHORT = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
_LONG = (1, 2, 4, 8, 16, 32, 1024)


def _foreground(counted: Counted) -> pd.DataFrame:
    rows = counted.rows("SYSTEM_EVENT")
    rows = rows[(rows["WAIT_CLASS"] != "Idle") & (rows["TOTAL_WAITS_FG"] > 0)]
    return rows.sort_values("TIME_WAITED_MICRO_FG", ascending=False)


def top_events(counted: Counted) -> str:
    """The ten foreground events that took longest, and DB CPU."""
    found = _foreground(counted).to_dict("records")
    rows = [(float(row["TIME_WAITED_MICRO_FG"]) / MICROSECONDS, _top_row(row, counted.db_time_s)) for row in found]
    cpu = counted.time_model_s(DB_CPU)
    if cpu > 0:
        rows.append((cpu, [DB_CPU, "", number(cpu), "", share(cpu, counted.db_time_s), ""]))
    rows.sort(key=lambda row: -row[0])
    columns = [
        Column("Event", 30, left=True), Column("Waits", 10), Column("Total Wait\nTime (sec)", 10), Column("Avg\nWait", 9),
        Column("% DB\ntime", 6), Column("Wait\nClass", 11, left=True),
    ]  # fmt: skip
    return headed(f"Top {_TOP} Foreground Events by Total Wait Time", table(columns, [row for _, row in rows[:_TOP]])) if rows else ""


def _top_row(row: Mapping[Hashable, Any], db_time_s: float) -> list[str]:
    waits, micro = float(row["TOTAL_WAITS_FG"]), float(row["TIME_WAITED_MICRO_FG"])
    seconds = micro / MICROSECONDS
    return [row["EVENT"], count(waits), number(seconds), time(ratio(micro, waits)), share(seconds, db_time_s), row["WAIT_CLASS"]]


def wait_classes(counted: Counted) -> str:
    """Foreground waits by class, and DB CPU."""
    found = _foreground(counted).groupby("WAIT_CLASS")[["TOTAL_WAITS_FG", "TIME_WAITED_MICRO_FG"]].sum()
    rows = []
    for name, (waits, micro) in zip(found.index, found.to_numpy().tolist(), strict=True):
        rows.append((micro / MICROSECONDS, [name, count(waits), number(micro / MICROSECONDS), time(ratio(micro, waits))]))
    cpu = counted.time_model_s(DB_CPU)
    if cpu > 0:
        rows.append((cpu, [DB_CPU, "", number(cpu), ""]))
    rows.sort(key=lambda row: -row[0])
    columns = [
        Column("Wait Class", 20, left=True), Column("Waits", 14), Column("Total Wait\nTime (sec)", 12), Column("Avg\nWait", 9),
        Column("% DB\ntime", 6), Column("Avg Active\nSessions", 10),
    ]  # fmt: skip
    filled = [[*row, share(seconds, counted.db_time_s), number(ratio(seconds, counted.seconds), 2)] for seconds, row in rows]
    return headed("Wait Classes by Total Wait Time", table(columns, filled)) if rows else ""


def foreground_events(counted: Counted) -> str:
    """Every foreground event, idle ones last."""
    rows = counted.rows("SYSTEM_EVENT")
    rows = rows[rows["TOTAL_WAITS_FG"] > 0]
    return _events(counted, "Foreground Wait Events", rows, "_FG")


def background_events(counted: Counted) -> str:
    """What is waited for in the background: all waits less those of the foreground."""
    rows = counted.rows("SYSTEM_EVENT").copy()
    for name in ("TOTAL_WAITS", "TOTAL_TIMEOUTS", "TIME_WAITED_MICRO"):
        rows[name] = rows[name] - rows[f"{name}_FG"].fillna(0)
    return _events(counted, "Background Wait Events", rows[rows["TOTAL_WAITS"] > 0], "")


def _events(counted: Counted, title: str, rows: pd.DataFrame, ending: str) -> str:
    if rows.empty:
        return ""
    waits, timeouts, micro = (f"{name}{ending}" for name in ("TOTAL_WAITS", "TOTAL_TIMEOUTS", "TIME_WAITED_MICRO"))
    rows = rows.assign(idle=rows["WAIT_CLASS"] == "Idle").sort_values(["idle", micro], ascending=[True, False])
    columns = [
        Column("Event", 30, left=True), Column("Waits", 11), Column("%Time\n-outs", 5), Column("Total Wait\nTime (s)", 10),
        Column("Avg\nwait", 9), Column("Waits\n/txn", 8), Column("% DB\ntime", 6),
    ]  # fmt: skip
    filled = []
    for place in range(len(rows)):
        row = rows.iloc[place]
        hits, spent = float(row[waits]), float(row[micro])
        cells = [count(hits), share(float(row[timeouts]), hits, 0), number(spent / MICROSECONDS, 2), time(ratio(spent, hits))]
        part = "" if row["idle"] or not ending else share(spent / MICROSECONDS, counted.db_time_s)
        filled.append([str(row["EVENT"]), *cells, number(ratio(hits, counted.transactions)), part])
    return headed(title, table(columns, filled), ["Ordered by wait time, idle events last"])


def histogram_short(counted: Counted) -> str:
    """Waits up to a millisecond, in percent of all waits for the event."""
    columns = [Column(f"<{limit}us", 6) for limit in _SHORT[2:]]
    limits = [(0, _SHORT[2]), *pairwise(_SHORT[2:])]
    rows = _not_idle(counted)
    if rows.empty or rows["WAIT_TIME_MICRO"].astype(float).min() > _SHORT[-1]:
        return ""
    return _histogram(counted, "Wait Event Histogram (up to 512 us)", [*columns, Column(">=512us", 7)], [*limits, (_SHORT[-1], None)])


def histogram(counted: Counted) -> str:
    """Waits by their length in milliseconds, in percent."""
    columns = [Column(f"<{limit}ms", 6) for limit in _LONG[:-1]] + [Column("<=1s", 6), Column(">1s", 6)]
    limits = [0, *(_ABOVE_A_MS * limit for limit in _LONG)]
    return _histogram(counted, "Wait Event Histogram", columns, [*pairwise(limits), (limits[-1], None)])


def _not_idle(counted: Counted) -> pd.DataFrame:
    rows, events = counted.rows("EVENT_HISTOGRAM_MICRO"), counted.rows("SYSTEM_EVENT")
    chosen: pd.DataFrame = rows[~rows["EVENT"].isin(events[events["WAIT_CLASS"] == "Idle"]["EVENT"])]
    return chosen


def _histogram(counted: Counted, title: str, columns: list[Column], ranges: list[tuple[int, int | None]]) -> str:
    rows = _not_idle(counted)
    if rows.empty:
        return ""
    filled = []
    for event, of_event in rows.groupby("EVENT"):
        upper, waits = of_event["WAIT_TIME_MICRO"].astype(float), of_event["WAIT_COUNT"]
        total = float(waits.sum())
        cells = [share(float(waits[(upper > low) & (upper <= (high or float("inf")))].sum()), total) for low, high in ranges]
        filled.append([str(event), count(total), *("" if cell == "0.0" else cell for cell in cells)])
    filled.sort(key=lambda row: row[0])
    notes = ["% of Waits: an empty column has none, or less than 0.05 %; a limit belongs to the column on its left"]
    return headed(title, table([Column("Event", 30, left=True), Column("Total\nWaits", 9), *columns], filled), notes)


def top_side_by_side(delta: Delta) -> str:
    """The top events of all instances together, with each instance's part."""
    pieces = [_foreground(Counted(delta, instance)) for instance in delta.instances]
    rows = pd.concat(pieces)
    if rows.empty:
        return ""
    order = rows.groupby("EVENT")["TIME_WAITED_MICRO_FG"].sum().sort_values(ascending=False).index[:_TOP]
    columns = [
        Column("I#", 3), Column("Event", 30, left=True), Column("Waits", 10), Column("Total Wait\nTime (sec)", 10), Column("Avg\nWait", 9),
        Column("% DB\ntime", 6), Column("Wait\nClass", 11, left=True),
    ]  # fmt: skip
    filled = []
    for event in order:
        for row in rows[rows["EVENT"] == event].to_dict("records"):
            instance = int(row["INST_ID"])
            filled.append([str(instance), *_top_row(row, Counted(delta, instance).db_time_s)])
    return headed("Top Timed Foreground Events", table(columns, filled))


SECTIONS = (
    top_events,
    wait_classes,
    *CPU_SECTIONS,
    foreground_events,
    background_events,
    histogram_short,
    histogram,
)
