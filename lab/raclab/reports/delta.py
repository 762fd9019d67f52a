"""What happened between two snapshots: each view's counters, the later less the earlier."""

import datetime
import html
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from raclab.evidence.measurement import Kind
from raclab.evidence.table import Table
from raclab.reports.errors import ReportError, SnapshotError
from raclab.reports.snapshot import KEPT, Snapshot, adds_up

CENTISECONDS, MICROSECONDS = 100.0, 1e6
_MOST_EVENTS = 10


@dataclass(frozen=True, eq=False)
class Delta:
    """The difference of two snapshots, instance by instance.

    begin, end  the snapshots
    kind        SIMULATED or LIVE
    origin      which cluster, in a line

    ``delta["SYSTEM_EVENT"]`` is one view's difference as a Table (the name with or without GV$ or V$); ``events``, ``statistics``
    and ``time_model`` are those that are asked for most. Rows in which nothing has changed are left out. Raises SnapshotError for
    snapshots in the wrong order, and if an instance was restarted in between.
    """

    begin: Snapshot
    end: Snapshot
    kind: Kind
    origin: str

    def __post_init__(self) -> None:
        if self.begin.number == self.end.number:
            raise SnapshotError(f"Nothing lies between snapshot {self.end.number} and itself: give two.")
        if self.begin.number > self.end.number:
            raise SnapshotError(
                f"Snapshot {self.begin.number} was taken after snapshot {self.end.number}: give the earlier one first, "
                f"({self.end.number}, {self.begin.number})."
            )
        before, after = (_starts(snapshot) for snapshot in (self.begin, self.end))
        restarted = [number for number in sorted(before) if before[number] != after.get(number)]
        if restarted:
            which = f"Instance {restarted[0]} was" if len(restarted) == 1 else f"Instances {', '.join(map(str, restarted))} were"
            raise SnapshotError(
                f"{which} shut down between snapshots {self.begin.number} and {self.end.number}, and the counters began again at zero "
                "(ORA-20200): give two snapshots from after the restart."
            )

    @property
    def seconds(self) -> float:
        """Time between the two, by the cluster's clock."""
        return (self.end.taken - self.begin.taken).total_seconds()

    @property
    def instances(self) -> list[int]:
        """The instances of the later snapshot. One that was started in between counts from its start."""
        return sorted(int(number) for number in self.end.instances["INST_ID"])

    @property
    def source(self) -> str:
        """Origin and snapshots, in a line."""
        return f"{self.origin}, snapshots {self.begin.title} to {self.end.title}, {self.seconds:,.1f} s"

    @property
    def events(self) -> Table:
        """The waits: TOTAL_WAITS, TIME_WAITED_MICRO, AVERAGE_MS by instance and event, those that took longest first; no idle ones."""
        frame = self.frame("SYSTEM_EVENT")
        frame = frame[frame["WAIT_CLASS"] != "Idle"].sort_values(["INST_ID", "TIME_WAITED_MICRO"], ascending=[True, False])
        columns = ["INST_ID", "EVENT", "WAIT_CLASS", "TOTAL_WAITS", "TIME_WAITED_MICRO"]
        return self._table(frame[columns].assign(AVERAGE_MS=(frame["TIME_WAITED_MICRO"] / frame["TOTAL_WAITS"] / 1000).round(3)))

    @property
    def statistics(self) -> Table:
        """V$SYSSTAT: INST_ID, NAME, VALUE (times in centiseconds)."""
        return self._table(self.frame("SYSSTAT")[["INST_ID", "NAME", "VALUE"]])

    @property
    def time_model(self) -> Table:
        """V$SYS_TIME_MODEL: INST_ID, STAT_NAME, VALUE (microseconds)."""
        return self._table(self.frame("SYS_TIME_MODEL").sort_values(["INST_ID", "VALUE"], ascending=[True, False]))

    def __getitem__(self, view: str) -> Table:
        plain = view.upper().removeprefix("GV$").removeprefix("V$")
        if plain not in KEPT:
            raise ReportError(f"A snapshot does not keep {view}; it keeps {', '.join(f'GV${name}' for name in KEPT)}.")
        return self._table(self.frame(plain))

    def frame(self, view: str, instance: int | None = None) -> pd.DataFrame:
        """A view's difference, of all instances or of one: INST_ID, keys, counters; no rows where neither snapshot has any."""
        found = self._differences.get(view)
        if found is None:
            found = self._differences[view] = self._difference(view)
        chosen: pd.DataFrame = found if instance is None else found[found["INST_ID"] == instance]
        return chosen

    @cached_property
    def _differences(self) -> dict[str, pd.DataFrame]:
        return {}

    def _difference(self, view: str) -> pd.DataFrame:
        kept = KEPT[view]
        before, after = (_numbers(snapshot, view) for snapshot in (self.begin, self.end))
        keys, counters = ["INST_ID", *kept.keys], list(kept.counters)
        earlier = before.set_index(keys)[counters].reindex(pd.MultiIndex.from_frame(after[keys]) if len(keys) > 1 else after["INST_ID"])
        changed = after[counters].to_numpy() - np.where(np.isnan(after[counters]), np.nan, earlier.fillna(0.0).to_numpy())
        if view == "OSSTAT":
            now = [not adds_up(name) for name in after["STAT_NAME"]]
            changed[now] = after[counters].to_numpy()[now]
        difference = after.copy()
        difference[counters] = changed
        moved: pd.DataFrame = difference[(np.nan_to_num(changed) != 0).any(axis=1)]
        return moved.sort_values(keys, kind="stable").reset_index(drop=True)

    def _table(self, frame: pd.DataFrame) -> Table:
        return Table(_whole(frame).reset_index(drop=True), self.kind, self.source)

    def _shown(self) -> list[tuple[str, Table]]:
        events = self.events.frame.groupby("INST_ID").head(_MOST_EVENTS)
        shown = [("Waits that took longest", self._table(events)), ("Statistics", self.statistics), ("Time model", self.time_model)]
        return [(title, table) for title, table in shown if len(table)]

    def __repr__(self) -> str:
        pieces = [f"{title}\n{table!r}" for title, table in self._shown()]
        return "\n\n".join(pieces) or f"Nothing has changed: {self.source}."

    def _repr_html_(self) -> str:
        pieces = [f"<p><strong>{title}</strong></p>{table._repr_html_()}" for title, table in self._shown()]
        return "\n".join(pieces) or f"<p>{html.escape(f'Nothing has changed: {self.source}.')}</p>"


