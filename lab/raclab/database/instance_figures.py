"""What instances counted during a live run: the growth of V$ views that know no sessions, instance by instance.

These counters are the whole instance's, so whatever else ran there is in them; the figures of sessions (live_session.py) have only
the run's own. A view that can't be read, because the release has none or nobody granted it, is left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import oracledb
import pandas as pd

from raclab.database.connect_errors import ora_code
from raclab.database.errors import UNREADABLE

if TYPE_CHECKING:
    from raclab.database.guarded import GuardedConnection


@dataclass(frozen=True)
class Counters:
    """Which columns of a view make a row out (``keys``) and which count; ``only`` restricts the rows."""

    keys: tuple[str, ...]
    counts: tuple[str, ...]
    only: str = ""

    def query(self, view: str) -> str:
        """Reads the counters of all instances."""
        columns = ", ".join(("inst_id", *self.keys, *self.counts)).lower()
        return f"select {columns} from gv${view.lower()}" + (f" where {self.only}" if self.only else "")


_TRANSFERS = tuple(
    f"{kind}_{what}{unit}" for kind in ("CR", "CURRENT") for what in ("BLOCK", "BUSY", "CONGESTED") for unit in ("", "_TIME")
)

SERVED = tuple(
    f"gc {kind} block{what}"
    for kind, work in (("cr", "build"), ("current", "pin"))
    for what in ("s served", f" {work} time", " send time", " flush time")
)
"""Statistics of the instance that serves blocks: its LMS count them, so that no session of the run has them."""

VIEWS: Mapping[str, Counters] = {
    "ROWCACHE": Counters(
        ("TYPE", "PARAMETER"), ("GETS", "GETMISSES", "MODIFICATIONS", "FLUSHES", "DLM_REQUESTS", "DLM_CONFLICTS", "DLM_RELEASES")
    ),
    "ENQUEUE_STATISTICS": Counters(
        ("EQ_NAME", "EQ_TYPE", "REQ_REASON"), ("TOTAL_REQ#", "TOTAL_WAIT#", "SUCC_REQ#", "FAILED_REQ#", "CUM_WAIT_TIME")
    ),
    "CR_BLOCK_SERVER": Counters(
        (),
        (
            "CR_REQUESTS",
            "CURRENT_REQUESTS",
            "DATA_REQUESTS",
            "UNDO_REQUESTS",
            "TX_REQUESTS",
            "OTHER_REQUESTS",
            "FAIRNESS_DOWN_CONVERTS",
            "FLUSHES",
            "LIGHT_WORKS",
            "ERRORS",
        ),
    ),
    "CURRENT_BLOCK_SERVER": Counters(
        (), tuple(f"{what}{limit}" for what in ("PIN", "FLUSH") for limit in ("0", "1", "10", "100", "1000", "10000"))
    ),
    "INSTANCE_CACHE_TRANSFER": Counters(("INSTANCE", "CLASS"), ("LOST", *_TRANSFERS)),
    "LATCH": Counters(("NAME",), ("GETS", "MISSES", "SLEEPS", "IMMEDIATE_GETS", "IMMEDIATE_MISSES", "SPIN_GETS", "WAIT_TIME")),
    "OSSTAT": Counters(("STAT_NAME",), ("VALUE",), "stat_name in ('BUSY_TIME', 'IDLE_TIME', 'USER_TIME', 'SYS_TIME')"),
    "SYSSTAT": Counters(("NAME",), ("VALUE",), f"name in ({', '.join(repr(name) for name in SERVED)})"),
}
"""The views that a live run can read; SYSSTAT goes to the measurement's statistics, the others to its views."""

Reading = Mapping[str, Mapping[tuple[Any, ...], tuple[float, ...]]]
"""By view: counters by (INST_ID, keys)."""


def read(connection: "GuardedConnection", views: Iterable[str]) -> Reading:
    """The counters as they are now. Raises oracledb.Error for anything but a view or column that can't be read."""
    found = {}
    for view in views:
        try:
            found[view] = _read(connection, view)
        except oracledb.Error as error:
            if ora_code(error) not in UNREADABLE:
                raise
    return found


def grown(before: Reading, after: Reading) -> dict[str, pd.DataFrame]:
    """Rows by view: what grew, with columns run, INST_ID, keys and counters; rows that stood still are left out.

    A counter that fell was reset in between (a restarted instance): its row counts from zero.
    """
    frames = {}
    for view, rows in after.items():
        counters = VIEWS[view]
        frame = pd.DataFrame(
            [(0, *key, *delta) for key, values in sorted(rows.items()) if any(delta := _since(before.get(view, {}).get(key), values))],
            columns=["run", "INST_ID", *counters.keys, *counters.counts],
        )
        if len(frame):
            frames[view] = frame
    return frames


def _read(connection: "GuardedConnection", view: str) -> dict[tuple[Any, ...], tuple[float, ...]]:
    counters = VIEWS[view]
    places = 1 + len(counters.keys)
    found: dict[tuple[Any, ...], tuple[float, ...]] = {}
    with connection.cursor() as cursor:
        cursor.arraysize = 1000
        cursor.execute(counters.query(view))
        for row in cursor.fetchall():
            key = (int(row[0]), *(part if part is None or isinstance(part, str) else int(part) for part in row[1:places]))
            values = tuple(float(value or 0) for value in row[places:])
            # some views have several rows of one name, as V$ROWCACHE has one for each subordinate cache
            found[key] = _added(found[key], values) if key in found else values
    return found


def _added(a: Sequence[float], b: Sequence[float]) -> tuple[float, ...]:
    return tuple(one + other for one, other in zip(a, b, strict=True))


def _since(before: Sequence[float] | None, after: tuple[float, ...]) -> tuple[float, ...]:
    if before is None or any(now < then for now, then in zip(after, before, strict=True)):
        return after
    return tuple(now - then for now, then in zip(after, before, strict=True))


def split_statistics(frames: Mapping[str, pd.DataFrame]) -> tuple[dict[str, pd.DataFrame], pd.DataFrame]:
    """The frames without SYSSTAT, and SYSSTAT's rows as those of a measurement's ``stats``."""
    views = {view: frame for view, frame in frames.items() if view != "SYSSTAT"}
    served = frames.get("SYSSTAT")
    columns = {"INST_ID": "inst_id", "NAME": "name", "VALUE": "value"}
    return views, pd.DataFrame(columns=["run", "inst_id", "name", "value"]) if served is None else served.rename(columns=columns)


SESSION_VIEWS: Mapping[str, tuple[str, ...]] = {
    "PQ_TQSTAT": ("DFO_NUMBER", "TQ_ID", "SERVER_TYPE", "NUM_ROWS", "BYTES", "WAITS", "TIMEOUTS", "PROCESS", "INSTANCE"),
}
"""Views that a session can ask about itself alone, with the columns that are read."""


def read_session(connection: "GuardedConnection", views: Iterable[str]) -> dict[str, list[tuple[Any, ...]]]:
    """Rows by view, of the session that asks. Views that can't be read are left out."""
    found = {}
    for view in views:
        with connection.cursor() as cursor:
            try:
                cursor.execute(f"select {', '.join(SESSION_VIEWS[view]).lower()} from v${view.lower()}")
                found[view] = [tuple(value.strip() if isinstance(value, str) else value for value in row) for row in cursor.fetchall()]
            except oracledb.Error as error:
                if ora_code(error) not in UNREADABLE:
                    raise
    return found
