"""A run of the two organizations' batch as rows of further V$ views, under Oracle's column names and in Oracle's units.

Only columns that the simulation knows; the lab database leaves the others null.
"""

import numpy as np
import pandas as pd

from raclab.cluster.ash_frame import history_of
from raclab.cluster.block_frames import flushes, threads_on, waited
from raclab.cluster.organizations import CHANGE, INDEX, READ, Built
from raclab.sim import Run

MICROSECONDS = 1e6
STATEMENTS = {
    READ: "SELECT status, amount FROM orders WHERE org_id = :org AND order_id = :id",
    CHANGE: "UPDATE orders SET status = :status WHERE org_id = :org AND order_id = :id",
    INDEX: "INSERT INTO order_log VALUES (:log_id, :org, :id, :status)",
}
_FLUSH_LIMITS_S = (100e-6, 1e-3, 10e-3, 100e-3, 1.0)  # FLUSH0: below 100 us, FLUSH1: below 1 ms, ...
_FLUSH_COLUMNS = ("FLUSH0", "FLUSH1", "FLUSH10", "FLUSH100", "FLUSH1000", "FLUSH10000")
_HOPS = {"2HOP": "2-way", "3HOP": "3-way", "BUSY": "busy"}


def of(built: Built, run: Run) -> dict[str, pd.DataFrame]:
    """All of them, by the view's name without V$ or GV$."""
    return {
        "CR_BLOCK_SERVER": cr_block_server(built, run),
        "CURRENT_BLOCK_SERVER": current_block_server(built, run),
        "INSTANCE_CACHE_TRANSFER": instance_cache_transfer(built, run),
        "ACTIVE_SESSION_HISTORY": active_session_history(built, run),
    }


def cr_block_server(built: Built, run: Run) -> pd.DataFrame:
    """V$CR_BLOCK_SERVER: copies served, flushes for them, and how often a holder stepped down from X to S."""
    state = built.fusion.directory
    rows = []
    for node in range(built.case.nodes):
        served, flushed, down = (int(run.cells[first + node]) for first in (state.served_cr, state.flushed_cr, state.stepped_down))
        rows.append((0, node + 1, served, 0, served, 0, 0, 0, down, flushed))
    asked = ["CR_REQUESTS", "CURRENT_REQUESTS", "DATA_REQUESTS", "UNDO_REQUESTS", "TX_REQUESTS", "OTHER_REQUESTS"]
    return pd.DataFrame(rows, columns=["run", "INST_ID", *asked, "FAIRNESS_DOWN_CONVERTS", "FLUSHES"])


def current_block_server(built: Built, run: Run) -> pd.DataFrame:
    """V$CURRENT_BLOCK_SERVER's flushes. Only their number and sum are known, so all stand in the column of their mean."""
    rows = []
    for node in range(built.case.nodes):
        count, seconds = flushes(built, run, node, "current")
        place = int(np.searchsorted(_FLUSH_LIMITS_S, seconds / count, side="right")) if count else 0
        rows.append((0, node + 1, *(count if column == place else 0 for column in range(len(_FLUSH_COLUMNS)))))
    return pd.DataFrame(rows, columns=["run", "INST_ID", *_FLUSH_COLUMNS])


def instance_cache_transfer(built: Built, run: Run) -> pd.DataFrame:
    """V$INSTANCE_CACHE_TRANSFER, times in microseconds. With two nodes, what one receives is from the other."""
    rows = []
    for node in range(built.case.nodes):
        for other in range(built.case.nodes):
            if other == node:
                continue
            row: dict[str, object] = {
                "run": 0,
                "INST_ID": node + 1,
                "INSTANCE": other + 1,
                "CLASS": "data block",
                "LOST": 0,
                "LOST_TIME": 0,
            }
            for kind in ("cr", "current"):
                names = {"BLOCK": f"gc {kind} block"} | {hop: f"gc {kind} block {way}" for hop, way in _HOPS.items()}
                for column, event in names.items():
                    count, seconds = waited(built, run, threads_on(built, node), event)
                    row |= {f"{kind.upper()}_{column}": count, f"{kind.upper()}_{column}_TIME": round(MICROSECONDS * seconds)}
            rows.append(row)
    columns = ["run", "INST_ID", "INSTANCE", "CLASS"]
    return pd.DataFrame(rows, columns=None if rows else columns)


def active_session_history(built: Built, run: Run) -> pd.DataFrame:
    """V$ACTIVE_SESSION_HISTORY: what each thread did at each sample; SAMPLE_S is seconds since the run began."""
    sessions = [(node, number, process) for node, number, _, process, _ in built.sessions]
    return history_of(built.model, sessions, STATEMENTS, run)
