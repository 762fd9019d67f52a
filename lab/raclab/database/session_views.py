"""Views of sessions and processes, foreground and background, and of where their time went."""

from raclab.database.view_shape import PROCESSES, SESSIONS, Filling, address, chosen
from raclab.database.wait_classes import WAIT_CLASSES

_CLIENT, _TO_CLIENT = "SQL*Net message from client", "SQL*Net message to client"
_TCP = 1413697536  # the driver's id of TCP, "TCP" in hexadecimal

_SADDR, _PADDR = address(SESSIONS, "sid"), address(PROCESSES, "sid")

EVERYBODY = """CREATE VIEW cluster.everybody AS
  SELECT *, inst_id = getvariable('inst_id') AND sid = getvariable('sid') AS mine,
    epoch(CAST(getvariable('now') AS TIMESTAMP_S)) - epoch(idle_since) AS idle_s
  FROM (
    SELECT s.*, CAST(NULL AS VARCHAR) AS pname, false AS background, NULL AS idle_event, p.SERVER_NAME AS px_name, q.sql_id,
      'driver id' AS p1text, '#bytes' AS p2text
    FROM cluster.session AS s
    LEFT JOIN (SELECT INST_ID, SID, arg_max(SERVER_NAME, rowid) AS SERVER_NAME FROM cluster."PX_PROCESS" GROUP BY INST_ID, SID) AS p
      ON p.INST_ID = s.inst_id AND p.SID = s.sid
    LEFT JOIN cluster.session_sql AS q ON q.inst_id = s.inst_id AND q.sid = s.sid
    UNION ALL
    SELECT inst_id, sid, sid, started, idle_since, false, 'oracle', CAST(10000 + sid AS VARCHAR), 'node' || inst_id, NULL,
      'oracle@node' || inst_id || ' (' || pname || ')', NULL, NULL, NULL, NULL, pname, true, idle_event, NULL, NULL, NULL, NULL
    FROM cluster.background
  )"""
"""All sessions: columns of cluster.session, pname and idle_event of a background process, px_name of a parallel server, sql_id, whether
it is the one that asks, and for how many seconds it has been idle."""


def _when_mine(mine: str, background: str, other: str) -> str:
    return f"CASE WHEN mine THEN {mine} WHEN background THEN {background} ELSE {other} END"


_WAIT = {
    "EVENT": _when_mine(f"'{_TO_CLIENT}'", "idle_event", f"'{_CLIENT}'"),
    "P1TEXT": "p1text",
    "P1": f"CASE WHEN NOT background THEN {_TCP} END",
    "P2TEXT": "p2text",
    "P2": "CASE WHEN NOT background THEN 1 END",
    "P3": "CASE WHEN NOT background THEN 0 END",
    "WAIT_CLASS_ID": _when_mine(*(str(WAIT_CLASSES[name][1]) for name in ("Network", "Idle", "Idle"))),
    "WAIT_CLASS#": _when_mine(*(str(WAIT_CLASSES[name][0]) for name in ("Network", "Idle", "Idle"))),
    "WAIT_CLASS": _when_mine("'Network'", "'Idle'", "'Idle'"),
    "STATE": "CASE WHEN mine THEN 'WAITED SHORT TIME' ELSE 'WAITING' END",
    "WAIT_TIME": "CASE WHEN mine THEN -1 ELSE 0 END",
    "SECONDS_IN_WAIT": "CASE WHEN mine THEN 0 ELSE idle_s END",
    "WAIT_TIME_MICRO": "CASE WHEN NOT mine THEN 1000000 * idle_s END",
    "TIME_SINCE_LAST_WAIT_MICRO": "CASE WHEN NOT mine THEN 0 END",
    "CON_ID": "0",
}

SERVICE_NAME = "CASE WHEN background THEN 'SYS$BACKGROUND' ELSE 'RAC' || inst_id END"
"""A session's service: its instance's own, or the background processes'."""

