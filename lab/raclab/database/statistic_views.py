"""Views of statistics: of instances, of sessions, of one's own session."""

from raclab.database.view_shape import SESSIONS, Filling, address

_STATISTIC = {"STATISTIC#": "number", "NAME": "name", "CLASS": "class", "STAT_ID": "stat_id", "CON_ID": "0"}

# every class of block has a line in Oracle, in this order; the models' sessions wait for data blocks only
_CLASSES = (
    *("data block", "sort block", "save undo block", "segment header", "save undo header", "free list", "extent map"),
    *("1st level bmb", "2nd level bmb", "3rd level bmb", "bitmap block", "bitmap index block", "file header block", "unused"),
    *("system undo header", "system undo block", "undo header", "undo block"),
)
_DATA_BLOCKS = """SELECT inst_id, 'data block' AS class, sum(total_waits) AS waits, sum(micro) AS micro FROM cluster.session_event
  WHERE event = 'buffer busy waits' GROUP BY ALL"""
# V$PQ_SYSSTAT's names of what V$PX_PROCESS_SYSSTAT counts
_SERVERS = {"'Servers In Use'": "'Servers Busy'", "'Servers Available'": "'Servers Idle'"}

_IO = {
    "BLOCK_GETS": "db block gets",
    "CONSISTENT_GETS": "consistent gets",
    "PHYSICAL_READS": "physical reads",
    "BLOCK_CHANGES": "db block changes",
}

FILLINGS: dict[str, Filling] = {
    "SYSSTAT": Filling("cluster.sysstat JOIN cluster.statistic USING (name) GROUP BY ALL", {**_STATISTIC, "VALUE": "sum(value)"}),
    "STATNAME": Filling("cluster.instance, cluster.statistic", {**_STATISTIC, "DISPLAY_NAME": "name"}),
    "SESSTAT": Filling(
        "cluster.sesstat JOIN cluster.statistic USING (name)",
        {"SID": "sid", "STATISTIC#": "number", "VALUE": "value", "CON_ID": "0"},
    ),
    "MYSTAT": Filling(
        "(SELECT inst_id, number, value FROM cluster.instance CROSS JOIN cluster.statistic "
        "LEFT JOIN (SELECT inst_id, name, value FROM cluster.sesstat WHERE sid = getvariable('sid')) USING (inst_id, name) "
        "WHERE inst_id = getvariable('inst_id'))",
        {"SID": "getvariable('sid')", "STATISTIC#": "number", "VALUE": "coalesce(value, 0)", "CON_ID": "0"},
    ),
    "SESS_IO": Filling(
        "cluster.sesstat GROUP BY inst_id, sid",
        {
            "SID": "sid",
            **{name: f"max(value) FILTER (WHERE name = '{statistic}')" for name, statistic in _IO.items()},
            "CON_ID": "0",
        },
    ),
    "LATCHNAME": Filling(
        '(SELECT DISTINCT inst_id, "NAME" AS name FROM cluster."LATCH")', {"NAME": "name", "DISPLAY_NAME": "name", "CON_ID": "0"}
    ),
    "PX_SESSTAT": Filling(
        'cluster."PX_SESSION" JOIN cluster.sesstat USING (inst_id, sid) JOIN cluster.statistic USING (name)',
        {
            **{
                name: f'"{name}"' for name in ("SID", "SERIAL#", "QCSID", "QCSERIAL#", "QCINST_ID", "SERVER_GROUP", "SERVER_SET", "SERVER#")
            },
            **{name: f'"{name}"' for name in ("DEGREE", "REQ_DEGREE")},
            "SADDR": address(SESSIONS, "sid"),
            "STATISTIC#": "number",
            "VALUE": "value",
            "CON_ID": "0",
        },
    ),
    "WAITSTAT": Filling(
        f"(SELECT inst_id, unnest({list(_CLASSES)}) AS class, unnest(range({len(_CLASSES)})) AS place FROM cluster.instance) "
        f"LEFT JOIN ({_DATA_BLOCKS}) USING (inst_id, class) ORDER BY inst_id, place",
        {"CLASS": "class", "COUNT": "waits", "TIME": "round(micro / 10000.0)", "CON_ID": "0"},
    ),
    "PQ_SYSSTAT": Filling(
        'SYS."GV$PX_PROCESS_SYSSTAT"',
        {
            "STATISTIC": f"CASE STATISTIC {' '.join(f'WHEN {name} THEN {here}' for name, here in _SERVERS.items())} ELSE STATISTIC END",
            "VALUE": '"VALUE"',
            "CON_ID": "0",
        },
    ),
}
