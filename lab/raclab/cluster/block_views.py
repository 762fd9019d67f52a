"""A run of the two organizations' batch as rows of further V$ views, under Oracle's column names and in Oracle's units.

Only columns that the simulation knows; the lab database leaves the others null.
"""

import numpy as np
import pandas as pd

from raclab.cluster.block_frames import flushes, ledger, threads_on
from raclab.cluster.common_views import views_of
from raclab.cluster.organizations import Built
from raclab.sim import Run

MICROSECONDS = 1e6
_FLUSH_LIMITS_S = (100e-6, 1e-3, 10e-3, 100e-3, 1.0)  # FLUSH0: below 100 us, FLUSH1: below 1 ms, ...
_FLUSH_COLUMNS = ("FLUSH0", "FLUSH1", "FLUSH10", "FLUSH100", "FLUSH1000", "FLUSH10000")
_HOPS = {"2HOP": "2-way", "3HOP": "3-way", "BUSY": "busy"}


def of(built: Built, run: Run) -> dict[str, pd.DataFrame]:
    """All of them, by the view's name without V$ or GV$."""
    return views_of(ledger(built), run) | {
        "CR_BLOCK_SERVER": cr_block_server(built, run),
        "CURRENT_BLOCK_SERVER": current_block_server(built, run),
        "INSTANCE_CACHE_TRANSFER": instance_cache_transfer(built, run),
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
    for node, (flushed, seconds) in enumerate(flushes(built, run, "current").T):
        count = int(flushed)
        place = int(np.searchsorted(_FLUSH_LIMITS_S, seconds / count, side="right")) if count else 0
        rows.append((0, node + 1, *(count if column == place else 0 for column in range(len(_FLUSH_COLUMNS)))))
    return pd.DataFrame(rows, columns=["run", "INST_ID", *_FLUSH_COLUMNS])


def instance_cache_transfer(built: Built, run: Run) -> pd.DataFrame:
    """V$INSTANCE_CACHE_TRANSFER, times in microseconds. With two nodes, what one receives is from the other.

    With more it is not known which block came from which node: what a node received is shared out among the others by the blocks
    that each of them served.
    """
    rows: dict[tuple[int, int], dict[str, object]] = {
        (node, other): {"run": 0, "INST_ID": node + 1, "INSTANCE": other + 1, "CLASS": "data block", "LOST": 0, "LOST_TIME": 0}
        for node in range(built.case.nodes)
        for other in range(built.case.nodes)
        if other != node
    }
    whose, state = ledger(built), built.fusion.directory
    for kind, first in (("cr", state.served_cr), ("current", state.served_current)):
        served = run.cells[first : first + built.case.nodes]
        for node in range(built.case.nodes):
            others = [other for other in range(built.case.nodes) if other != node]
            blocks, micros = np.zeros(len(others), dtype=int), np.zeros(len(others), dtype=int)
            found = {}
            for hop, way in _HOPS.items():
                count, seconds = whose.waited(run, threads_on(built, node), f"gc {kind} block {way}")
                found[hop] = shares(count, served[others]), shares(round(MICROSECONDS * seconds), served[others])
                blocks, micros = blocks + found[hop][0], micros + found[hop][1]
            for what, (counts, times) in ({"BLOCK": (blocks, micros)} | found).items():
                column = f"{kind.upper()}_{what}"
                for other, count, micro in zip(others, counts.tolist(), times.tolist(), strict=True):
                    rows[node, other] |= {column: count, f"{column}_TIME": micro}
    return pd.DataFrame(list(rows.values()), columns=None if rows else ["run", "INST_ID", "INSTANCE", "CLASS"])


def shares(total: int, weights: np.ndarray) -> np.ndarray:
    """A whole number shared out by weights, evenly where all are zero, in whole numbers that add up to it."""
    if not len(weights):
        return np.zeros(0, dtype=int)
    up_to = np.cumsum(weights if weights.sum() else np.ones(len(weights)))
    return np.diff(np.floor(int(total) * up_to / up_to[-1] + 0.5).astype(int), prepend=0)
