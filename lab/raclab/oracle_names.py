"""Oracle's names: which wait class each wait event belongs to.

Names and classes are those of V$EVENT_NAME in 10g to 19c (Oracle Database Reference, "Oracle Wait Events"). Events of 9i that were
renamed since (``global cache cr request`` and its kind) had no class; NAMES_SINCE_9I says what became of them.

This module imports nothing, so that the cluster, the evidence and the lab database can all use it.
"""

from collections.abc import Mapping
from types import MappingProxyType

_EVENTS_BY_CLASS: Mapping[str, tuple[str, ...]] = {
    "Application": ("enq: TM - contention", "enq: TX - row lock contention"),
    "Cluster": (
        "gc buffer busy",
        "gc buffer busy acquire",
        "gc buffer busy release",
        "gc cr block 2-way",
        "gc cr block 3-way",
        "gc cr block busy",
        "gc cr block congested",
        "gc cr block lost",
        "gc cr grant 2-way",
        "gc cr grant busy",
        "gc cr grant congested",
        "gc cr multi block request",
        "gc cr request",
        "gc current block 2-way",
        "gc current block 3-way",
        "gc current block busy",
        "gc current block congested",
        "gc current block lost",
        "gc current grant 2-way",
        "gc current grant busy",
        "gc current grant congested",
        "gc current multi block request",
        "gc current request",
    ),
    "Commit": ("log file sync",),
    "Concurrency": ("buffer busy waits", "enq: TX - index contention", "latch: cache buffers chains", "row cache lock"),
    "Configuration": (
        "enq: HW - contention",
        "enq: SQ - contention",
        "enq: TX - allocate ITL entry",
        "log buffer space",
        "log file switch completion",
        "undo segment extension",
    ),
    "Idle": (
        "PL/SQL lock timer",
        "PX Deq Credit: send blkd",
        "PX Deq: Execute Reply",
        "PX Deq: Execution Msg",
        "PX Deq: Table Q Normal",
        "SQL*Net message from client",
        "gcs remote message",
        "ges remote message",
        "rdbms ipc message",
    ),
    "Network": ("SQL*Net message to client",),
    "Other": (
        "DFS lock handle",
        "KJC: Wait for msg sends to complete",
        "buffer deadlock",
        "cr request retry",
        "enq: TX - contention",
        "latch free",
    ),
    "Scheduler": ("resmgr:cpu quantum",),
    "System I/O": ("db file parallel write", "log file parallel write"),
    "User I/O": (
        "Data file init write",
        "db file scattered read",
        "db file sequential read",
        "db file single write",
        "direct path read",
        "direct path write",
        "read by other session",
    ),
}

WAIT_CLASSES: Mapping[str, str] = MappingProxyType({event: name for name, events in _EVENTS_BY_CLASS.items() for event in events})
"""Wait class by event name, both as Oracle spells them."""


def wait_class(event: str) -> str:
    """Oracle's wait class of an event.

    Raises LookupError for an event that is not in the list: "Other" is a class of Oracle's own, not a word for "unknown".
    """
    if event not in WAIT_CLASSES:
        raise LookupError(f"The wait class of the event {event!r} is not known here; add it to raclab/oracle_names.py.")
    return WAIT_CLASSES[event]


IDLE_EVENTS: Mapping[str, str] = MappingProxyType(
    {
        "LMS": "gcs remote message",
        "LMD": "ges remote message",
        "LCK": "rdbms ipc message",
        "LGWR": "rdbms ipc message",
        "DBW": "rdbms ipc message",
    }
)
"""What a background process waits for when it has nothing to do, by its name without the number."""

_BLOCK, _TX, _QUEUE = ("file#", "block#", "class#"), ("name|mode", "usn<<16 | slot", "sequence"), ("sleeptime/senderid", "passes", "")
_READ, _DIRECT, _LATCH = ("file#", "block#", "blocks"), ("file number", "first dba", "block cnt"), ("address", "number", "tries")

EVENT_PARAMETERS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        **dict.fromkeys(("SQL*Net message from client", "SQL*Net message to client"), ("driver id", "#bytes", "")),
        **dict.fromkeys(
            ("buffer busy waits", "read by other session", "gc buffer busy acquire", "gc buffer busy release", "gc cr request"), _BLOCK
        ),
        **dict.fromkeys(("enq: TX - row lock contention", "enq: TX - index contention", "enq: TX - allocate ITL entry"), _TX),
        **dict.fromkeys(("PX Deq: Execute Reply", "PX Deq: Execution Msg", "PX Deq: Table Q Normal", "PX Deq Credit: send blkd"), _QUEUE),
        **dict.fromkeys(("db file sequential read", "db file scattered read", "db file single write"), _READ),
        **dict.fromkeys(("direct path read", "direct path write"), _DIRECT),
        **dict.fromkeys(("latch: cache buffers chains", "latch free"), _LATCH),
        "DFS lock handle": ("type|mode", "id1", "id2"),
        "enq: HW - contention": ("name|mode", "table space #", "block"),
        "enq: SQ - contention": ("name|mode", "object #", "0"),
        "enq: TM - contention": ("name|mode", "object #", "table/partition"),
        "log file parallel write": ("files", "blocks", "requests"),
        "log file sync": ("buffer#", "sync scn", ""),
        "rdbms ipc message": ("timeout", "", ""),
        "row cache lock": ("cache id", "mode", "request"),
    }
)
"""What P1, P2 and P3 of a wait mean (V$EVENT_NAME's PARAMETER1 to 3), "" where they mean nothing; events missing here are not known.

Those of TX, HW, DFS lock handle, PX Deq: Execution Msg, log file sync and row cache lock were seen in WAIT lines of public SQL traces; the
others are named as usual, and were not compared with Oracle's Reference (appendix "Oracle Wait Events")."""

NAMES_SINCE_9I: Mapping[str, str] = MappingProxyType(
    {
        "global cache cr request": "gc cr request",
        "global cache null to x": "gc current request",
        "global cache s to x": "gc current request",
        "global cache open x": "gc current request",
        "global cache null to s": "gc current request",
        "global cache open s": "gc current request",
        "buffer busy global CR": "gc buffer busy",
        "buffer busy global cache": "gc buffer busy",
        "global cache busy": "gc buffer busy",
    }
)
"""What an event of 9i was called from 10g on; the two ``request`` events stand for the ones that say how it ended."""
