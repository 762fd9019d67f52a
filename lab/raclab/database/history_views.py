"""The simulated cluster's snapshots, and the DBA_HIST views over them.

A snapshot copies nothing. Runs only add rows to the counters' tables, each with the run's number (``load``), so that what the views
showed at a snapshot is what the rows up to its last load add up to. A restart moves the rows into tables named past_..., for the
snapshots before it.

``history_columns.csv`` holds the views' columns as Oracle 19c documents them; what the simulation does not know is null. A column
with a time zone is shown without, in the cluster's own time.
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from raclab.database import views
from raclab.database.views import documented
from raclab.database.wait_classes import stable_id
from raclab.reports.snapshot import KEPT

COLUMNS_FILE = Path(__file__).with_name("history_columns.csv")
NAMES = frozenset(("DBA_HIST_SNAPSHOT", "DBA_HIST_SYSTEM_EVENT", "DBA_HIST_SYSSTAT", "DBA_HIST_ACTIVE_SESS_HISTORY"))
DBID = stable_id("RACLAB")
_TYPES = {
    "NUMBER": "DECIMAL(38, 0)",
    "VARCHAR2": "VARCHAR",
    "TIMESTAMP": "TIMESTAMP",
    "RAW": "BLOB",
    "DATE": "TIMESTAMP_S",
    "INTERVAL": "INTERVAL",
}
_SNAPSHOT_TABLE = """CREATE TABLE cluster.snapshot (
  snap_id BIGINT, first BIGINT, last BIGINT, name VARCHAR, began TIMESTAMP, taken TIMESTAMP, runs BIGINT,
  inst_id BIGINT, startup_time TIMESTAMP_S, start BIGINT
)"""

_COUNTERS = {"SYSTEM_EVENT": "session_event", "SYSSTAT": "sysstat", "SYS_TIME_MODEL": "time_model"}


def kept_views() -> list[str]:
    """The views that a snapshot has, without GV$."""
    return [view for view in KEPT if view in documented()]


BASES = {_COUNTERS.get(view, view): None for view in kept_views()}
"""The tables, in schema ``cluster``, that snapshots look at."""

# what each load brought, summed, and then what all up to the snapshot's last brought
_UP_TO = """cluster.snapshot AS s JOIN (
    SELECT load, inst_id AS inst, {key}, {sums}
    FROM (SELECT * FROM cluster.{table} UNION ALL SELECT * FROM cluster.past_{table}) GROUP BY ALL
  ) AS h ON h.inst = s.inst_id AND h.load > s.first AND h.load <= s.last
  JOIN cluster.{names} AS n ON n.{key} = h.{key} GROUP BY ALL"""
_OF_ROW = {"SNAP_ID": "s.snap_id", "DBID": str(DBID), "INSTANCE_NUMBER": "s.inst_id", "CON_DBID": str(DBID), "CON_ID": "0"}
_SAMPLED = """(SELECT h.*, s.snap_id FROM SYS."GV$ACTIVE_SESSION_HISTORY" AS h
  ASOF JOIN (SELECT DISTINCT snap_id, taken FROM cluster.snapshot) AS s ON h.SAMPLE_TIME <= s.taken
  WHERE h.IS_AWR_SAMPLE = 'Y') AS s"""

_FILLINGS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "DBA_HIST_SNAPSHOT": (
        "cluster.snapshot AS s",
        {
            **_OF_ROW,
            "STARTUP_TIME": "s.startup_time",
            "BEGIN_INTERVAL_TIME": "s.began",
            "END_INTERVAL_TIME": "s.taken",
            "SNAP_LEVEL": "1",
            "ERROR_COUNT": "0",
            "BEGIN_INTERVAL_TIME_TZ": "s.began",
            "END_INTERVAL_TIME_TZ": "s.taken",
        },
    ),
    "DBA_HIST_SYSTEM_EVENT": (
        _UP_TO.format(
            table="session_event",
            names="event",
            key="event",
            sums="sum(total_waits) AS waits, sum(micro) AS micro, "
            "sum(total_waits) FILTER (WHERE NOT background) AS waits_fg, sum(micro) FILTER (WHERE NOT background) AS micro_fg",
        ),
        {
            **_OF_ROW,
            "EVENT_NAME": "n.event",
            "EVENT_ID": "n.event_id",
            "WAIT_CLASS_ID": "n.wait_class_id",
            "WAIT_CLASS": "n.wait_class",
            "TOTAL_WAITS": "sum(h.waits)",
            "TOTAL_TIMEOUTS": "0",
            "TIME_WAITED_MICRO": "sum(h.micro)",
            "TOTAL_WAITS_FG": "coalesce(sum(h.waits_fg), 0)",
            "TOTAL_TIMEOUTS_FG": "0",
            "TIME_WAITED_MICRO_FG": "coalesce(sum(h.micro_fg), 0)",
        },
    ),
    "DBA_HIST_ACTIVE_SESS_HISTORY": (
        _SAMPLED,
        {
            **{column.name: f's."{column.name}"' for column in documented()["ACTIVE_SESSION_HISTORY"]},
            "SNAP_ID": "s.snap_id",
            "DBID": str(DBID),
            "INSTANCE_NUMBER": "s.INST_ID",
            "CON_DBID": str(DBID),
        },
    ),
    "DBA_HIST_SYSSTAT": (
        _UP_TO.format(table="sysstat", names="statistic", key="name", sums="sum(value) AS value"),
        {**_OF_ROW, "STAT_ID": "n.stat_id", "STAT_NAME": "n.name", "VALUE": "sum(h.value)"},
    ),
}


@cache
def columns() -> dict[str, tuple[tuple[str, str], ...]]:
    """Name and Oracle's type of each column, by view."""
    with COLUMNS_FILE.open(encoding="utf-8", newline="") as file:
        found: dict[str, list[tuple[str, str]]] = {}
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            found.setdefault(row["view"], []).append((row["column"], row["type"]))
    return {view: tuple(pairs) for view, pairs in found.items()}


