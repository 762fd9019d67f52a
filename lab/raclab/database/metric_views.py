"""Views of metrics: rates over an interval, which is a minute in Oracle, and here a run.

Numbers, names and units of the metrics are Oracle's, as public AWR readers list them; the interval of V$SYSMETRIC is the long one,
GROUP_ID 2. V$SYSMETRIC shows the last run, V$SYSMETRIC_HISTORY all since the start of the cluster.
"""

from collections.abc import Callable

from raclab.database.event_views import FOREGROUND
from raclab.database.view_shape import Filling

_GROUP, _GROUP_NAME = 2, "System Metrics Long Duration"

_OF_LAST_RUN = " WHERE load = (SELECT max(load) FROM cluster.run)"
_END = "began + to_microseconds(CAST(round(1000000 * seconds) AS BIGINT))"
INTERVAL = {
    "BEGIN_TIME": "began",
    "END_TIME": _END,
    "INTSIZE_CSEC": "round(100 * seconds)",
}
_WAITED = {
    "TIME_WAITED": "sum(micro) / 10000.0",
    "WAIT_COUNT": "sum(total_waits)",
    "TIME_WAITED_FG": f"coalesce(sum(micro){FOREGROUND}, 0) / 10000.0",
    "WAIT_COUNT_FG": f"coalesce(sum(total_waits){FOREGROUND}, 0)",
    "CON_ID": "0",
}


def _sum(table: str, name: str, value: str) -> str:
    """What an instance's row of a name adds up to in a table of the last run."""
    return f"sum({value}) FILTER (WHERE source = '{table}' AND name = '{name}')"


def _statistic(name: str) -> str:
    return _sum("sysstat", name, "value")


def _model(name: str) -> str:
    return _sum("time_model", name, "value")


def _os(name: str) -> str:
    return _sum("osstat", name, "value")


def _get_time(kind: str) -> str:
    return f"{_statistic(f'gc {kind} block receive time')} / nullif({_statistic(f'gc {kind} blocks received')}, 0)"


_BUSY, _CPU_SHARE = _os("BUSY_TIME"), f"100.0 * {_model('DB CPU')} / nullif({_model('DB time')}, 0)"
_READS, _READ_TIME = _sum("waits", "db file sequential read", "value"), _sum("micro", "db file sequential read", "value")

METRICS: dict[int, tuple[str, str, str]] = {
    2022: ("User Commits Per Sec", "Commits Per Second", f"{_statistic('user commits')} / seconds"),
    2057: ("Host CPU Utilization (%)", "% Busy/(Idle+Busy)", f"100.0 * {_BUSY} / nullif({_BUSY} + {_os('IDLE_TIME')}, 0)"),
    2075: ("CPU Usage Per Sec", "CentiSeconds Per Second", f"{_model('DB CPU')} / 10000.0 / seconds"),
    2094: ("GC CR Block Received Per Second", "Blocks Per Second", f"{_statistic('gc cr blocks received')} / seconds"),
    2096: ("GC Current Block Received Per Second", "Blocks Per Second", f"{_statistic('gc current blocks received')} / seconds"),
    2098: ("Global Cache Average CR Get Time", "CentiSeconds Per Get", _get_time("cr")),
    2099: ("Global Cache Average Current Get Time", "CentiSeconds Per Get", _get_time("current")),
    2102: ("Global Cache Blocks Lost", "Blocks", _statistic("gc blocks lost")),
    2107: ("Database Wait Time Ratio", "% Wait/DB_Time", f"100 - {_CPU_SHARE}"),
    2108: ("Database CPU Time Ratio", "% Cpu/DB_Time", _CPU_SHARE),
    2121: ("Executions Per Sec", "Executes Per Second", f"{_statistic('execute count')} / seconds"),
    2123: ("Database Time Per Sec", "CentiSeconds Per Second", f"{_model('DB time')} / 10000.0 / seconds"),
    2144: ("Average Synchronous Single-Block Read Latency", "Milliseconds", f"{_READ_TIME} / 1000.0 / nullif({_READS}, 0)"),
    2147: ("Average Active Sessions", "Active Sessions", f"{_model('DB time')} / 1000000.0 / seconds"),
    2155: ("Host CPU Usage Per Sec", "CentiSeconds Per Second", f"{_BUSY} / seconds"),
}
"""Name, unit and value of each, by METRIC_ID."""

_NAMED = (
    f"unnest({list(METRICS)}) AS id, unnest({[name for name, *_ in METRICS.values()]}) AS name, "
    f"unnest({[unit for _, unit, _ in METRICS.values()]}) AS unit"
)


def _waits(which: str) -> str:
    """FROM clause: waits of those runs, with the run's begin and how long it took, and the event's names."""
    return f"(SELECT * FROM cluster.session_event JOIN cluster.run USING (load){which}) JOIN cluster.event USING (event)"


