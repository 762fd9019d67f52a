"""Views of what the lab does not simulate: they have Oracle's columns and no rows, so that a query over them runs and finds nothing."""

from raclab.database.view_shape import Filling

UNSIMULATED = (
    # locks, latches, transactions and statements of this moment
    *("GES_ENQUEUE", "GLOBAL_BLOCKED_LOCKS", "LATCHHOLDER", "OPEN_CURSOR", "SESSION_WAIT_HISTORY", "SQL_MONITOR", "SQL_PLAN_MONITOR"),
    *("SQL_WORKAREA_ACTIVE", "TEMPSEG_USAGE", "TRANSACTION", "WAIT_CHAINS"),
    # caches, memory, masters of resources
    *("BH", "DYNAMIC_REMASTER_STATS", "GCSPFMASTER_INFO", "GES_STATISTICS", "HVMASTER_INFO", "LATCH_CHILDREN", "LATCH_MISSES"),
    *("LIBRARYCACHE", "LOCK_ACTIVITY", "MUTEX_SLEEP", "PGASTAT", "RESOURCE_LIMIT", "SGAINFO", "SGASTAT", "SGA_DYNAMIC_COMPONENTS"),
    # execution plans, files, redo and undo
    *("FILESTAT", "IOSTAT_FUNCTION", "LOG", "LOG_HISTORY", "SQL_PLAN", "UNDOSTAT"),
)
"""Without V$ and GV$."""

FILLINGS: dict[str, Filling] = dict.fromkeys(UNSIMULATED, Filling("cluster.instance WHERE false", {}))
