"""A snapshot: what the counters of all instances showed at one moment, and which of them it keeps."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Kept:
    """What a snapshot keeps of a GV$ view.

    keys      columns that tell the rows of an instance apart; none where an instance has one row
    counters  columns that only grow until the instance is restarted
    belongs   columns that go with the keys
    where     which rows are worth keeping, as a condition in SQL; a row that is not there counts as zeros
    """

    keys: tuple[str, ...]
    counters: tuple[str, ...]
    belongs: tuple[str, ...] = ()
    where: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """All of them, keys first, without INST_ID."""
        return (*self.keys, *self.belongs, *self.counters)

    def query(self, view: str) -> str:
        """The SELECT that reads the rows of all instances, in plain SQL that Oracle takes."""
        condition = f" where {self.where}" if self.where else ""
        return f"select inst_id, {', '.join(self.columns).lower()} from gv${view.lower()}{condition}"


_FG = ("TOTAL_WAITS_FG", "TOTAL_TIMEOUTS_FG", "TIME_WAITED_MICRO_FG")
_HOPS = tuple(
    f"{kind}_{what}{ending}"
    for kind in ("CR", "CURRENT")
    for what in ("BLOCK", "2HOP", "3HOP", "BUSY", "CONGESTED")
    for ending in ("", "_TIME")
)
_CR_SERVED = (
    *("CR_REQUESTS", "CURRENT_REQUESTS", "DATA_REQUESTS", "UNDO_REQUESTS", "TX_REQUESTS", "OTHER_REQUESTS"),
    *("CURRENT_RESULTS", "PRIVATE_RESULTS", "ZERO_RESULTS", "DISK_READ_RESULTS", "FAIL_RESULTS"),
    *("FAIRNESS_DOWN_CONVERTS", "FAIRNESS_CLEARS", "FREE_GC_ELEMENTS", "FLUSHES", "FLUSHES_QUEUED", "FLUSH_QUEUE_FULL"),
    *("LIGHT_WORKS", "ERRORS"),
)
_POWERS = ("1", "10", "100", "1000", "10000")
_CURRENT_SERVED = (
    *(f"PIN{time}" for time in ("0", *_POWERS)),
    *(f"FLUSH{time}" for time in ("0", *_POWERS)),
    *(f"WRITE{time}" for time in _POWERS),
)
_ROW_CACHE = ("GETS", "GETMISSES", "SCANS", "SCANMISSES", "MODIFICATIONS", "FLUSHES", "DLM_REQUESTS", "DLM_CONFLICTS", "DLM_RELEASES")
_LATCH = ("GETS", "MISSES", "SLEEPS", "IMMEDIATE_GETS", "IMMEDIATE_MISSES", "SPIN_GETS", "WAIT_TIME")
_PING = tuple(f"{what}_{size}" for size in ("500B", "8K") for what in ("COUNT", "WAIT_TIME"))

KEPT: Mapping[str, Kept] = {
    "SYSTEM_EVENT": Kept(
        ("EVENT",), ("TOTAL_WAITS", "TOTAL_TIMEOUTS", "TIME_WAITED_MICRO", *_FG), ("EVENT_ID", "WAIT_CLASS_ID", "WAIT_CLASS")
    ),
    "SYSSTAT": Kept(("NAME",), ("VALUE",), ("STAT_ID", "CLASS")),
    "SYS_TIME_MODEL": Kept(("STAT_NAME",), ("VALUE",)),
    "OSSTAT": Kept(("STAT_NAME",), ("VALUE",)),
    "EVENT_HISTOGRAM_MICRO": Kept(("EVENT", "WAIT_TIME_MICRO"), ("WAIT_COUNT",), where="wait_count > 0"),
    "CR_BLOCK_SERVER": Kept((), _CR_SERVED),
    "CURRENT_BLOCK_SERVER": Kept((), _CURRENT_SERVED),
    "INSTANCE_CACHE_TRANSFER": Kept(("INSTANCE", "CLASS"), ("LOST", "LOST_TIME", *_HOPS)),
    "INSTANCE_PING": Kept(("INSTANCE",), _PING),
    "ENQUEUE_STATISTICS": Kept(
        ("EQ_TYPE", "REQ_REASON", "EQ_NAME"), ("TOTAL_REQ#", "TOTAL_WAIT#", "SUCC_REQ#", "FAILED_REQ#", "CUM_WAIT_TIME")
    ),
    "ROWCACHE": Kept(("PARAMETER", "TYPE", "SUBORDINATE#"), _ROW_CACHE),
    "LATCH": Kept(("NAME",), _LATCH, where="gets > 0 or immediate_gets > 0"),
    "SEGMENT_STATISTICS": Kept(
        ("OWNER", "OBJECT_NAME", "SUBOBJECT_NAME", "OBJECT_TYPE", "STATISTIC_NAME"), ("VALUE",), ("TABLESPACE_NAME",), where="value > 0"
    ),
}
"""What is kept, by the view's name without GV$."""


def adds_up(os_statistic: str) -> bool:
    """Whether a statistic of V$OSSTAT is a counter."""
    return os_statistic.endswith("_TIME") or os_statistic.startswith("VM_")


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The counters of all instances at one moment.

    number     1 for a lab's first
    name       what whoever took it called it, "" if nothing
    taken      the cluster's own clock
    runs       how many simulated runs the cluster had seen; 0 for a real database
    instances  INST_ID, INSTANCE_NAME, HOST_NAME, STARTUP_TIME, and START: which start of the cluster it was, where that is known
    database   V$DATABASE's line: NAME, DBID, DB_UNIQUE_NAME, DATABASE_ROLE, CDB, PLATFORM_NAME, and VERSION of V$INSTANCE
    views      INST_ID and what KEPT names, by view; a view that can't be read is not there
    """

    number: int
    name: str
    taken: datetime.datetime
    runs: int
    instances: "pd.DataFrame"
    database: Mapping[str, str]
    views: "Mapping[str, pd.DataFrame]" = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The number, with the name if there is one."""
        return f"{self.number} ({self.name})" if self.name else str(self.number)
