"""Views of services: what there are, and what their sessions counted and waited for.

A session's service is its instance's own; background processes are SYS$BACKGROUND's.
"""

from raclab.database.event_views import BY_EVENT, EVENT_IDS, MAX_WAIT, OF_CLASS, waited
from raclab.database.session_views import SERVICE_NAME, STAT_ID
from raclab.database.view_shape import Filling

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

# times are microseconds here, and centiseconds in V$SESSTAT
_COUNTED = ("user commits", "execute count", "gc cr blocks received", "gc current blocks received")
_TIMED = (
    "application wait time",
    "cluster wait time",
    "concurrency wait time",
    "gc cr block receive time",
    "gc current block receive time",
    "user I/O wait time",
)
_STATISTICS = f"""(
  SELECT inst_id, name, {STAT_ID} AS stat_id, micro AS value FROM cluster.time_model WHERE name IN ('DB time', 'DB CPU')
  UNION ALL
  SELECT inst_id, name, stat_id, CASE WHEN name IN {_TIMED} THEN 10000 * value ELSE value END
  FROM cluster.sesstat JOIN cluster.statistic USING (name) WHERE name IN {_COUNTED + _TIMED}
) GROUP BY ALL"""

FILLINGS: dict[str, Filling] = {
    "SERVICES": Filling(_SERVICE_ROWS, _SERVICE),
    "ACTIVE_SERVICES": Filling(_SERVICE_ROWS, {**_SERVICE, "BLOCKED": "'NO'"}),
    "SERVICE_EVENT": Filling(
        BY_EVENT,
        {
            "SERVICE_NAME": SERVICE_NAME,
            "EVENT": "event",
            "EVENT_ID": EVENT_IDS["EVENT_ID"],
            "MAX_WAIT": MAX_WAIT,
            **waited(),
            "CON_ID": "0",
        },
    ),
    "SERVICE_WAIT_CLASS": Filling(
        BY_EVENT,
        {
            "SERVICE_NAME": SERVICE_NAME,
            **OF_CLASS,
        },
    ),
    "SERVICE_STATS": Filling(
        _STATISTICS,
        {"SERVICE_NAME": "'RAC' || inst_id", "STAT_ID": "stat_id", "STAT_NAME": "name", "VALUE": "round(sum(value))", "CON_ID": "0"},
    ),
}