_BLOCKED = "CASE WHEN mine THEN 'NOT IN WAIT' ELSE 'NO HOLDER' END"
_PROGRAM = "coalesce('oracle@node' || inst_id || ' (' || px_name || ')', program)"
# with the STAT_ID that every Oracle since 10g shows, as public scripts over DBA_HIST_SYS_TIME_MODEL have it, each number with
# its name beside it
_TIME_MODEL = {
    "DB time": 3649082374,
    "DB CPU": 2748282437,
    "background elapsed time": 4157170894,
    "background cpu time": 2451517896,
}
STAT_ID = chosen("name", _TIME_MODEL)
_TIME_MODEL_ROWS = (
    f"(SELECT inst_id, unnest([{', '.join(repr(name) for name in _TIME_MODEL)}]) AS name FROM cluster.instance) "
    "LEFT JOIN cluster.time_model USING (inst_id, name) GROUP BY ALL"
)

FILLINGS: dict[str, Filling] = {
    "SESSION": Filling(
        "cluster.everybody",
        {
            "SADDR": _SADDR,
            "SID": "sid",
            "SERIAL#": "serial",
            "AUDSID": "CASE WHEN background THEN 0 ELSE serial END",
            "PADDR": _PADDR,
            "USER#": "CASE WHEN background THEN 0 ELSE 100 END",
            "USERNAME": "CASE WHEN NOT background THEN 'LAB' END",
            "STATUS": "CASE WHEN background OR mine THEN 'ACTIVE' ELSE 'INACTIVE' END",
            "SERVER": "'DEDICATED'",
            "SCHEMA#": "CASE WHEN background THEN 0 ELSE 100 END",
            "SCHEMANAME": "CASE WHEN background THEN 'SYS' ELSE 'LAB' END",
            "OSUSER": "osuser",
            "PROCESS": "process",
            "MACHINE": "machine",
            "TERMINAL": "terminal",
            "PROGRAM": _PROGRAM,
            "TYPE": "CASE WHEN background THEN 'BACKGROUND' ELSE 'USER' END",
            "PREV_SQL_ID": "sql_id",
            "MODULE": "module",
            "ACTION": "action",
            "CLIENT_INFO": "client_info",
            "LOGON_TIME": "logon_time",
            "LAST_CALL_ET": "idle_s",
            "CLIENT_IDENTIFIER": "client_identifier",
            **_WAIT,
            "BLOCKING_SESSION_STATUS": _BLOCKED,
            "FINAL_BLOCKING_SESSION_STATUS": _BLOCKED,
            "SERVICE_NAME": SERVICE_NAME,
            "SQL_TRACE": "'DISABLED'",
        },
    ),
    "SESSION_WAIT": Filling("cluster.everybody", {"SID": "sid", **_WAIT}),
    "PROCESS": Filling(
        "cluster.everybody",
        {
            "ADDR": _PADDR,
            "PID": "sid",
            "SOSID": "10000 + sid",
            "SPID": "10000 + sid",
            "EXECUTION_TYPE": "'PROCESS'",
            "PNAME": "coalesce(pname, px_name)",
            "USERNAME": "'oracle'",
            "SERIAL#": "serial",
            "PROGRAM": "'oracle@node' || inst_id || coalesce(' (' || coalesce(pname, px_name) || ')', '')",
            "BACKGROUND": "CASE WHEN background THEN '1' END",
            "CON_ID": "0",
        },
    ),
    "BGPROCESS": Filling(
        "cluster.background",
        {"PADDR": _PADDR, "PSERIAL#": "sid", "NAME": "pname", "ERROR": "0", "CON_ID": "0"},
    ),
    "SYS_TIME_MODEL": Filling(
        _TIME_MODEL_ROWS, {"STAT_ID": STAT_ID, "STAT_NAME": "name", "VALUE": "coalesce(sum(micro), 0)", "CON_ID": "0"}
    ),
    "SESS_TIME_MODEL": Filling(
        "cluster.time_model", {"SID": "sid", "STAT_ID": STAT_ID, "STAT_NAME": "name", "VALUE": "micro", "CON_ID": "0"}
    ),
}
