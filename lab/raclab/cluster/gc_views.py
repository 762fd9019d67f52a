"""Runs of a workload of block requests as rows of further V$ views, under Oracle's column names and in Oracle's units.

Only columns that the simulation knows; the lab database leaves the others null. Of pins it knows what all took together (in
``stats``), not each, so V$CURRENT_BLOCK_SERVER has no PIN columns. No wait is called "congested": the model doesn't name an event
after what it has met on its way.
"""

import numpy as np
import pandas as pd

from raclab.cluster.common_views import views_of
from raclab.cluster.gc_frames import Accounts, ledger
from raclab.cluster.gc_requests import KINDS, Built
from raclab.sim import Run

MICROSECONDS = 1e6
_FLUSH_LIMITS_S = (100e-6, 1e-3, 10e-3, 100e-3, 1.0, 10.0)  # FLUSH0: below 100 us, FLUSH1: below 1 ms, ... FLUSH10000: below 10 s
_FLUSH_COLUMNS = ("FLUSH0", "FLUSH1", "FLUSH10", "FLUSH100", "FLUSH1000", "FLUSH10000")


def block_servers(built: Built, accounts: Accounts, runs: list[Run]) -> dict[str, pd.DataFrame]:
    """CR_BLOCK_SERVER and CURRENT_BLOCK_SERVER, a row a run and instance."""
    cr, current = [], []
    for number, run in enumerate(runs):
        flows = accounts.flows(run)
        for node in range(built.load.nodes):
            given = [flow for flow in flows if flow.server == node and flow.kind == "cr"]
            blocks, flushes = sum(flow.blocks for flow in given), sum(flow.flushes for flow in given)
            cr.append((number, node + 1, blocks, 0, blocks, 0, 0, 0, flushes))
            current.append((number, node + 1, *_flush_histogram(built, run, node)))
    asked = ["CR_REQUESTS", "CURRENT_REQUESTS", "DATA_REQUESTS", "UNDO_REQUESTS", "TX_REQUESTS", "OTHER_REQUESTS", "FLUSHES"]
    return {
        "CR_BLOCK_SERVER": pd.DataFrame(cr, columns=["run", "INST_ID", *asked]),
        "CURRENT_BLOCK_SERVER": pd.DataFrame(current, columns=["run", "INST_ID", *_FLUSH_COLUMNS]),
    }


def _flush_histogram(built: Built, run: Run, node: int) -> list[int]:
    """How many flushes for current blocks took how long; one above 10 s counts as the longest kind."""
    mine = [process.number for _, server, _, process in built.sessions if server == node]
    notes = run.notes[np.isin(run.notes["process"], mine)]
    notes = notes[np.argsort(notes["process"], kind="stable")]  # a session's notes: begin, end, begin, end ...
    begin, end = notes[0::2], notes[1::2]
    took = (end["time"] - begin["time"])[begin["value"] == KINDS.index("current")]
    place = np.minimum(np.searchsorted(_FLUSH_LIMITS_S, took, side="right"), len(_FLUSH_COLUMNS) - 1)
    return np.bincount(place, minlength=len(_FLUSH_COLUMNS)).tolist()  # type: ignore[no-any-return]


def of_one_run(built: Built, run: Run) -> dict[str, pd.DataFrame]:
    """The views that need a single run, by the view's name without V$ or GV$."""
    return views_of(ledger(built), run) | {"INSTANCE_CACHE_TRANSFER": instance_cache_transfer(built, run)}


def instance_cache_transfer(built: Built, run: Run) -> pd.DataFrame:
    """V$INSTANCE_CACHE_TRANSFER: who got what from whom; times in microseconds.

    Oracle's text calls CR_BLOCK the transfers that nothing delayed, and CR_BLOCK_TIME the time of all. Here both are of all, so that
    their quotient is an average.
    """
    rows = []
    for requester, server in built.load.asks:
        mine = [process.number for at, of, _, process in built.sessions if (at, of) == (requester, server)]
        row: dict[str, object] = {
            "run": 0,
            "INST_ID": requester + 1,
            "INSTANCE": server + 1,
            "CLASS": "data block",
            "LOST": 0,
            "LOST_TIME": 0,
        }
        for kind in KINDS:
            found = {"BLOCK": (0, 0.0), "2HOP": (0, 0.0), "3HOP": (0, 0.0), "BUSY": (0, 0.0)}
            for number, event in enumerate(built.model.events):
                if event.startswith(f"gc {kind} block"):
                    column = {"2-way": "2HOP", "3-way": "3HOP", "busy": "BUSY"}[event.split()[-1]]
                    tally = run.waits[mine, number]
                    counted = int(tally["hits"].sum()), MICROSECONDS * float(tally["time"].sum())
                    found[column] = counted
                    found["BLOCK"] = found["BLOCK"][0] + counted[0], found["BLOCK"][1] + counted[1]
            for column, (count, micro) in found.items():
                row |= {f"{kind.upper()}_{column}": count, f"{kind.upper()}_{column}_TIME": round(micro)}
        rows.append(row)
    return pd.DataFrame(rows)
