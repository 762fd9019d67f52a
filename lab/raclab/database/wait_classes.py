"""Oracle's numbers for wait classes, commands and the operating system's statistics, and stable numbers for events and statistics.

WAIT_CLASS# and WAIT_CLASS_ID are those that every Oracle since 10g shows in V$SYSTEM_WAIT_CLASS. EVENT_ID and STAT_ID are hashes
of the name in Oracle, by a function that is not published: here they are CRC-32 of the name, the same in every lab and on every
instance, but not Oracle's. STATISTIC# follows the order below and, after it, the order of appearance.
"""

import zlib

WAIT_CLASSES: dict[str, tuple[int, int]] = {
    "Other": (0, 1893977003),
    "Application": (1, 4217450380),
    "Configuration": (2, 3290255840),
    "Administrative": (3, 4166625743),
    "Concurrency": (4, 3875070507),
    "Commit": (5, 3386400367),
    "Idle": (6, 2723168908),
    "Network": (7, 2000153315),
    "User I/O": (8, 1740759767),
    "System I/O": (9, 4108307767),
    "Scheduler": (10, 2396326234),
    "Cluster": (11, 3871361733),
    "Queueing": (12, 644977587),
}
"""WAIT_CLASS# and WAIT_CLASS_ID by WAIT_CLASS."""

_USER, _REDO, _ENQUEUE, _CACHE, _OS, _RAC, _SQL = 1, 2, 4, 8, 16, 32, 64

STATISTICS: dict[str, int] = {
    "user commits": _USER,
    "user rollbacks": _USER,
    "user calls": _USER,
    "recursive calls": _USER,
    "session logical reads": _USER,
    "CPU used by this session": _USER,
    "DB time": _USER,
    "enqueue waits": _ENQUEUE,
    "enqueue requests": _ENQUEUE,
    "db block gets": _CACHE,
    "consistent gets": _CACHE,
    "physical reads": _CACHE,
    "db block changes": _CACHE,
    "redo size": _REDO,
    "redo writes": _REDO,
    "redo write time": _REDO,
    "redo synch writes": _CACHE,
    "redo synch time": _CACHE,
    "execute count": _SQL,
    "parse count (total)": _SQL,
    "gc cr blocks served": _CACHE | _RAC,
    "gc cr blocks received": _CACHE | _RAC,
    "gc cr block receive time": _CACHE | _RAC,
    "gc current blocks served": _CACHE | _RAC,
    "gc current blocks received": _CACHE | _RAC,
    "gc current block receive time": _CACHE | _RAC,
    "gc cr block build time": _CACHE | _RAC,
    "gc cr block flush time": _CACHE | _RAC,
    "gc cr block send time": _CACHE | _RAC,
    "gc current block pin time": _CACHE | _RAC,
    "gc current block flush time": _CACHE | _RAC,
    "gc current block send time": _CACHE | _RAC,
    "application wait time": _USER,
    "concurrency wait time": _USER,
    "cluster wait time": _USER,
    "user I/O wait time": _USER,
    "non-idle wait time": _USER,
    "non-idle wait count": _USER,
    "OS Wait-cpu (latency) time": _OS,
    "global enqueue gets sync": _RAC,
    "global enqueue gets async": _RAC,
    "global enqueue get time": _RAC,
    "gc blocks lost": _CACHE | _RAC,
}
"""CLASS (1 user, 2 redo, 4 enqueue, 8 cache, 16 OS, 32 RAC, 64 SQL, added up) by statistic, in the order of STATISTIC#."""

COMMANDS: dict[str, int] = {"INSERT": 2, "SELECT": 3, "UPDATE": 6, "DELETE": 7}
"""COMMAND_TYPE in V$SQL, SQL_OPCODE in ASH, ACTION in AUDIT_ACTIONS: those that the simulated sessions run."""

OS_STATISTICS: dict[str, int] = {"NUM_CPUS": 0, "IDLE_TIME": 1, "BUSY_TIME": 2, "USER_TIME": 3, "SYS_TIME": 4, "LOAD": 15}
"""OSSTAT_ID by STAT_NAME, as DBA_HIST_OSSTAT_NAME of an 11g lists them (programmerteach.com, "according to dba_hist_osstat")."""


def stable_id(name: str) -> int:
    """A number for a name, the same everywhere and always: CRC-32, unsigned."""
    return zlib.crc32(name.encode())
