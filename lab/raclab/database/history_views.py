"""The simulated cluster's snapshots, and the DBA_HIST views over them.

A snapshot copies nothing. Runs only add rows to the counters' tables, each with the run's number (``load``), so that what the views
showed at a snapshot is what the rows up to its last load add up to. A restart moves the rows into tables named past_..., for the
snapshots before it.

``history_columns.csv`` holds the views' columns as Oracle 19c documents them; what the simulation does not know is null. A column
with a time zone is shown without, in the cluster's own time.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from raclab.database import views
from raclab.database.added_views import COMMAND, OS_NOW, OS_STAT_ID
from raclab.database.instance_views import DBID
from raclab.database.session_views import STAT_ID
from raclab.database.view_shape import Column, Definition, columns_in, selection, shown_type
from raclab.database.views import documented
from raclab.reports.snapshot import KEPT

COLUMNS_FILE = Path(__file__).with_name("history_columns.csv")
_SNAPSHOT_TABLE = """CREATE TABLE cluster.snapshot (
  snap_id BIGINT, first BIGINT, last BIGINT, name VARCHAR, began TIMESTAMP, taken TIMESTAMP, runs BIGINT,
  inst_id BIGINT, startup_time TIMESTAMP_S, start BIGINT
)"""

_COUNTERS = {"SYSTEM_EVENT": "session_event", "SYSSTAT": "sysstat", "SYS_TIME_MODEL": "time_model"}


def kept_views() -> list[str]:
    """The views that a snapshot has, without GV$."""
    return [view for view in KEPT if view in documented()]


BASES = {_COUNTERS.get(view, view): None for view in (*kept_views(), "SQL")}
"""The tables, in schema ``cluster``, that snapshots look at."""

_OF_ROW = {"SNAP_ID": "s.snap_id", "DBID": str(DBID), "INSTANCE_NUMBER": "s.inst_id", "CON_DBID": str(DBID), "CON_ID": "0"}
_SAMPLED = """(SELECT h.*, s.snap_id FROM SYS."GV$ACTIVE_SESSION_HISTORY" AS h
  ASOF JOIN (SELECT DISTINCT snap_id, taken FROM cluster.snapshot) AS s ON h.SAMPLE_TIME <= s.taken
  WHERE h.IS_AWR_SAMPLE = 'Y') AS s"""
_WHOLE = """(SELECT * FROM cluster."{table}" UNION ALL SELECT * FROM cluster."past_{table}")"""


def _up_to(table: str, keys: tuple[str, ...], sums: Mapping[str, str], join: str = "", totals: Mapping[str, str] | None = None) -> str:
    """FROM clause: what the rows up to each snapshot add up to, as s, by instance and keys.

    What each load brought is summed first (``sums``), and then the loads up to the snapshot's last (``totals``, or else their sums).
    """
    of_load, by = _listed(sums), "".join(f'h."{key}", ' for key in keys)
    so_far = _listed(totals or {name: f'sum(h."{name}")' for name in sums})
    return f"""(SELECT s.snap_id, s.inst_id, {by}{so_far} FROM cluster.snapshot AS s JOIN (
      SELECT load, inst_id AS inst, {_named(keys)}{of_load} FROM {_WHOLE.format(table=table)} GROUP BY ALL
    ) AS h ON h.inst = s.inst_id AND h.load > s.first AND h.load <= s.last
    GROUP BY s.snap_id, s.inst_id{_and_named(keys, "h.")}) AS s{join}"""


def _listed(made: Mapping[str, str]) -> str:
    return ", ".join(f'{expression} AS "{name}"' for name, expression in made.items())


def _named(keys: tuple[str, ...]) -> str:
    return "".join(f'"{key}", ' for key in keys)


def _and_named(keys: tuple[str, ...], of: str) -> str:
    return "".join(f', {of}"{key}"' for key in keys)


def _added(view: str, keys: tuple[str, ...], own: Mapping[str, str], counters: tuple[str, ...]) -> tuple[str, Mapping[str, str]]:
    """A view of counters whose table has the same columns; ``own`` are the columns that it calls otherwise."""
    rows = _up_to(view, keys, {name: f'sum("{name}")' for name in counters})
    return rows, {**_OF_ROW, **{name: f's."{name}"' for name in (*keys, *counters)}, **own}


_SEGMENT_STATISTICS = {
    "BUFFER_BUSY_WAITS": "buffer busy waits",
    "GC_BUFFER_BUSY": "gc buffer busy",
    "GC_CR_BLOCKS_RECEIVED": "gc cr blocks received",
    "GC_CU_BLOCKS_RECEIVED": "gc current blocks received",
    "ITL_WAITS": "ITL waits",
    "PHYSICAL_READS": "physical reads",
    "PHYSICAL_READS_DIRECT": "physical reads direct",
    "PHYSICAL_READ_REQUESTS": "physical read requests",
    "PHYSICAL_WRITE_REQUESTS": "physical write requests",
    "ROW_LOCK_WAITS": "row lock waits",
}
_SEGMENT = ("OWNER", "OBJECT_NAME", "OBJECT_TYPE", "TABLESPACE_NAME", "OBJ#", "DATAOBJ#")
_STATEMENT = {
    "EXECUTIONS": "EXECUTIONS",
    "CPU_TIME": "CPU_TIME",
    "ELAPSED_TIME": "ELAPSED_TIME",
    "IOWAIT": "USER_IO_WAIT_TIME",
    "CLWAIT": "CLUSTER_WAIT_TIME",
    "APWAIT": "APPLICATION_WAIT_TIME",
    "CCWAIT": "CONCURRENCY_WAIT_TIME",
}


def _with_growth(table: str, keys: tuple[str, ...], totals: Mapping[str, str], latest: tuple[str, ...] = ()) -> str:
    """As _up_to, with NAME_TOTAL and, since the snapshot before, NAME_DELTA; only what has grown. ``latest``: columns of the last load."""
    sums = _listed({**totals} | {name: f'max("{name}")' for name in latest})
    last = "".join(f'arg_max(h."{name}", h.load) AS "{name}", ' for name in latest)
    up_to = ", ".join(
        f'sum(h."{name}") AS "{name}_TOTAL", sum(h."{name}") FILTER (WHERE h.load > s.before) AS "{name}_DELTA"' for name in totals
    )
    return f"""(SELECT s.snap_id, s.inst_id{_and_named(keys, "h.")}, {last}{up_to} FROM (
      SELECT *, greatest(first, lag(last, 1, 0) OVER (PARTITION BY inst_id ORDER BY snap_id)) AS before FROM cluster.snapshot
    ) AS s JOIN (
      SELECT load, inst_id AS inst, {_named(keys)}{sums} FROM {_WHOLE.format(table=table)} GROUP BY ALL
    ) AS h ON h.inst = s.inst_id AND h.load > s.first AND h.load <= s.last
    GROUP BY s.snap_id, s.inst_id{_and_named(keys, "h.")} HAVING count(*) FILTER (WHERE h.load > s.before) > 0) AS s"""


_CR = ("CR_REQUESTS", "CURRENT_REQUESTS", "DATA_REQUESTS", "UNDO_REQUESTS", "TX_REQUESTS", "FAIRNESS_DOWN_CONVERTS", "FLUSHES")
_FLUSHES = ("FLUSH0", "FLUSH1", "FLUSH10", "FLUSH100", "FLUSH1000", "FLUSH10000")
_HOPS = tuple(
    f"{kind}_{what}{ending}" for kind in ("CR", "CURRENT") for what in ("BLOCK", "2HOP", "3HOP", "BUSY") for ending in ("", "_TIME")
)
_ENQUEUES = ("TOTAL_REQ#", "TOTAL_WAIT#", "SUCC_REQ#", "FAILED_REQ#", "CUM_WAIT_TIME")
_LATCHES = ("GETS", "MISSES", "SLEEPS", "SPIN_GETS", "WAIT_TIME")

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
        _up_to(
            "session_event",
            ("event",),
            {
                "waits": "sum(total_waits)",
                "micro": "sum(micro)",
                "waits_fg": "coalesce(sum(total_waits) FILTER (WHERE NOT background), 0)",
                "micro_fg": "coalesce(sum(micro) FILTER (WHERE NOT background), 0)",
            },
            " JOIN cluster.event AS n USING (event)",
        ),
        {
            **_OF_ROW,
            "EVENT_NAME": "event",
            "EVENT_ID": "n.event_id",
            "WAIT_CLASS_ID": "n.wait_class_id",
            "WAIT_CLASS": "n.wait_class",
            "TOTAL_WAITS": "waits",
            "TOTAL_TIMEOUTS": "0",
            "TIME_WAITED_MICRO": "micro",
            "TOTAL_WAITS_FG": "waits_fg",
            "TOTAL_TIMEOUTS_FG": "0",
            "TIME_WAITED_MICRO_FG": "micro_fg",
        },
    ),
    "DBA_HIST_ACTIVE_SESS_HISTORY": (
        _SAMPLED,
        {
            **{column.name: f'"{column.name}"' for column in documented()["ACTIVE_SESSION_HISTORY"]},
            "SNAP_ID": "s.snap_id",
            "DBID": str(DBID),
            "INSTANCE_NUMBER": "s.INST_ID",
            "CON_DBID": str(DBID),
        },
    ),
    "DBA_HIST_SYSSTAT": (
        _up_to("sysstat", ("name",), {"value": "sum(value)"}, " JOIN cluster.statistic AS n USING (name)"),
        {**_OF_ROW, "STAT_ID": "n.stat_id", "STAT_NAME": "name", "VALUE": "value"},
    ),
    "DBA_HIST_SYS_TIME_MODEL": (
        _up_to("time_model", ("name",), {"micro": "sum(micro)"}),
        {**_OF_ROW, "STAT_ID": STAT_ID, "STAT_NAME": "name", "VALUE": "micro"},
    ),
    "DBA_HIST_OSSTAT": (
        _up_to(
            "OSSTAT",
            ("STAT_NAME",),
            {"value": "sum(VALUE)"},
            totals={"value": f"CASE WHEN h.STAT_NAME IN ({OS_NOW}) THEN arg_max(h.value, h.load) ELSE sum(h.value) END"},
        ),
        {**_OF_ROW, "STAT_NAME": '"STAT_NAME"', "STAT_ID": OS_STAT_ID, "VALUE": "value"},
    ),
    "DBA_HIST_EVENT_HISTOGRAM": (
        _up_to(
            "EVENT_HISTOGRAM_MICRO",
            ("EVENT", "WAIT_TIME_MICRO"),
            {"waits": "sum(WAIT_COUNT)"},
            " JOIN cluster.event AS n ON n.event = s.EVENT",
        )
        + " GROUP BY ALL",
        {
            **_OF_ROW,
            "EVENT_ID": "n.event_id",
            "EVENT_NAME": "n.event",
            "WAIT_CLASS_ID": "n.wait_class_id",
            "WAIT_CLASS": "n.wait_class",
            "WAIT_TIME_MILLI": "greatest(1, CAST(WAIT_TIME_MICRO AS BIGINT) // 1024)",
            "WAIT_COUNT": "sum(waits)",
        },
    ),
    "DBA_HIST_CR_BLOCK_SERVER": _added("CR_BLOCK_SERVER", (), {}, _CR),
    "DBA_HIST_CURRENT_BLOCK_SERVER": _added("CURRENT_BLOCK_SERVER", (), {}, _FLUSHES),
    "DBA_HIST_INST_CACHE_TRANSFER": _added("INSTANCE_CACHE_TRANSFER", ("INSTANCE", "CLASS"), {}, ("LOST", "LOST_TIME", *_HOPS)),
    "DBA_HIST_LATCH": _added("LATCH", ("NAME",), {"LATCH_NAME": 's."NAME"'}, _LATCHES),
    "DBA_HIST_ENQUEUE_STAT": _added("ENQUEUE_STATISTICS", ("EQ_TYPE", "REQ_REASON"), {}, _ENQUEUES),
    "DBA_HIST_SEG_STAT": (
        _with_growth(
            "SEGMENT_STATISTICS",
            ("OBJ#", "DATAOBJ#"),
            {name: f"sum(VALUE) FILTER (WHERE STATISTIC_NAME = '{statistic}')" for name, statistic in _SEGMENT_STATISTICS.items()},
        ),
        {
            **_OF_ROW,
            **{name: f's."{name}"' for name in ("OBJ#", "DATAOBJ#")},
            **{f"{name}_{what}": f's."{name}_{what}"' for name in _SEGMENT_STATISTICS for what in ("TOTAL", "DELTA")},
        },
    ),
    "DBA_HIST_SEG_STAT_OBJ": (
        f"(SELECT DISTINCT {', '.join(chr(34) + name + chr(34) for name in _SEGMENT)} FROM {_WHOLE.format(table='SEGMENT_STATISTICS')})",
        {**{name: f'"{name}"' for name in _SEGMENT}, "DBID": str(DBID), "CON_DBID": str(DBID), "CON_ID": "0"},
    ),
    "DBA_HIST_SQLSTAT": (
        _with_growth(
            "SQL",
            ("SQL_ID",),
            {name: f'sum("{column}")' for name, column in _STATEMENT.items()},
            ("MODULE", "ACTION", "PARSING_SCHEMA_NAME"),
        ),
        {
            **_OF_ROW,
            "SQL_ID": 's."SQL_ID"',
            "LOADED_VERSIONS": "1",
            "VERSION_COUNT": "1",
            **{name: f'"{name}"' for name in ("MODULE", "ACTION", "PARSING_SCHEMA_NAME")},
            **dict.fromkeys(("PARSING_SCHEMA_ID", "PARSING_USER_ID"), "CASE PARSING_SCHEMA_NAME WHEN 'SYS' THEN 0 ELSE 100 END"),
            **{f"{name}_{what}": f's."{name}_{what}"' for name in _STATEMENT for what in ("TOTAL", "DELTA")},
        },
    ),
    "DBA_HIST_SQLTEXT": (
        f"{_WHOLE.format(table='SQL')} GROUP BY SQL_ID",
        {
            "DBID": str(DBID),
            "SQL_ID": '"SQL_ID"',
            "SQL_TEXT": "any_value(SQL_TEXT)",
            "COMMAND_TYPE": COMMAND,
            "CON_DBID": str(DBID),
            "CON_ID": "0",
        },
    ),
    "DBA_HIST_DATABASE_INSTANCE": (
        "(SELECT DISTINCT inst_id, startup_time FROM cluster.snapshot)",
        {
            "DBID": str(DBID),
            "INSTANCE_NUMBER": "inst_id",
            "STARTUP_TIME": "startup_time",
            "PARALLEL": "'YES'",
            "VERSION": f"'{views.RELEASE}'",
            "DB_NAME": "'RACLAB'",
            "INSTANCE_NAME": "'rac' || inst_id",
            "HOST_NAME": "'node' || inst_id",
            "PLATFORM_NAME": f"'{views.BANNER}'",
            "CDB": "'NO'",
            "DB_UNIQUE_NAME": "'raclab'",
            "DATABASE_ROLE": "'PRIMARY'",
            "CDB_ROOT_DBID": str(DBID),
            "CON_ID": "0",
            "STARTUP_TIME_TZ": "startup_time",
        },
    ),
}
NAMES = frozenset(_FILLINGS)


@cache
def columns() -> dict[str, tuple[Column, ...]]:
    """The columns by view."""
    return columns_in(COLUMNS_FILE)


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


def tables() -> Iterator[str]:
    """What creates the tables of the snapshots; those of the counters must be there."""
    yield _SNAPSHOT_TABLE
    for table in BASES:
        yield f'CREATE TABLE cluster."past_{table}" AS FROM cluster."{table}" WHERE false'


def definitions() -> dict[str, Definition]:
    """Every view, by name."""
    found = {}
    for view, (rows, known) in _FILLINGS.items():
        typed = tuple((one.name, shown_type(view.removeprefix("DBA_HIST_"), one)) for one in columns()[view])
        shown = selection(rows, ((name, kind, known.get(name)) for name, kind in typed))
        found[view] = Definition(typed, f'CREATE VIEW SYS."{view}" AS {shown}')
    return found
