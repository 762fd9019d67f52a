"""Views of the instances as such: what they are called, their services and parameters."""

from raclab.database.view_shape import Filling
from raclab.database.wait_classes import stable_id

BANNER = "RAC Myths Lab simulated cluster"
RELEASE = "19.0.0.0.0"
"""The release whose views and SQL the lab follows; not a claim to be that product."""

_BOOLEAN, _TEXT, _WHOLE = 1, 2, 3

# TYPE and value of what every instance has; what runs bring (cpu_count, ...) is whole numbers
_PARAMETERS = {
    "cluster_database": (_BOOLEAN, "'TRUE'"),
    "cluster_database_instances": (_WHOLE, "CAST((SELECT count(*) FROM cluster.instance) AS VARCHAR)"),
    "db_name": (_TEXT, "'raclab'"),
    "db_unique_name": (_TEXT, "'raclab'"),
    "instance_name": (_TEXT, "'rac' || inst_id"),
    "instance_number": (_WHOLE, "CAST(inst_id AS VARCHAR)"),
    "thread": (_WHOLE, "CAST(inst_id AS VARCHAR)"),
}
_PARAMETER_ROWS = " UNION ALL ".join(
    (
        *(
            f"SELECT inst_id, '{name}' AS name, {kind} AS kind, {value} AS value FROM cluster.instance"
            for name, (kind, value) in _PARAMETERS.items()
        ),
        f'SELECT INST_ID, NAME, {_WHOLE}, arg_max(VALUE, rowid) FROM cluster."PARAMETER" GROUP BY INST_ID, NAME',
    )
)

# the instance's own service, and the two that every instance has
_SERVICE_ROWS = (
    "(SELECT inst_id, created, unnest([1, 2, 2 + inst_id]) AS number, unnest(['SYS$BACKGROUND', 'SYS$USERS', 'RAC' || inst_id]) AS name "
    "FROM cluster.instance)"
)
_SERVICE = {
    "SERVICE_ID": "number",
    "NAME": "name",
    "NETWORK_NAME": "CASE WHEN number > 2 THEN name END",
    "CREATION_DATE": "created",
    "GOAL": "'NONE'",
    "DTP": "'N'",
    "AQ_HA_NOTIFICATION": "'NO'",
    "CLB_GOAL": "'LONG'",
    "COMMIT_OUTCOME": "'NO'",
    "GLOBAL": "'NO'",
    "CON_ID": "0",
}

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
    "PARAMETER": Filling(
        f"({_PARAMETER_ROWS})",
        {
            "NUM": "row_number() OVER (PARTITION BY inst_id ORDER BY name)",
            "NAME": "name",
            "TYPE": "kind",
            "VALUE": "value",
            "DISPLAY_VALUE": "value",
            "ISDEFAULT": "'FALSE'",
            "ISMODIFIED": "'FALSE'",
            "ISADJUSTED": "'FALSE'",
            "ISDEPRECATED": "'FALSE'",
            "CON_ID": "0",
        },
    ),
    "SERVICES": Filling(_SERVICE_ROWS, _SERVICE),
    "ACTIVE_SERVICES": Filling(_SERVICE_ROWS, {**_SERVICE, "BLOCKED": "'NO'"}),
}
