"""What the sessions of a live run measured, as one Measurement."""

import datetime
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import oracledb
import pandas as pd

from raclab.database.connect_errors import ora_code
from raclab.database.errors import UNREADABLE
from raclab.database.instance_figures import split_statistics
from raclab.database.live_session import Finished
from raclab.evidence.measurement import NOT_STATED, SESSION_COLUMNS, STAT_COLUMNS, WAIT_COLUMNS, Kind, Measurement, Source

if TYPE_CHECKING:
    from raclab.database.guarded import GuardedConnection

VERSION = "select banner from v$version"
PLATFORM = "select platform_name from v$database"
MACHINE = "select stat_name, value from v$osstat where stat_name in ('NUM_CPUS', 'PHYSICAL_MEMORY_BYTES')"
GIGABYTE = 2**30


def version_of(connection: oracledb.Connection) -> str:
    """The database's banner and full version: no name of a host, a database or a user is in it."""
    with connection.cursor() as cursor:
        cursor.execute(VERSION)
        row = cursor.fetchone()
    banner = str(row[0]) if row else "Oracle Database"
    return banner if connection.version in banner else f"{banner} ({connection.version})"


def machine_of(connection: "GuardedConnection") -> str:
    """The database server's class: platform, CPUs, memory in GB; "not stated" where that can't be read. No name is in it."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(PLATFORM)
            platform = [str(row[0]) for row in cursor.fetchall()]
            cursor.execute(MACHINE)
            size = {str(name): float(value) for name, value in cursor.fetchall()}
    except oracledb.Error as error:
        if ora_code(error) not in UNREADABLE:
            raise
        return NOT_STATED
    cpus, memory = size.get("NUM_CPUS"), size.get("PHYSICAL_MEMORY_BYTES")
    parts = [*platform[:1], *([f"{cpus:g} CPUs"] if cpus else []), *([f"{memory / GIGABYTE:.0f} GB"] if memory else [])]
    return ", ".join(parts) or NOT_STATED


def live_source(kind: Kind, slug: str, version: str, machine: str = NOT_STATED) -> Source:
    """The source of a live run of today."""
    return Source(kind, f"Live run of {slug}", datetime.date.today().year, version, machine)


def live_measurement(
    source: Source,
    case: str,
    levers: Mapping[str, object],
    finished: Sequence[Finished],
    instances: Mapping[str, pd.DataFrame] | None = None,
) -> Measurement:
    """The figures of the finished sessions.

    ``stats`` are the sessions' own, added up over each instance; what LMS counts there (SERVED) and ``views`` are from ``instances``,
    what the instances' counters grew by (instance_figures.grown), and from the views that the sessions read for themselves.
    """
    ordered = sorted(finished, key=lambda one: (one.instance.inst_id, one.number))
    stats: dict[tuple[int, str], float] = {}
    for one in ordered:
        for name, delta in one.stat_deltas().items():
            key = (one.instance.inst_id, name)
            stats[key] = stats.get(key, 0.0) + delta
    stat_rows = [{"run": 0, "inst_id": inst_id, "name": name, "value": value} for (inst_id, name), value in sorted(stats.items())]
    views, served = split_statistics(instances or {})
    read_by_sessions = {view for one in ordered for view, rows in one.views.items() if rows}
    own = {view: pd.DataFrame([row for one in ordered for row in one.view_rows(view)]) for view in sorted(read_by_sessions)}
    return Measurement(
        source,
        case,
        levers,
        _frame([one.session_row() for one in ordered], SESSION_COLUMNS),
        _frame([row for one in ordered for row in one.wait_rows()], WAIT_COLUMNS),
        pd.concat([_frame(stat_rows, STAT_COLUMNS), served], ignore_index=True) if len(served) else _frame(stat_rows, STAT_COLUMNS),
        views | own,
    )


def _frame(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame([dict(row) for row in rows], columns=list(columns))
