"""Figures: single numbers that can be read off any measurement.

The figures of sessions and waits are means over the sessions of a run, because a published trace is one session's while a simulated or
live measurement has them all.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from raclab.evidence.measurement import Kind, Measurement


@dataclass(frozen=True)
class Figure:
    """One kind of number.

    label    what a table calls it
    unit     "s" or "" for a count
    read     gives the figure in each run, in the order of ``run_numbers``; NaN where it was not measured
    """

    label: str
    unit: str
    read: Callable[[Measurement], np.ndarray] = field(compare=False, repr=False)


def waits(event: str) -> Figure:
    """How often a session waited for an event."""
    return Figure(f"{event}: waits", "", lambda measured: _of_event(measured, event, "total_waits"))


def wait_time(event: str) -> Figure:
    """How long a session waited for an event altogether, in seconds."""
    return Figure(f"{event}: time", "s", lambda measured: _of_event(measured, event, "time_s"))


def longest_wait(event: str) -> Figure:
    """The longest single wait of any session for an event, in seconds."""
    return Figure(f"{event}: longest", "s", lambda measured: _longest(measured, event))


def statistic(name: str) -> Figure:
    """A statistic of V$SYSSTAT, added up over the instances, in the unit that Oracle gives it in."""
    return Figure(name, "", lambda measured: _by_run(measured, measured.stats[measured.stats["name"] == name], "value", np.nan))


ELAPSED = Figure("elapsed", "s", lambda measured: _of_session(measured, "elapsed_s"))
"""Elapsed time of a session, in seconds."""

CPU = Figure("CPU", "s", lambda measured: _of_session(measured, "cpu_s"))
"""CPU time of a session, in seconds."""

CALLS = Figure("calls", "", lambda measured: _of_session(measured, "calls"))
"""Calls of a session."""


def figures_of(*measurements: Measurement) -> list[Figure]:
    """Every figure that any of the measurements has: elapsed, CPU, calls, then the events by time of the first that has them."""
    found: list[Figure] = []
    if any(len(one.sessions) for one in measurements):
        found += [ELAPSED, CPU, CALLS]
    events: dict[str, None] = {}
    names: dict[str, None] = {}
    for one in measurements:
        by_time = one.waits.groupby("event")["time_s"].sum().sort_values(ascending=False, kind="stable")
        events.update(dict.fromkeys(str(event) for event in by_time.index))
        names.update(dict.fromkeys(str(name) for name in one.stats["name"]))
    for event in events:
        found += [waits(event), wait_time(event)]
    return found + [statistic(name) for name in names]


def _of_session(measured: Measurement, column: str) -> np.ndarray:
    """Mean over the sessions, by run."""
    total = _by_run(measured, measured.sessions, column, np.nan)
    return total / max(1, len(measured.sessions) // max(1, measured.runs))


def _of_event(measured: Measurement, event: str, column: str) -> np.ndarray:
    """Sum over the waits for an event divided by the number of sessions, by run."""
    absent = _absent(measured)
    found = measured.event_sums.get(event)
    sums = np.full(measured.runs, absent) if found is None else np.where(found["rows"] > 0, found[column], absent)
    return sums / max(1, measured.session_count)


def _longest(measured: Measurement, event: str) -> np.ndarray:
    rows = measured.waits[measured.waits["event"] == event]
    longest = np.full(measured.runs, _absent(measured))
    for place, run in enumerate(measured.run_numbers):
        of_run = rows.loc[rows["run"] == run, "max_s"]
        if len(of_run):
            longest[place] = of_run.max(skipna=False)
    return longest


def _absent(measured: Measurement) -> float:
    """An event without a row: a publication may have left it out, but a simulation or a live run records every wait."""
    return math.nan if measured.source.kind is Kind.PUBLISHED else 0.0


def _by_run(measured: Measurement, rows: pd.DataFrame, column: str, absent: float) -> np.ndarray:
    """Sums of a column by run; ``absent`` for a run without rows, NaN where one of the values is."""
    place = np.searchsorted(measured.run_numbers, rows["run"].to_numpy(dtype=np.int64))
    sums = np.bincount(place, rows[column].to_numpy(dtype=float), measured.runs)
    return np.where(np.bincount(place, minlength=measured.runs) > 0, sums, absent)