def _starts(snapshot: Snapshot) -> dict[int, tuple[datetime.datetime, int]]:
    frame = snapshot.instances
    return {
        int(number): (pd.Timestamp(startup).to_pydatetime(), int(start))
        for number, startup, start in zip(frame["INST_ID"], frame["STARTUP_TIME"], frame["START"], strict=True)
    }


def _numbers(snapshot: Snapshot, view: str) -> pd.DataFrame:
    """A view's rows with counters as floats, NaN where the view says nothing; no row twice."""
    kept = KEPT[view]
    frame = snapshot.views.get(view)
    if frame is None:
        frame = pd.DataFrame(columns=["INST_ID", *kept.columns])
    frame = frame.assign(**{name: frame[name].astype(float) for name in ("INST_ID", *kept.counters)})
    keys = ["INST_ID", *kept.keys]
    empty = [name for name in kept.keys if frame[name].isna().any()]
    frame = frame.assign(**{name: frame[name].astype(object).fillna("") for name in empty})  # what is null is alike
    rules: dict[str, Any] = {**dict.fromkeys(kept.belongs, "first"), **dict.fromkeys(kept.counters, _sum)}
    if not frame.duplicated(keys).any():
        return frame.reset_index(drop=True)
    return frame.groupby(keys, dropna=False, sort=False).agg(rules).reset_index()[["INST_ID", *kept.columns]]


def _sum(values: pd.Series) -> float:
    return float(values.sum(min_count=1))


def _whole(frame: pd.DataFrame) -> pd.DataFrame:
    """Counts without a point, columns that say nothing left out."""
    shown = frame.dropna(axis="columns", how="all") if len(frame) else frame
    floats = [name for name in shown if pd.api.types.is_float_dtype(shown[name])]
    whole = [name for name in floats if (shown[name].dropna() % 1 == 0).all()]
    return shown.astype(dict.fromkeys(whole, "Int64"))
