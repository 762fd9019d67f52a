"""Oracle's numbers for wait classes, and stable numbers for events and statistics.

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

_USER, _REDO, _ENQUEUE, _CACHE, _RAC, _SQL = 1, 2, 4, 8, 32, 64

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
    "global enqueue gets sync": _RAC,
    "global enqueue gets async": _RAC,
    "global enqueue get time": _RAC,
}
"""CLASS (1 user, 2 redo, 4 enqueue, 8 cache, 32 RAC, 64 SQL, added up) by statistic, in the order of STATISTIC#."""


def stable_id(name: str) -> int:
    """A number for a name, the same everywhere and always: CRC-32, unsigned."""
    return zlib.crc32(name.encode())
