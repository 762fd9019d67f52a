"""Views of statistics: of instances, of sessions, of one's own session."""

from raclab.database.view_shape import SESSIONS, Filling, address

_STATISTIC = {"STATISTIC#": "number", "NAME": "name", "CLASS": "class", "STAT_ID": "stat_id", "CON_ID": "0"}

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
}
