"""Views whose rows runs bring under Oracle's names, and how the rows of several runs become one."""

from raclab.database.view_shape import SESSIONS, STATEMENTS, Added, Filling, address, chosen
from raclab.database.wait_classes import COMMANDS, OS_STATISTICS

_ONE_ROW_AN_INSTANCE = ("CON_ID",)

# V$OSSTAT mixes what adds up (BUSY_TIME) with what is so now
OS_NOW = "'NUM_CPUS', 'NUM_CPU_CORES', 'LOAD', 'PHYSICAL_MEMORY_BYTES'"

OS_STAT_ID = chosen("STAT_NAME", OS_STATISTICS)

# a bucket's bound in words, as WAIT_TIME_FORMAT has it
_MICRO = "CAST(WAIT_TIME_MICRO AS BIGINT)"
_UNITS = ((1 << 20, "second"), (1 << 10, "millisecond"), (1, "microsecond"))
_FORMAT = (
    "CASE "
    + " ".join(
        f"WHEN {_MICRO} >= {size} THEN CAST({_MICRO} // {size} AS VARCHAR) || ' {unit}' "
        f"|| CASE WHEN {_MICRO} // {size} = 1 THEN '' ELSE 's' END"
        for size, unit in _UNITS
    )
    + " END"
)

COMMAND = chosen("upper(split_part(any_value(SQL_TEXT), ' ', 1))", COMMANDS)


def user_id(name: str) -> str:
    """SQL of a user's number, from its name."""
    return f"CASE {name} WHEN 'SYS' THEN 0 ELSE 100 END"


def _pinged(size: str) -> dict[str, str]:
    """Of two sizes of pings: the last one, the mean and the longest."""
    return {
        f"CURRENT_{size}": f'arg_max("CURRENT_{size}", rowid)',
        f"AVERAGE_{size}": f'round(sum("WAIT_TIME_{size}") / nullif(sum("COUNT_{size}"), 0), 2)',
        f"MAX_{size}": f'max("MAX_{size}")',
    }


