"""The V$ and GV$ views: Oracle's columns over the lab's own counters.

``view_columns.csv`` holds names, order and types as Oracle 19c documents them. What a column shows is an SQL expression over the
counter tables (schema ``cluster``, see counters.py); a column that the simulation does not know is null. GV$ puts INST_ID in front;
V$ is GV$ for the instance that the session is connected to. Adding a view takes its rows in the CSV and one entry in ``FILLINGS``.
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from raclab.database.wait_classes import WAIT_CLASSES, stable_id

COLUMNS_FILE = Path(__file__).with_name("view_columns.csv")
BANNER = "RAC Myths Lab simulated cluster"
RELEASE = "19.0.0.0.0"
"""The release whose views and SQL the lab follows; not a claim to be that product."""

_TYPES = {
    "NUMBER": "DECIMAL(38, 0)",
    "VARCHAR2": "VARCHAR",
    "CHAR": "VARCHAR",
    "DATE": "TIMESTAMP_S",
    "TIMESTAMP": "TIMESTAMP",
    "RAW": "BLOB",
}


@dataclass(frozen=True)
class Column:
    """One documented column with its Oracle type, e.g. NUMBER or VARCHAR2(64)."""

    name: str
    type: str

    @property
    def stored(self) -> str:
        """The engine's type for it."""
        return _TYPES[self.type.split("(")[0].split()[0]]


@dataclass(frozen=True)
class Filling:
    """Where a view's rows come from: a FROM clause, with what follows it, and an expression by column. INST_ID is ``inst_id``."""

    rows: str
    columns: Mapping[str, str]


@cache
def documented() -> dict[str, tuple[Column, ...]]:
    """Columns by view, without V$ or GV$ in front."""
    with COLUMNS_FILE.open(encoding="utf-8", newline="") as file:
        found: dict[str, list[Column]] = {}
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            found.setdefault(row["view"], []).append(Column(row["column"], row["type"]))
    return {view: tuple(columns) for view, columns in found.items()}


def names() -> frozenset[str]:
    """Every view's name, V$ and GV$."""
    return frozenset(prefix + view for view in documented() for prefix in ("V$", "GV$"))


_CENTI = "round({} / 10000.0)"


def _waits(micro: str) -> dict[str, str]:
    """Times of waits: centiseconds in TIME_WAITED and AVERAGE_WAIT, as Oracle has them, from microseconds."""
    return {
        "TIME_WAITED": _CENTI.format(micro),
        "AVERAGE_WAIT": f"round({micro} / 10000.0 / nullif(sum(total_waits), 0), 2)",
        "TIME_WAITED_MICRO": micro,
    }


_EVENT_IDS = {
    "EVENT_ID": "event_id",
    "WAIT_CLASS_ID": "wait_class_id",
    "WAIT_CLASS#": "wait_class_number",
    "WAIT_CLASS": "wait_class",
    "CON_ID": "0",
}

_STATISTIC = {"STATISTIC#": "number", "NAME": "name", "CLASS": "class", "STAT_ID": "stat_id", "CON_ID": "0"}

_IDLE = "SQL*Net message from client"

