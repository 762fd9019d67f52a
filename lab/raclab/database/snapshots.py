"""Taking snapshots and finding them again: in the simulated cluster's own tables, or in this process's memory for a real database."""

import datetime
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import duckdb

from raclab.database import views
from raclab.database.errors import UNREADABLE, SqlError
from raclab.database.instance_views import DBID
from raclab.database.query import run_statement
from raclab.database.snapshot_tables import BASES, kept_views, rows_of
from raclab.reports.errors import SnapshotError
from raclab.reports.snapshot import KEPT, Snapshot

if TYPE_CHECKING:
    import oracledb
    import pandas as pd

    from raclab.database.engine import Engine

MOST_KEPT = 500
"""Snapshots of the simulated cluster that are kept; the oldest go first."""

Name = int | str
"""How a snapshot is asked for: its number, or the name that it was taken under."""

_DATABASE = "select dbid, name, db_unique_name, database_role, platform_name from v$database"
_INSTANCES = "select inst_id, instance_name, host_name, startup_time, version from gv$instance order by inst_id"
_NOW = "select cast(systimestamp as timestamp) from dual"


class Snapshots(ABC):
    """The snapshots of a lab."""

    @abstractmethod
    def take(self, name: str = "") -> int:
        """Take a snapshot; its number."""

    @abstractmethod
    def listed(self) -> "pd.DataFrame":
        """SNAP_ID, NAME, TAKEN, RUNS, INSTANCES of those that there are, in order."""

    @abstractmethod
    def _read(self, number: int) -> Snapshot:
        """The snapshot of that number, which there is."""

    def find(self, which: Name) -> Snapshot:
        """The snapshot of that number or name; of several with one name the last. Raises SnapshotError if there is none."""
        frame = self.listed()
        found = frame[frame["NAME" if isinstance(which, str) else "SNAP_ID"] == which]
        if isinstance(which, bool) or found.empty:
            raise SnapshotError(f"There is no snapshot {which!r} (ORA-20200): {_known(frame)}")
        return self._read(int(found["SNAP_ID"].iloc[-1]))

    def pair(self, begin: Name | None, end: Name | None) -> tuple[Snapshot, Snapshot]:
        """Two snapshots to compare. Without ``end`` the last one; without ``begin`` the last one before what came in between.

        For the simulated cluster that is the last one before the latest run, for a real database the one before. Raises SnapshotError.
        """
        frame = self.listed()
        if frame.empty:
            raise SnapshotError("There are no snapshots yet: lab.snapshot() takes one.")
        last = self.find(int(frame["SNAP_ID"].iloc[-1]) if end is None else end)
        if begin is not None:
            return self.find(begin), last
        earlier = frame[frame["SNAP_ID"] < last.number]
        before_runs = earlier[earlier["RUNS"] < last.runs]
        chosen = before_runs if len(before_runs) else earlier
        if chosen.empty:
            raise SnapshotError(f"There is no snapshot before {last.number}: lab.snapshot() takes another one.")
        return self.find(int(chosen["SNAP_ID"].iloc[-1])), last


def _known(frame: "pd.DataFrame") -> str:
    if frame.empty:
        return "none was taken yet; lab.snapshot() takes one."
    return f"there are {frame['SNAP_ID'].iloc[0]} to {frame['SNAP_ID'].iloc[-1]}; lab.snapshots() lists them."