ADDED: dict[str, Added] = {
    "ROWCACHE": Added(("CACHE#", "TYPE", "SUBORDINATE#", "PARAMETER"), ("COUNT", "USAGE", "FIXED")),
    "ENQUEUE_STATISTICS": Added(("EQ_NAME", "EQ_TYPE", "REQ_REASON", "REQ_DESCRIPTION", "EVENT#")),
    "ACTIVE_SESSION_HISTORY": Added(
        shown={
            "SESSION_SERIAL#": "SESSION_ID",
            "USER_ID": "CASE SESSION_TYPE WHEN 'BACKGROUND' THEN 0 ELSE 100 END",
            "MACHINE": "'node' || INST_ID",
            "BLOCKING_SESSION_SERIAL#": "BLOCKING_SESSION",
            "QC_SESSION_SERIAL#": "QC_SESSION_ID",
            "SQL_OPCODE": chosen("SQL_OPNAME", COMMANDS),
            "EVENT_ID": "event_id",
            "WAIT_CLASS_ID": "wait_class_id",
            **{f"P{place}TEXT": f"parameter{place}" for place in (1, 2, 3)},
        },
        join=" LEFT JOIN (SELECT event AS EVENT, event_id, wait_class_id, parameter1, parameter2, parameter3 FROM cluster.event) "
        "USING (EVENT)",
        brought=(
            *("SAMPLE_ID", "SAMPLE_TIME", "IS_AWR_SAMPLE", "SESSION_ID", "SESSION_TYPE", "SESSION_STATE", "EVENT", "WAIT_CLASS"),
            *("SQL_ID", "SQL_OPNAME", "CURRENT_OBJ#", "QC_INSTANCE_ID", "QC_SESSION_ID", "PROGRAM", "MODULE", "ACTION"),
            *("BLOCKING_SESSION_STATUS", "BLOCKING_SESSION", "BLOCKING_INST_ID"),
            *("TM_DELTA_TIME", "TM_DELTA_DB_TIME", "DELTA_TIME"),
        ),
    ),
    "EVENT_HISTOGRAM_MICRO": Added(
        ("EVENT", "WAIT_TIME_MICRO"),
        shown={"EVENT#": "any_value(event_number)", "WAIT_TIME_FORMAT": _FORMAT, "LAST_UPDATE_TIME": "NULL"},
        join=" JOIN cluster.event USING (EVENT)",
    ),
    "CR_BLOCK_SERVER": Added(
        _ONE_ROW_AN_INSTANCE,
        brought=(
            *("CR_REQUESTS", "CURRENT_REQUESTS", "DATA_REQUESTS", "UNDO_REQUESTS", "TX_REQUESTS", "OTHER_REQUESTS"),
            *("FAIRNESS_DOWN_CONVERTS", "FLUSHES"),
        ),
    ),
    "CURRENT_BLOCK_SERVER": Added(_ONE_ROW_AN_INSTANCE, brought=("FLUSH0", "FLUSH1", "FLUSH10", "FLUSH100", "FLUSH1000", "FLUSH10000")),
    "INSTANCE_CACHE_TRANSFER": Added(("INSTANCE", "CLASS")),
    "INSTANCE_PING": Added(("INSTANCE",), shown={**_pinged("500B"), **_pinged("8K")}),
    "LATCH": Added(("NAME",), brought=("NAME", "GETS", "MISSES", "SLEEPS", "SPIN_GETS", "WAIT_TIME")),
    "SEGMENT_STATISTICS": Added(
        (
            "OWNER",
            "OBJECT_NAME",
            "SUBOBJECT_NAME",
            "TABLESPACE_NAME",
            "TS#",
            "OBJ#",
            "DATAOBJ#",
            "OBJECT_TYPE",
            "STATISTIC_NAME",
            "STATISTIC#",
        )
    ),
    "OSSTAT": Added(
        ("STAT_NAME",),
        shown={
            "VALUE": f"CASE WHEN STAT_NAME IN ({OS_NOW}) THEN arg_max(VALUE, rowid) ELSE sum(VALUE) END",
            "OSSTAT_ID": OS_STAT_ID,
            "CUMULATIVE": f"CASE WHEN STAT_NAME IN ({OS_NOW}) THEN 'NO' ELSE 'YES' END",
        },
    ),
    "PX_SESSION": Added(replaced=True, shown={"SADDR": address(SESSIONS, "SID")}),
    "PX_PROCESS": Added(replaced=True, shown={"PID": "SID", "SPID": "CAST(10000 + SID AS VARCHAR)"}),
    "PX_PROCESS_SYSSTAT": Added(
        ("STATISTIC",),
        shown={
            "VALUE": "CASE STATISTIC WHEN 'Server Sessions' THEN sum(VALUE) "
            "WHEN 'Servers In Use' THEN arg_max(VALUE, rowid) ELSE max(VALUE) END"
        },
    ),
    "PQ_TQSTAT": Added(replaced=True),
    "SQL": Added(
        ("SQL_ID",),
        shown={
            "SQL_FULLTEXT": "any_value(SQL_TEXT)",
            "HASH_VALUE": "any_value(HASH_VALUE)",
            "COMMAND_TYPE": COMMAND,
            "CHILD_NUMBER": "0",
            "LOADED_VERSIONS": "1",
            "ADDRESS": address(STATEMENTS, "any_value(CAST(HASH_VALUE AS BIGINT))"),
            **dict.fromkeys(("PARSING_USER_ID", "PARSING_SCHEMA_ID"), user_id("any_value(PARSING_SCHEMA_NAME)")),
            "OBJECT_STATUS": "'VALID'",
            "IS_OBSOLETE": "'N'",
        },
        brought=(
            *("SQL_ID", "SQL_TEXT", "PARSING_SCHEMA_NAME", "EXECUTIONS", "ELAPSED_TIME", "CPU_TIME", "HASH_VALUE"),
            *("APPLICATION_WAIT_TIME", "CONCURRENCY_WAIT_TIME", "CLUSTER_WAIT_TIME", "USER_IO_WAIT_TIME"),
            *("MODULE", "ACTION", "LAST_ACTIVE_TIME"),
        ),
    ),
}

STORED: dict[str, Filling] = {
    "SEGSTAT": Filling(
        'cluster."SEGMENT_STATISTICS" GROUP BY ALL',
        {name: f'"{name}"' for name in ("TS#", "OBJ#", "DATAOBJ#", "STATISTIC_NAME", "STATISTIC#")}
        | {"VALUE": "sum(VALUE)", "CON_ID": "0"},
    ),
}
"""Views over rows that runs bring for another view."""