def rows_of(view: str, snapshot: int, past: bool) -> str:
    """The SELECT of a view's rows as they were at a snapshot; ``past``: the cluster was restarted since then."""
    base = _COUNTERS.get(view, view)
    of_snapshot = f"FROM cluster.snapshot WHERE snap_id = {snapshot}"
    kept = (
        f'(SELECT *, rowid FROM cluster."{"past_" if past else ""}{base}" '
        f"WHERE load > (SELECT any_value(first) {of_snapshot}) AND load <= (SELECT any_value(last) {of_snapshot}))"
    )
    filling = views.filling(view)
    table = f"cluster.{base}" if base in _COUNTERS.values() else f'cluster."{base}"'
    rows = filling.rows.replace("cluster.instance", f"(SELECT inst_id {of_snapshot})").replace(table, kept)
    names = ", ".join(f'"{name}"' for name in ("INST_ID", *KEPT[view].columns))
    condition = f" WHERE {KEPT[view].where}" if KEPT[view].where else ""
    return f"SELECT {names} FROM ({views.select(view, replace(filling, rows=rows))}){condition}"


def statements() -> Iterator[str]:
    """What creates the tables of the snapshots, and the views; the V$ views must be there."""
    yield _SNAPSHOT_TABLE
    for table in BASES:
        yield f'CREATE TABLE cluster."past_{table}" AS FROM cluster."{table}" WHERE false'
    for view, (rows, known) in _FILLINGS.items():
        shown = ", ".join(f'CAST({known.get(name, "NULL")} AS {_stored(kind)}) AS "{name}"' for name, kind in columns()[view])
        yield f'CREATE VIEW SYS."{view}" AS SELECT {shown} FROM {rows}'


def _stored(kind: str) -> str:
    return _TYPES[kind.split("(")[0].split()[0]]
