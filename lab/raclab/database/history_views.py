"""The DBA_HIST views over the simulated cluster's snapshots.

``history_columns.csv`` holds the views' columns as Oracle 19c documents them; what the simulation does not know is null. A column
with a time zone is shown without, in the cluster's own time.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from raclab.database import views
from raclab.database.added_views import ADDED, COMMAND, OS_NOW, OS_STAT_ID, user_id
from raclab.database.event_views import FOREGROUND, MILLISECONDS
from raclab.database.instance_views import DBID
from raclab.database.lock_views import ENQUEUES
from raclab.database.metric_history_views import fillings as metrics
from raclab.database.session_views import STAT_ID
from raclab.database.snapshot_tables import up_to, whole, with_growth
from raclab.database.view_shape import Column, Definition, columns_in, selection, shown_type
from raclab.database.views import documented

COLUMNS_FILE = Path(__file__).with_name("history_columns.csv")

_OF_ROW = {"SNAP_ID": "s.snap_id", "DBID": str(DBID), "INSTANCE_NUMBER": "s.inst_id", "CON_DBID": str(DBID), "CON_ID": "0"}
_OF_DATABASE = {name: _OF_ROW[name] for name in ("DBID", "CON_DBID", "CON_ID")}
_SAMPLED = """(SELECT h.*, s.snap_id FROM SYS."GV$ACTIVE_SESSION_HISTORY" AS h
  ASOF JOIN (SELECT DISTINCT snap_id, taken FROM cluster.snapshot) AS s ON h.SAMPLE_TIME <= s.taken
  WHERE h.IS_AWR_SAMPLE = 'Y') AS s"""


def _added(view: str, keys: tuple[str, ...], own: Mapping[str, str], counters: tuple[str, ...]) -> tuple[str, Mapping[str, str]]:
    """A view of counters whose table has the same columns; ``own`` are the columns that it calls otherwise."""
    rows = up_to(view, keys, {name: f'sum("{name}")' for name in counters})
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
_SEGMENT = {name: f'"{name}"' for name in ("OWNER", "OBJECT_NAME", "OBJECT_TYPE", "TABLESPACE_NAME", "OBJ#", "DATAOBJ#")}
_STATEMENT = {
    "EXECUTIONS": "EXECUTIONS",
    "CPU_TIME": "CPU_TIME",
    "ELAPSED_TIME": "ELAPSED_TIME",
    "IOWAIT": "USER_IO_WAIT_TIME",
    "CLWAIT": "CLUSTER_WAIT_TIME",
    "APWAIT": "APPLICATION_WAIT_TIME",
    "CCWAIT": "CONCURRENCY_WAIT_TIME",
}
_LATEST = ("MODULE", "ACTION", "PARSING_SCHEMA_NAME")
_CR = ("CR_REQUESTS", "CURRENT_REQUESTS", "DATA_REQUESTS", "UNDO_REQUESTS", "TX_REQUESTS", "FAIRNESS_DOWN_CONVERTS", "FLUSHES")
_HOPS = tuple(
    f"{kind}_{what}{ending}" for kind in ("CR", "CURRENT") for what in ("BLOCK", "2HOP", "3HOP", "BUSY") for ending in ("", "_TIME")
)
_ROW_CACHE = ("GETS", "GETMISSES", "MODIFICATIONS", "FLUSHES", "DLM_REQUESTS", "DLM_CONFLICTS", "DLM_RELEASES")
_PINGS = tuple(f"{what}_{size}" for what in ("COUNT", "WAIT_TIME", "WAIT_TIME_SQUARED") for size in ("500B", "8K"))
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
        up_to(
            "session_event",
            ("event",),
            {
                "waits": "sum(total_waits)",
                "micro": "sum(micro)",
                "waits_fg": f"coalesce(sum(total_waits){FOREGROUND}, 0)",
                "micro_fg": f"coalesce(sum(micro){FOREGROUND}, 0)",
            },
        )
        + " JOIN cluster.event AS n USING (event)",
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
    "DBA_HIST_BG_EVENT_SUMMARY": (
        up_to(
            "session_event",
            ("event",),
            {name: f"sum({column}) FILTER (WHERE background)" for name, column in (("waits", "total_waits"), ("micro", "micro"))},
        )
        + " JOIN cluster.event AS n USING (event) WHERE waits > 0",
        {
            **_OF_ROW,
            "EVENT_NAME": "event",
            **{name: f"n.{name.lower()}" for name in ("EVENT_ID", "WAIT_CLASS_ID", "WAIT_CLASS")},
            "TOTAL_WAITS": "waits",
            "TOTAL_TIMEOUTS": "0",
            "TIME_WAITED_MICRO": "micro",
        },
    ),
    # the lab takes its snapshots around runs, not by the clock, and keeps a number of them
    "DBA_HIST_WR_CONTROL": ("(SELECT 1)", {"DBID": str(DBID), "SRC_DBID": str(DBID), "SRC_DBNAME": "'RACLAB'", "CON_ID": "0"}),
    "DBA_HIST_EVENT_NAME": (
        "cluster.event",
        {
            **_OF_DATABASE,
            "EVENT_NAME": "event",
            **{name: name.lower() for name in ("EVENT_ID", "PARAMETER1", "PARAMETER2", "PARAMETER3", "WAIT_CLASS_ID", "WAIT_CLASS")},
        },
    ),
    "DBA_HIST_STAT_NAME": (
        f"(SELECT name, stat_id FROM cluster.statistic UNION SELECT name, {STAT_ID} FROM {whole('time_model')})",
        {**_OF_DATABASE, "STAT_ID": "stat_id", "STAT_NAME": "name"},
    ),
    "DBA_HIST_ROWCACHE_SUMMARY": _added("ROWCACHE", ("PARAMETER",), {}, _ROW_CACHE),
    "DBA_HIST_INTERCONNECT_PINGS": (
        up_to(
            "INSTANCE_PING",
            ("INSTANCE",),
            {
                name: f'sum("{name}")'
                for size in ("500B", "8K")
                for name in (f"COUNT_{size}", f"WAIT_TIME_{size}", f"WAIT_TIME_SQUARED_{size}")
            },
        ),
        {
            **_OF_ROW,
            "TARGET_INSTANCE": 's."INSTANCE"',
            **{f"CNT_{size}": f's."COUNT_{size}"' for size in ("500B", "8K")},
            **{f"WAIT_{size}": f's."WAIT_TIME_{size}"' for size in ("500B", "8K")},
            **{f"WAITSQ_{size}": f's."WAIT_TIME_SQUARED_{size}" / 1000' for size in ("500B", "8K")},
        },
    ),
    **metrics(_OF_ROW),
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
        up_to("sysstat", ("name",), {"value": "sum(value)"}) + " JOIN cluster.statistic AS n USING (name)",
        {**_OF_ROW, "STAT_ID": "n.stat_id", "STAT_NAME": "name", "VALUE": "value"},
    ),
    "DBA_HIST_SYS_TIME_MODEL": (
        up_to("time_model", ("name",), {"micro": "sum(micro)"}),
        {**_OF_ROW, "STAT_ID": STAT_ID, "STAT_NAME": "name", "VALUE": "micro"},
    ),
    "DBA_HIST_OSSTAT": (
        up_to(
            "OSSTAT",
            ("STAT_NAME",),
            {"value": "sum(VALUE)"},
            totals={"value": f"CASE WHEN h.STAT_NAME IN ({OS_NOW}) THEN arg_max(h.value, h.load) ELSE sum(h.value) END"},
        ),
        {**_OF_ROW, "STAT_NAME": '"STAT_NAME"', "STAT_ID": OS_STAT_ID, "VALUE": "value"},
    ),
    "DBA_HIST_EVENT_HISTOGRAM": (
        up_to("EVENT_HISTOGRAM_MICRO", ("EVENT", "WAIT_TIME_MICRO"), {"waits": "sum(WAIT_COUNT)"})
        + " JOIN cluster.event AS n ON n.event = s.EVENT GROUP BY ALL",
        {
            **_OF_ROW,
            "EVENT_ID": "n.event_id",
            "EVENT_NAME": "n.event",
            "WAIT_CLASS_ID": "n.wait_class_id",
            "WAIT_CLASS": "n.wait_class",
            "WAIT_TIME_MILLI": MILLISECONDS,
            "WAIT_COUNT": "sum(waits)",
        },
    ),
    "DBA_HIST_CR_BLOCK_SERVER": _added("CR_BLOCK_SERVER", (), {}, _CR),
    "DBA_HIST_CURRENT_BLOCK_SERVER": _added("CURRENT_BLOCK_SERVER", (), {}, ADDED["CURRENT_BLOCK_SERVER"].brought),
    "DBA_HIST_INST_CACHE_TRANSFER": _added("INSTANCE_CACHE_TRANSFER", ("INSTANCE", "CLASS"), {}, ("LOST", "LOST_TIME", *_HOPS)),
    "DBA_HIST_LATCH": _added("LATCH", ("NAME",), {"LATCH_NAME": 's."NAME"'}, _LATCHES),
    "DBA_HIST_ENQUEUE_STAT": _added("ENQUEUE_STATISTICS", ("EQ_TYPE", "REQ_REASON"), {}, ENQUEUES),
    "DBA_HIST_SEG_STAT": (
        with_growth(
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
        f"(SELECT DISTINCT {', '.join(_SEGMENT.values())} FROM {whole('SEGMENT_STATISTICS')})",
        {**_SEGMENT, "DBID": str(DBID), "CON_DBID": str(DBID), "CON_ID": "0"},
    ),
    "DBA_HIST_SQLSTAT": (
        with_growth(
            "SQL",
            ("SQL_ID",),
            {name: f'sum("{column}")' for name, column in _STATEMENT.items()},
            _LATEST,
        ),
        {
            **_OF_ROW,
            "SQL_ID": 's."SQL_ID"',
            "LOADED_VERSIONS": "1",
            "VERSION_COUNT": "1",
            **{name: f'"{name}"' for name in _LATEST},
            **dict.fromkeys(("PARSING_SCHEMA_ID", "PARSING_USER_ID"), user_id("PARSING_SCHEMA_NAME")),
            **{f"{name}_{what}": f's."{name}_{what}"' for name in _STATEMENT for what in ("TOTAL", "DELTA")},
        },
    ),
    "DBA_HIST_SQLTEXT": (
        f"{whole('SQL')} GROUP BY SQL_ID",
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


def definitions() -> dict[str, Definition]:
    """Every view, by name."""
    found = {}
    for view, (rows, known) in _FILLINGS.items():
        typed = tuple((one.name, shown_type(view.removeprefix("DBA_HIST_"), one)) for one in columns()[view])
        shown = selection(rows, ((name, kind, known.get(name)) for name, kind in typed))
        found[view] = Definition(typed, f'CREATE VIEW SYS."{view}" AS {shown}')
    return found
