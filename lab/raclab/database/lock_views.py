"""Views of locks held and waited for at this moment, and of enqueues' statistics by type.

Runs have ended by the time that anybody can ask, and what clients do takes no locks of Oracle's: nobody holds or waits for one, so
that the views of this moment have no rows. Who blocked whom during a run stands in V$ACTIVE_SESSION_HISTORY.
"""

from raclab.database.view_shape import Filling

_NOBODY = Filling("cluster.instance WHERE false", {})

AT_THIS_MOMENT = ("LOCK", "LOCKED_OBJECT", "SESSION_BLOCKERS", "GES_BLOCKING_ENQUEUE", "SESSION_LONGOPS")

ENQUEUES = ("TOTAL_REQ#", "TOTAL_WAIT#", "SUCC_REQ#", "FAILED_REQ#", "CUM_WAIT_TIME")
"""What V$ENQUEUE_STATISTICS counts."""

FILLINGS: dict[str, Filling] = {
    **dict.fromkeys(AT_THIS_MOMENT, _NOBODY),
    "ENQUEUE_STAT": Filling(
        'cluster."ENQUEUE_STATISTICS" GROUP BY inst_id, "EQ_TYPE"',
        {"EQ_TYPE": '"EQ_TYPE"', **{name: f'sum("{name}")' for name in ENQUEUES}, "CON_ID": "0"},
    ),
}
