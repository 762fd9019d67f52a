"""One instance's counters between two snapshots, asked for by name."""

import math
from functools import cached_property

import pandas as pd

from raclab.reports.delta import CENTISECONDS, MICROSECONDS, Delta

DB_TIME, DB_CPU = "DB time", "DB CPU"
_BY_STATISTIC = {DB_TIME: "DB time", DB_CPU: "CPU used by this session"}  # V$SYSSTAT's names, where there is no time model


class Counted:
    """What one instance counted. Figures that are not known are NaN; those that have not changed are 0."""

    def __init__(self, delta: Delta, instance: int) -> None:
        self.delta = delta
        self.instance = instance

    def rows(self, view: str) -> pd.DataFrame:
        """A view's difference for this instance; only rows in which something has changed."""
        return self.delta.frame(view, self.instance)

    def statistic(self, name: str) -> float:
        """V$SYSSTAT's statistic, in its own unit."""
        return self._named("SYSSTAT", "NAME", name)

    def statistics(self, *names: str) -> float:
        """The sum of several statistics; NaN only if none is known."""
        known = [value for name in names if not math.isnan(value := self.statistic(name))]
        return sum(known) if known else math.nan

    def time_model_s(self, name: str) -> float:
        """V$SYS_TIME_MODEL's statistic in seconds; DB time and DB CPU from V$SYSSTAT where there is no time model."""
        modelled = self._named("SYS_TIME_MODEL", "STAT_NAME", name) / MICROSECONDS
        if math.isnan(modelled) and name in _BY_STATISTIC:
            return self.statistic(_BY_STATISTIC[name]) / CENTISECONDS
        return modelled

    def os(self, name: str) -> float:
        """V$OSSTAT's statistic: times in centiseconds."""
        return self._named("OSSTAT", "STAT_NAME", name)

    @property
    def seconds(self) -> float:
        """Time between the snapshots."""
        return self.delta.seconds

    @cached_property
    def db_time_s(self) -> float:
        """DB time in seconds."""
        return self.time_model_s(DB_TIME)

    @cached_property
    def transactions(self) -> float:
        """Commits and rollbacks."""
        return self.statistics("user commits", "user rollbacks")

    def _named(self, view: str, column: str, name: str) -> float:
        frame = self.rows(view)
        found = frame.loc[frame[column] == name, "VALUE"]
        if len(found):
            return float(found.iloc[0])
        last = self.delta.end.views.get(view)
        known = last is not None and ((last[column] == name) & (last["INST_ID"].astype(int) == self.instance)).any()
        return 0.0 if known else math.nan