FILLINGS: dict[str, Filling] = {
    "INSTANCE": Filling(
        "cluster.instance",
        {
            "INSTANCE_NUMBER": "inst_id",
            "INSTANCE_NAME": "'rac' || inst_id",
            "HOST_NAME": "'node' || inst_id",
            "VERSION": f"'{RELEASE}'",
            "VERSION_LEGACY": f"'{RELEASE}'",
            "VERSION_FULL": f"'{RELEASE}'",
            "STARTUP_TIME": "startup_time",
            "STATUS": "'OPEN'",
            "PARALLEL": "'YES'",
            "THREAD#": "inst_id",
            "ARCHIVER": "'STOPPED'",
            "LOGINS": "'ALLOWED'",
            "SHUTDOWN_PENDING": "'NO'",
            "DATABASE_STATUS": "'ACTIVE'",
            "INSTANCE_ROLE": "'PRIMARY_INSTANCE'",
            "ACTIVE_STATE": "'NORMAL'",
            "BLOCKED": "'NO'",
            "CON_ID": "0",
            "INSTANCE_MODE": "'REGULAR'",
            "DATABASE_TYPE": "'RAC'",
        },
    ),
    "SYSTEM_EVENT": Filling(
        "cluster.session_event JOIN cluster.event USING (event) GROUP BY ALL",
        {
            "EVENT": "event",
            "TOTAL_WAITS": "sum(total_waits)",
            "TOTAL_TIMEOUTS": "0",
            "TOTAL_WAITS_FG": "sum(total_waits)",
            "TOTAL_TIMEOUTS_FG": "0",
            **_waits("sum(micro)"),
            **{f"{name}_FG": value for name, value in _waits("sum(micro)").items()},
            **_EVENT_IDS,
        },
    ),
    "SESSION_EVENT": Filling(
        "cluster.session_event JOIN cluster.event USING (event) GROUP BY ALL",
        {
            "SID": "sid",
            "EVENT": "event",
            "TOTAL_WAITS": "sum(total_waits)",
            "TOTAL_TIMEOUTS": "0",
            "MAX_WAIT": _CENTI.format("max(max_micro)"),
            **_waits("sum(micro)"),
            **_EVENT_IDS,
        },
    ),
    "SESSION": Filling(
        "cluster.session",
        {
            "SID": "sid",
            "SERIAL#": "serial",
            "AUDSID": "serial",
            "USER#": "100",
            "USERNAME": "'LAB'",
            "STATUS": "CASE WHEN inst_id = getvariable('inst_id') AND sid = getvariable('sid') THEN 'ACTIVE' ELSE 'INACTIVE' END",
            "SERVER": "'DEDICATED'",
            "SCHEMA#": "100",
            "SCHEMANAME": "'LAB'",
            "OSUSER": "osuser",
            "PROCESS": "process",
            "MACHINE": "machine",
            "TERMINAL": "terminal",
            "PROGRAM": "program",
            "TYPE": "'USER'",
            "MODULE": "module",
            "ACTION": "action",
            "CLIENT_INFO": "client_info",
            "LOGON_TIME": "logon_time",
            "LAST_CALL_ET": "epoch(CAST(getvariable('now') AS TIMESTAMP_S)) - epoch(idle_since)",
            "CLIENT_IDENTIFIER": "client_identifier",
            "EVENT": f"'{_IDLE}'",
            "WAIT_CLASS_ID": str(WAIT_CLASSES["Idle"][1]),
            "WAIT_CLASS#": str(WAIT_CLASSES["Idle"][0]),
            "WAIT_CLASS": "'Idle'",
            "STATE": "'WAITING'",
            "SERVICE_NAME": "'RAC' || inst_id",
            "SQL_TRACE": "'DISABLED'",
            "CON_ID": "0",
        },
    ),
    "SYSSTAT": Filling("cluster.sysstat JOIN cluster.statistic USING (name) GROUP BY ALL", {**_STATISTIC, "VALUE": "sum(value)"}),
    "SESSTAT": Filling(
        "cluster.sesstat JOIN cluster.statistic USING (name)",
        {"SID": "sid", "STATISTIC#": "number", "VALUE": "value", "CON_ID": "0"},
    ),
    "STATNAME": Filling("cluster.instance, cluster.statistic", {**_STATISTIC, "DISPLAY_NAME": "name"}),
    "VERSION": Filling(
        "cluster.instance",
        {
            "BANNER": f"'{BANNER} {{version}}'",
            "BANNER_FULL": f"'{BANNER} {{version}}' || chr(10) || 'Views as release {RELEASE} documents them'",
            "BANNER_LEGACY": f"'{BANNER} {{version}}'",
            "CON_ID": "0",
        },
    ),
    "DATABASE": Filling(
        "cluster.instance",
        {
            "DBID": str(stable_id("RACLAB")),
            "NAME": "'RACLAB'",
            "CREATED": "created",
            "LOG_MODE": "'NOARCHIVELOG'",
            "OPEN_MODE": "'READ WRITE'",
            "DATABASE_ROLE": "'PRIMARY'",
            "PLATFORM_NAME": f"'{BANNER}'",
            "DB_UNIQUE_NAME": "'raclab'",
            "CDB": "'NO'",
            "CON_ID": "0",
        },
    ),
}


