"""What the sessions of a live run measured, as one Measurement."""

import datetime
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from raclab.database.live_session import Finished
from raclab.evidence.measurement import SESSION_COLUMNS, STAT_COLUMNS, WAIT_COLUMNS, Kind, Measurement, Source

if TYPE_CHECKING:
    import oracledb

VERSION = "select banner from v$version"


def version_of(connection: "oracledb.Connection") -> str:
    """The database's banner and full version: no name of a host, a database or a user is in it."""
    with connection.cursor() as cursor:
        cursor.execute(VERSION)
        row = cursor.fetchone()
    banner = str(row[0]) if row else "Oracle Database"
    return banner if connection.version in banner else f"{banner} ({connection.version})"


def live_source(kind: Kind, slug: str, version: str) -> Source:
    """The source of a live run of today."""
    return Source(kind, f"Live run of {slug}", datetime.date.today().year, version, "not stated")


def live_measurement(source: Source, case: str, levers: Mapping[str, object], finished: Sequence[Finished]) -> Measurement:
    """The figures of the finished sessions; ``stats`` are the sessions' own, added up over each instance."""
    ordered = sorted(finished, key=lambda one: (one.instance.inst_id, one.number))
    stats: dict[tuple[int, str], float] = {}
    for one in ordered:
        for name, delta in one.stat_deltas().items():
            key = (one.instance.inst_id, name)
            stats[key] = stats.get(key, 0.0) + delta
    stat_rows = [{"run": 0, "inst_id": inst_id, "name": name, "value": value} for (inst_id, name), value in sorted(stats.items())]
    return Measurement(
        source,
        case,
        levers,
        _frame([one.session_row() for one in ordered], SESSION_COLUMNS),
        _frame([row for one in ordered for row in one.wait_rows()], WAIT_COLUMNS),
        _frame(stat_rows, STAT_COLUMNS),
    )


def _frame(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame([dict(row) for row in rows], columns=list(columns))