class EngineSnapshots(Snapshots):
    """The simulated cluster's, which its DBA_HIST views show."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine
        self._number = 0
        self._taken: datetime.datetime | None = None
        self._first = 0

    def take(self, name: str = "") -> int:
        """Note up to where the counters' rows went at this moment; its number."""
        engine = self._engine
        with engine.writing() as root:
            number, now = self._number + 1, engine.now()
            root.execute(
                "INSERT INTO cluster.snapshot SELECT $1, $2, $3, $4, coalesce($5, startup_time), $6, $7, inst_id, startup_time, $8 "
                "FROM cluster.instance",
                [number, self._first, engine.loads, name, self._taken, now, len(engine.runs), engine.starts],
            )
            if number > MOST_KEPT:
                root.execute("DELETE FROM cluster.snapshot WHERE snap_id <= $1", [number - MOST_KEPT])
        self._number, self._taken = number, now
        return number

    def restart(self, root: duckdb.DuckDBPyConnection) -> None:
        """Put the counters' rows aside, for the snapshots before the restart, and let go of those that no snapshot needs any more."""
        for table in BASES:
            root.execute(f'INSERT INTO cluster."past_{table}" FROM cluster."{table}"')
            root.execute(f'DELETE FROM cluster."past_{table}" WHERE load <= (SELECT min(first) FROM cluster.snapshot)')
        self._first = self._engine.loads

    def listed(self) -> "pd.DataFrame":
        """As Snapshots.listed."""
        import pandas as pd

        rows = self._engine.rows("SELECT snap_id, name, taken, runs, count(*) FROM cluster.snapshot GROUP BY ALL ORDER BY 1")
        return pd.DataFrame(rows, columns=["SNAP_ID", "NAME", "TAKEN", "RUNS", "INSTANCES"])

    def _read(self, number: int) -> Snapshot:
        import pandas as pd

        rows = self._engine.rows(
            "SELECT name, taken, runs, inst_id, startup_time, start FROM cluster.snapshot WHERE snap_id = $1 ORDER BY inst_id", number
        )
        name, taken, runs = rows[0][:3]
        past = rows[0][-1] != self._engine.starts
        instances = pd.DataFrame(
            [(inst, f"rac{inst}", f"node{inst}", startup, start) for *_, inst, startup, start in rows],
            columns=["INST_ID", "INSTANCE_NAME", "HOST_NAME", "STARTUP_TIME", "START"],
        )
        found = {}
        for view in kept_views():
            columns = ["INST_ID", *KEPT[view].columns]
            found[view] = pd.DataFrame(self._engine.rows(rows_of(view, number, past)) if runs else [], columns=columns)
        database = {
            "NAME": "RACLAB",
            "DBID": str(DBID),
            "DB_UNIQUE_NAME": "raclab",
            "DATABASE_ROLE": "PRIMARY",
            "PLATFORM_NAME": views.BANNER,
            "VERSION": views.RELEASE,
        }
        return Snapshot(number, name, taken, runs, instances, database, found)


class ReadSnapshots(Snapshots):
    """A real database's: read from its V$ views and kept here; nothing is written there, and DBA_HIST is not asked."""

    def __init__(self, connection: Callable[[], "oracledb.Connection"]) -> None:
        self._connection = connection
        self._kept: dict[int, Snapshot] = {}

    def take(self, name: str = "") -> int:
        """Read the views, one query each. A view that can't be read is left out. Raises SqlError if GV$INSTANCE can't be read."""
        connection = self._connection()
        number = len(self._kept) + 1
        instances = run_statement(connection, _INSTANCES)
        (taken,) = run_statement(connection, _NOW).iloc[0]
        found = {}
        for view, kept in KEPT.items():
            try:
                found[view] = run_statement(connection, kept.query(view))
            except SqlError as error:
                if error.code not in UNREADABLE:
                    raise
        database = {"VERSION": str(instances["VERSION"].iloc[0]), **_first_row(connection)}
        taken = taken.to_pydatetime()
        self._kept[number] = Snapshot(number, name, taken, 0, instances.assign(START=0), database, found)
        return number

    def listed(self) -> "pd.DataFrame":
        """As Snapshots.listed."""
        import pandas as pd

        rows = [(one.number, one.name, one.taken, one.runs, len(one.instances)) for one in self._kept.values()]
        return pd.DataFrame(rows, columns=["SNAP_ID", "NAME", "TAKEN", "RUNS", "INSTANCES"])

    def _read(self, number: int) -> Snapshot:
        return self._kept[number]


def _first_row(connection: "oracledb.Connection") -> Mapping[str, str]:
    try:
        row = run_statement(connection, _DATABASE).iloc[0]
    except SqlError:
        return {}
    return {str(name): str(value) for name, value in row.items() if value is not None}