@dataclass(frozen=True)
class Added:
    """A view that measurements bring rows for, under Oracle's names and in Oracle's units.

    Over runs, rows with the same ``keys`` on the same instance become one: columns in ``last`` keep the last value that is not
    null, those in ``shown`` are what their expression says, all others add up. Without ``keys`` every row stays.
    """

    keys: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    shown: Mapping[str, str] = field(default_factory=dict)


ONE_ROW_AN_INSTANCE = ("CON_ID",)

# V$OSSTAT mixes what adds up (BUSY_TIME) with what is so now
_OSSTAT_NOW = "'NUM_CPUS', 'NUM_CPU_CORES', 'LOAD', 'PHYSICAL_MEMORY_BYTES'"


ADDED: dict[str, Added] = {
    "ROWCACHE": Added(("CACHE#", "TYPE", "SUBORDINATE#", "PARAMETER"), ("COUNT", "USAGE", "FIXED")),
    "ENQUEUE_STATISTICS": Added(("EQ_NAME", "EQ_TYPE", "REQ_REASON", "REQ_DESCRIPTION", "EVENT#")),
    "ACTIVE_SESSION_HISTORY": Added(),
    "CR_BLOCK_SERVER": Added(ONE_ROW_AN_INSTANCE),
    "CURRENT_BLOCK_SERVER": Added(ONE_ROW_AN_INSTANCE),
    "INSTANCE_CACHE_TRANSFER": Added(("INSTANCE", "CLASS")),
    "LATCH": Added(("LATCH#", "LEVEL#", "NAME")),
    "OSSTAT": Added(
        ("STAT_NAME", "OSSTAT_ID", "COMMENTS", "CUMULATIVE"),
        shown={"VALUE": f"CASE WHEN STAT_NAME IN ({_OSSTAT_NOW}) THEN arg_max(VALUE, rowid) ELSE sum(VALUE) END"},
    ),
    "PX_SESSION": Added(),
    "PQ_TQSTAT": Added(),
}


def statements(version: str) -> Iterator[str]:
    """What creates every view, and the tables that the added ones rest on; ``version`` is the lab's, for the banner."""
    yield "CREATE SCHEMA SYS"
    yield "CREATE VIEW SYS.DUAL AS SELECT 'X' AS DUMMY"
    for view, added in ADDED.items():
        columns = ", ".join(f'"{column.name}" {column.stored}' for column in documented()[view])
        yield f'CREATE TABLE cluster."{view}" (INST_ID BIGINT, {columns})'
        yield _gv(view, _added(view, added))
    for view, filling in FILLINGS.items():
        yield _gv(view, filling).replace("{version}", version)
    for view, columns_of in documented().items():
        columns = ", ".join(f'"{column.name}"' for column in columns_of)
        yield f'CREATE VIEW SYS."V${view}" AS SELECT {columns} FROM SYS."GV${view}" WHERE INST_ID = getvariable(\'inst_id\')'


def _gv(view: str, filling: Filling) -> str:
    unknown = set(filling.columns) - {column.name for column in documented()[view]}
    if unknown:
        raise ValueError(f"V${view} has no column {', '.join(sorted(unknown))}")
    shown = [f'CAST({filling.columns.get(column.name, "NULL")} AS {_shown(column)}) AS "{column.name}"' for column in documented()[view]]
    return f'CREATE VIEW SYS."GV${view}" AS SELECT CAST(inst_id AS DECIMAL(38, 0)) AS INST_ID, {", ".join(shown)} FROM {filling.rows}'


def _shown(column: Column) -> str:
    return "DECIMAL(38, 2)" if column.name.startswith("AVERAGE_") else column.stored


def _added(view: str, added: Added) -> Filling:
    def shown(column: Column) -> str:
        name = f'"{column.name}"'
        if column.name == "CON_ID":
            return "0"
        if column.name in added.shown:
            return added.shown[column.name]
        if not added.keys or column.name in added.keys:
            return name
        return f"arg_max({name}, rowid)" if column.name in added.last or not column.stored.startswith("DECIMAL") else f"sum({name})"

    rows = f'cluster."{view}"'
    if added.keys:
        rows += " GROUP BY " + ", ".join(f'"{name}"' for name in ("INST_ID", *added.keys))
    return Filling(rows, {column.name: shown(column) for column in documented()[view]})
