"""The instances' background processes: those that the simulation knows, each with a session of its own."""

import datetime
from collections.abc import Iterable

import duckdb

from raclab.oracle_names import IDLE_EVENTS

AT_START = ("LGWR", "LMD0", "LMS0", "LCK0")


def start(root: duckdb.DuckDBPyConnection, instance: int, names: Iterable[tuple[str, int]], now: datetime.datetime) -> None:
    """Start processes on an instance: (name, SID) of each."""
    rows = []
    for name, sid in names:
        rows.append((instance, sid, name, IDLE_EVENTS[name.rstrip("0123456789")], now, now))
    root.executemany("INSERT INTO cluster.background VALUES ($1, $2, $3, $4, $5, $6)", rows)


def sids(root: duckdb.DuckDBPyConnection) -> dict[tuple[int, str], int]:
    """The SID of each, by instance and name."""
    return {(inst, name): sid for inst, name, sid in root.execute("SELECT inst_id, pname, sid FROM cluster.background").fetchall()}
