"""One session of a live run: its own figures before and after the workload, and the difference as rows of a measurement.

Figures are those that Oracle keeps for the session itself, so nobody else's work is in them. What the second reading costs is
partly in them: a few milliseconds.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from raclab.database.instance_figures import SESSION_VIEWS, read_session

if TYPE_CHECKING:
    import oracledb

    from raclab.database.guarded import GuardedConnection

WHO = "select sys_context('userenv', 'sid'), sys_context('userenv', 'instance'), sys_context('userenv', 'db_unique_name') from dual"
WAITS = "select event, wait_class, total_waits, time_waited_micro, max_wait from v$session_event where sid = :sid"
STATS = "select n.name, s.value from v$sesstat s join v$statname n on n.statistic# = s.statistic# where s.sid = :sid and s.value <> 0"
CPU = "CPU used by this session"
CENTISECONDS = 100.0
MICROSECONDS = 1_000_000.0

GAUGES = frozenset(
    {
        "logons current",
        "opened cursors current",
        "pinned cursors current",
        "process last non-idle time",
        "session connect time",
        "session cursor cache count",
        "session pga memory",
        "session pga memory max",
        "session stored procedure space",
        "session uga memory",
        "session uga memory max",
        "workarea memory allocated",
    }
)
"""Statistics that tell a state and do not count: a difference, or a sum over sessions, of these means nothing."""


@dataclass(frozen=True)
class Instance:
    """An open instance: INST_ID and INSTANCE_NAME."""

    inst_id: int
    name: str


@dataclass(frozen=True)
class Identity:
    """What a connection leads to: its SID, the INST_ID and the db_unique_name."""

    sid: int
    inst_id: int
    database: str


@dataclass(frozen=True)
class Snapshot:
    """waits by event: (wait_class, total_waits, time_s, max_s); stats by name, in V$SESSTAT's own units."""

    waits: Mapping[str, tuple[str, int, float, float]]
    stats: Mapping[str, float]


@dataclass(frozen=True)
class Finished:
    """A session that ran to its end: calls, elapsed_s by this machine's clock, figures before and after, rows of its own views."""

    instance: Instance
    number: int
    calls: int
    elapsed_s: float
    before: Snapshot
    after: Snapshot
    views: Mapping[str, Sequence[tuple[Any, ...]]] = field(default_factory=dict)

    def session_row(self) -> dict[str, Any]:
        """The row of the frame ``sessions``; CPU in steps of 10 ms, as Oracle counts it."""
        cpu = self.after.stats.get(CPU, 0.0) - self.before.stats.get(CPU, 0.0)
        return {**self._key(), "calls": self.calls, "cpu_s": cpu / CENTISECONDS, "elapsed_s": self.elapsed_s}

    def wait_rows(self) -> list[dict[str, Any]]:
        """Rows of the frame ``waits``, one an event that was waited for, without the class Idle.

        Oracle keeps a session's longest wait since its logon: ``max_s`` is missing where that may be older than the run.
        """
        rows = []
        for event, (wait_class, waits, time_s, max_s) in self.after.waits.items():
            _, waits_before, time_before, max_before = self.before.waits.get(event, ("", 0, 0.0, 0.0))
            if wait_class == "Idle" or waits <= waits_before:
                continue
            known = waits_before == 0 or max_s > max_before
            rows.append(
                {
                    **self._key(),
                    "event": event,
                    "wait_class": wait_class,
                    "total_waits": waits - waits_before,
                    "time_s": time_s - time_before,
                    "max_s": max_s if known else float("nan"),
                }
            )
        return rows

    def stat_deltas(self) -> dict[str, float]:
        """What each counting statistic grew by, by name; without those that stood still."""
        grown = {name: value - self.before.stats.get(name, 0.0) for name, value in self.after.stats.items() if name not in GAUGES}
        return {name: delta for name, delta in grown.items() if delta}

    def view_rows(self, view: str) -> list[dict[str, Any]]:
        """Rows of one of the views that the session read for itself."""
        columns = SESSION_VIEWS[view]
        return [{"run": 0, "INST_ID": self.instance.inst_id, **dict(zip(columns, row, strict=True))} for row in self.views.get(view, ())]

    def _key(self) -> dict[str, int]:
        return {"run": 0, "inst_id": self.instance.inst_id, "session": self.number}


@dataclass(frozen=True)
class LiveSession:
    """A connected session: where it is, its number there (from 1), its SID."""

    instance: Instance
    number: int
    connection: "GuardedConnection"
    sid: int

    def __str__(self) -> str:
        return f"session {self.number} on instance {self.instance.inst_id}"

    def snapshot(self) -> Snapshot:
        """The session's own figures as they are now."""
        with self.connection.cursor() as cursor:
            cursor.arraysize = 1000
            cursor.execute(WAITS, sid=self.sid)
            waits = {
                str(event): (str(wait_class), int(count), float(micro or 0) / MICROSECONDS, float(longest or 0) / CENTISECONDS)
                for event, wait_class, count, micro, longest in cursor.fetchall()
            }
            cursor.execute(STATS, sid=self.sid)
            return Snapshot(waits, {str(name): float(value) for name, value in cursor.fetchall()})

    def work(self, load: "Load", values: Mapping[str, Any], before: Snapshot) -> Finished:
        """Do the session's part of the workload and read the figures again."""
        started = time.perf_counter()
        calls = sum(execute(self.connection, statement, values) for statement in load.statements)
        if load.array:
            calls += self._insert_arrays(load.array, values)
        elapsed_s = time.perf_counter() - started
        after = self.snapshot()
        return Finished(self.instance, self.number, calls, elapsed_s, before, after, read_session(self.connection, load.views))

    def _insert_arrays(self, statement: str, values: Mapping[str, Any]) -> int:
        """Execute an INSERT for ``rows_per_session`` rows, ``lever_bulk`` of them a call, each call with its commit; the rows."""
        rows, bulk, client = int(values["rows_per_session"]), int(values["lever_bulk"]), int(values["my_number"])
        self.connection.autocommit = True  # the commit goes along with the call: one round trip
        with self.connection.cursor() as cursor:
            for first in range(1, rows + 1, bulk):
                cursor.executemany(statement, [(client, row) for row in range(first, min(first + bulk, rows + 1))])
        return rows


@dataclass(frozen=True)
class Load:
    """What a session does: statements one after the other, or the array INSERT, then the views it reads for itself."""

    statements: Sequence[str] = ()
    array: str = ""
    views: Sequence[str] = ()


def identity(connection: "oracledb.Connection") -> Identity:
    """Ask what a connection leads to."""
    with connection.cursor() as cursor:
        cursor.execute(WHO)
        sid, inst_id, database = cursor.fetchone()
    return Identity(int(sid), int(inst_id), str(database or ""))


def execute(connection: "GuardedConnection", statement: str, values: Mapping[str, Any]) -> int:
    """Execute one statement of a script with those of ``values`` that it binds; what it gives back in :calls, else 0.

    Raises ScriptError for a bind without a value.
    """
    from raclab.database.workload import ScriptError

    with connection.cursor() as cursor:
        cursor.prepare(statement)
        names = [name.lower() for name in cursor.bindnames()]
        if unknown := set(names) - set(values) - {"calls"}:
            raise ScriptError(
                f"The workload binds {', '.join(sorted(unknown))}, which no lever has: restore the script from the repository."
            )
        bound = {name: values[name] for name in names if name != "calls"}
        if "calls" not in names:
            cursor.execute(None, bound)
            return 0
        calls = cursor.var(int)
        cursor.execute(None, {**bound, "calls": calls})
        return int(calls.getvalue() or 0)