def counted(which: str = "", rows: Callable[[str], str] = 'cluster."{}"'.format) -> str:
    """FROM clause: load, inst_id, began, seconds, id, name, unit, value of the metrics of those runs; ``rows``: where a table's are."""
    sysstat, time_model, osstat, session_event = (rows(name) for name in ("sysstat", "time_model", "OSSTAT", "session_event"))
    return f"""(SELECT * FROM (
  SELECT load, inst_id, began, seconds, {_NAMED}, unnest([{", ".join(value for *_, value in METRICS.values())}]) AS value
  FROM (
    SELECT load, inst_id, began, seconds, source, name, CAST(value AS DOUBLE) AS value FROM (
      SELECT load, inst_id, 'sysstat' AS source, name, value FROM {sysstat}
      UNION ALL SELECT load, inst_id, 'time_model', name, micro FROM {time_model}
      UNION ALL SELECT load, INST_ID, 'osstat', STAT_NAME, VALUE FROM {osstat}
      UNION ALL SELECT load, inst_id, 'waits', event, total_waits FROM {session_event}
      UNION ALL SELECT load, inst_id, 'micro', event, micro FROM {session_event}
    ) JOIN cluster.run USING (load){which}
  ) GROUP BY load, inst_id, began, seconds
) WHERE value IS NOT NULL)"""


METRIC = {"GROUP_ID": str(_GROUP), "METRIC_ID": "id", "METRIC_NAME": "name", "METRIC_UNIT": "unit", "CON_ID": "0"}
SUMMARY = {
    **METRIC,
    "BEGIN_TIME": "min(began)",
    "END_TIME": f"max({_END})",
    "NUM_INTERVAL": "count(*)",
    "MAXVAL": "max(value)",
    "MINVAL": "min(value)",
    "AVERAGE": "avg(value)",
    "STANDARD_DEVIATION": "coalesce(stddev_samp(value), 0)",
}
"""What V$SYSMETRIC_SUMMARY and DBA_HIST_SYSMETRIC_SUMMARY say of several runs."""
SPAN = f"round(datediff('microsecond', min(began), max({_END})) / 10000.0)"
"""Hundredths of a second from the first run's begin to the last one's end."""


def _wait_classes(which: str) -> Filling:
    return Filling(
        f"{_waits(which)} LEFT JOIN (SELECT inst_id, load, sum(micro) AS db_time FROM cluster.time_model "
        "WHERE name = 'DB time' GROUP BY ALL) USING (inst_id, load) "
        "GROUP BY load, inst_id, began, seconds, wait_class, wait_class_number, wait_class_id, db_time",
        {
            **INTERVAL,
            "WAIT_CLASS#": "wait_class_number",
            "WAIT_CLASS_ID": "wait_class_id",
            "AVERAGE_WAITER_COUNT": "sum(micro) / 1000000.0 / seconds",
            "DBTIME_IN_WAIT": "CASE WHEN wait_class = 'Idle' THEN 0 "
            f"ELSE 100.0 * coalesce(sum(micro){FOREGROUND}, 0) / nullif(db_time, 0) END",
            **_WAITED,
        },
    )


FILLINGS: dict[str, Filling] = {
    "EVENTMETRIC": Filling(
        f"{_waits(_OF_LAST_RUN)} GROUP BY ALL",
        {**INTERVAL, "EVENT#": "event_number", "EVENT_ID": "event_id", "NUM_SESS_WAITING": "0", **_WAITED},
    ),
    "WAITCLASSMETRIC": _wait_classes(_OF_LAST_RUN),
    "WAITCLASSMETRIC_HISTORY": _wait_classes(""),
    "SYSMETRIC": Filling(counted(_OF_LAST_RUN), {**INTERVAL, **METRIC, "VALUE": "value"}),
    "METRIC": Filling(counted(_OF_LAST_RUN), {**INTERVAL, **METRIC, "VALUE": "value", "ENTITY_ID": "0", "ENTITY_SEQUENCE": "0"}),
    "SYSMETRIC_HISTORY": Filling(counted(), {**INTERVAL, **METRIC, "VALUE": "value"}),
    "SYSMETRIC_SUMMARY": Filling(f"{counted()} GROUP BY inst_id, id, name, unit", {**SUMMARY, "INTSIZE_CSEC": SPAN}),
    "METRICGROUP": Filling("cluster.instance", {"GROUP_ID": str(_GROUP), "NAME": f"'{_GROUP_NAME}'", "CON_ID": "0"}),
    "METRICNAME": Filling(
        f"(SELECT inst_id, {_NAMED} FROM cluster.instance)",
        {**METRIC, "GROUP_NAME": f"'{_GROUP_NAME}'"},
    ),
}
