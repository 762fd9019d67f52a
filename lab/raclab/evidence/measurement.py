"""What a measurement is: one shape for PUBLISHED, SIMULATED and LIVE figures.

Frames are tidy and in seconds. The column ``run`` numbers repeated runs of the same setting from 0
(eight seeds of a simulation make runs 0 to 7); a published or live measurement has run 0 only.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from raclab.evidence.source import NOT_STATED, Kind, Source

__all__ = [
    "NOT_STATED",
    "SESSION_COLUMNS",
    "STAT_COLUMNS",
    "WAIT_COLUMNS",
    "Kind",
    "Measurement",
    "Source",
    "empty_frame",
    "sums_by",
]

SESSION_COLUMNS = ("run", "inst_id", "session", "calls", "cpu_s", "elapsed_s")
WAIT_COLUMNS = ("run", "inst_id", "session", "event", "wait_class", "total_waits", "time_s", "max_s")
STAT_COLUMNS = ("run", "inst_id", "name", "value")

_TEXT_COLUMNS = ("event", "wait_class", "name")
_WHOLE_COLUMNS = ("run", "inst_id", "session", "calls", "total_waits")


def _dtype(column: str) -> str:
    if column in _TEXT_COLUMNS:
        return "str"
    return "int64" if column in _WHOLE_COLUMNS else "float64"


def empty_frame(columns: tuple[str, ...]) -> pd.DataFrame:
    """A frame of no rows with the columns of SESSION_COLUMNS, WAIT_COLUMNS or STAT_COLUMNS and the types they have with rows."""
    return pd.DataFrame({name: pd.Series(dtype=_dtype(name)) for name in columns})


def sums_by(frame: pd.DataFrame, key: str, columns: tuple[str, ...], runs: Sequence[int]) -> dict[str, dict[str, np.ndarray]]:
    """Sums of some columns by key and run, read off in one go: for each value of ``key``, in order of appearance, an array a column.

    One element a run of ``runs``, which go upwards. NaN where one of the values is; "rows" has the number of rows, 0 where there are none.
    """
    if not len(runs) or not len(frame):
        return {}
    run, numbers = frame["run"].to_numpy(dtype=np.int64), np.asarray(runs, dtype=np.int64)
    codes, keys = pd.factorize(frame[key])
    place = np.minimum(np.searchsorted(numbers, run), len(runs) - 1)
    there = (numbers[place] == run) & (codes >= 0)
    cell, cells = (codes * len(runs) + place)[there], len(keys) * len(runs)
    sums = {column: np.bincount(cell, frame[column].to_numpy(dtype=float)[there], cells) for column in columns}
    sums["rows"] = np.bincount(cell, minlength=cells)
    by_key = {column: array.reshape(-1, len(runs)) for column, array in sums.items()}
    return {str(name): {column: array[number] for column, array in by_key.items()} for number, name in enumerate(keys)}


@dataclass(frozen=True, eq=False)
class Measurement:
    """One setting, measured once or several times. Two are the same only if they are the same object.

    A frame has no rows where the source says nothing of the kind (a publication may show waits and no elapsed time).

    case      short name of the setting, shown in charts, e.g. "2 nodes, NOCACHE"
    levers    the setting itself, by lever name; empty where the source does not say
    sessions  one row a run and session: calls (count), cpu_s, elapsed_s (seconds)
    waits     one row a run, session and event: total_waits (count), time_s, max_s (seconds); ``wait_class`` is Oracle's
    stats     one row a run, instance and statistic, under V$SYSSTAT's own names and units
    views     rows for further V$ views, keyed by the view's name without V$ or GV$ ("ROWCACHE"), with a column ``run``,
              INST_ID and those of Oracle's columns that are known, under Oracle's names
    """

    source: Source
    case: str
    levers: Mapping[str, object]
    sessions: pd.DataFrame = field(default_factory=lambda: empty_frame(SESSION_COLUMNS))
    waits: pd.DataFrame = field(default_factory=lambda: empty_frame(WAIT_COLUMNS))
    stats: pd.DataFrame = field(default_factory=lambda: empty_frame(STAT_COLUMNS))
    views: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, wanted in (("sessions", SESSION_COLUMNS), ("waits", WAIT_COLUMNS), ("stats", STAT_COLUMNS)):
            missing = set(wanted) - set(getattr(self, name).columns)
            if missing:
                raise ValueError(f"{self.case}: frame {name} lacks {', '.join(sorted(missing))}")

    @property
    def badge(self) -> str:
        """PUBLISHED, SIMULATED or LIVE."""
        return self.source.kind.value

    @property
    def runs(self) -> int:
        """How many repeated runs the frames hold."""
        return len(self.run_numbers)

    @functools.cached_property
    def run_numbers(self) -> list[int]:
        """The numbers of the runs that any of the frames has, in order."""
        frames = (self.sessions, self.waits, self.stats)
        return sorted({int(run) for frame in frames for run in frame["run"].unique()})

    @functools.cached_property
    def session_count(self) -> int:
        """How many sessions the frames tell of, in each run."""
        frames = (self.sessions, self.waits)
        return len({pair for frame in frames for pair in zip(frame["inst_id"], frame["session"], strict=True)})

    @functools.cached_property
    def event_sums(self) -> dict[str, dict[str, np.ndarray]]:
        """``total_waits`` and ``time_s`` of all sessions by event, one element a run (``sums_by``)."""
        return sums_by(self.waits, "event", ("total_waits", "time_s"), self.run_numbers)

    def one_run(self, run: int = 0) -> "Measurement":
        """The same measurement reduced to a single run, e.g. to load it into the lab's views."""
        return Measurement(
            self.source,
            self.case,
            self.levers,
            self.sessions[self.sessions["run"] == run],
            self.waits[self.waits["run"] == run],
            self.stats[self.stats["run"] == run],
            {name: frame[frame["run"] == run] for name, frame in self.views.items()},
        )
