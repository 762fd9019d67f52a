"""The instances' background processes: those that the simulation knows, each with a session of its own."""

import datetime
from collections.abc import Iterable

import duckdb

from raclab.oracle_names import IDLE_EVENTS

AT_START = ("LGWR", "LMD0", "LMS0", "LCK0")


def start(root: duckdb.DuckDBPyConnection, processes: Iterable[tuple[int, str, int]], now: datetime.datetime) -> None:
    """Start processes: (instance, name, SID) of each."""
    started = list(processes)
    if started:
        instances, names, numbers = (list(column) for column in zip(*started, strict=True))
        idle = [IDLE_EVENTS[name.rstrip("0123456789")] for name in names]
        columns = [instances, numbers, names, idle, now]
        root.execute("INSERT INTO cluster.background SELECT unnest($1), unnest($2), unnest($3), unnest($4), $5, $5", columns)


def sids(root: duckdb.DuckDBPyConnection) -> dict[tuple[int, str], int]:
    """The SID of each, by instance and name."""
    return {(inst, name): sid for inst, name, sid in root.execute("SELECT inst_id, pname, sid FROM cluster.background").fetchall()}
