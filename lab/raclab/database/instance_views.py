"""Views of the instances as such: what they are called, since when they run, what views they have."""

from raclab.database.view_shape import DESCRIBED, Filling
from raclab.database.wait_classes import stable_id

BANNER = "RAC Myths Lab simulated cluster"
RELEASE = "19.0.0.0.0"
"""The release whose views and SQL the lab follows; not a claim to be that product."""

DBID = stable_id("RACLAB")

# the one that the models have: a network of its own, without addresses
_INTERCONNECT = Filling("cluster.instance", {"NAME": "'interconnect'", "IS_PUBLIC": "'NO'", "CON_ID": "0"})

FILLINGS: dict[str, Filling] = {
    "CLUSTER_INTERCONNECTS": _INTERCONNECT,
    "CONFIGURED_INTERCONNECTS": _INTERCONNECT,
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
            "DBID": str(DBID),
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
    "ACTIVE_INSTANCES": Filling(
        "(SELECT i.inst_id, o.inst_id AS number FROM cluster.instance AS i, cluster.instance AS o)",
        {"INST_NUMBER": "number", "INST_NAME": "'node' || number || ':rac' || number", "CON_ID": "0"},
    ),
    "THREAD": Filling(
        "cluster.instance",
        {
            "THREAD#": "inst_id",
            "STATUS": "'OPEN'",
            "ENABLED": "'PUBLIC'",
            "INSTANCE": "'rac' || inst_id",
            "OPEN_TIME": "startup_time",
            "CON_ID": "0",
        },
    ),
    "TIMER": Filling("cluster.instance", {"HSECS": "epoch_ms(CAST(getvariable('now') AS TIMESTAMP)) // 10 % 4294967296", "CON_ID": "0"}),
    "FIXED_TABLE": Filling(
        f"cluster.instance, (SELECT DISTINCT view FROM cluster.{DESCRIBED} WHERE regexp_matches(view, '^G?V[$]'))",
        {"NAME": "view", "TYPE": "'VIEW'", "CON_ID": "0"},
    ),
}
