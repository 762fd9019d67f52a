"""A run of the sequence test case as rows of further V$ views, under Oracle's column names.

Only columns that the simulation knows; the lab database leaves the others null. Units are Oracle's own.
"""

import pandas as pd

from raclab.cluster.common_views import views_of
from raclab.cluster.frames import ledger, refills
from raclab.cluster.sequences import Built
from raclab.cluster.served import calls, served
from raclab.sim import Run

MILLISECONDS = 1000.0


def of(built: Built, run: Run) -> dict[str, pd.DataFrame]:
    """All of them, by the view's name without V$ or GV$."""
    return views_of(ledger(built), run) | {
        "ROWCACHE": rowcache(built, run),
        "ENQUEUE_STATISTICS": enqueue_statistics(built, run),
    }


def rowcache(built: Built, run: Run) -> pd.DataFrame:
    """V$ROWCACHE's line for dc_sequences on each instance."""
    rows, fetched = [], refills(ledger(built), run)
    passed_on = served(built.model, run) - calls(built.model, run)
    event = built.model.events.index("row cache lock")
    for node in range(built.case.nodes):
        mine = built.processes_on(node)
        changes = int(fetched[mine].sum())
        asked = int(run.waits[mine, event]["hits"].sum())
        given = int(passed_on[built.cluster.lck + node])
        rows.append((0, node + 1, "PARENT", "dc_sequences", changes, asked, changes, changes, asked, given, given))
    columns = "run INST_ID TYPE PARAMETER GETS GETMISSES MODIFICATIONS FLUSHES DLM_REQUESTS DLM_CONFLICTS DLM_RELEASES"
    return pd.DataFrame(rows, columns=columns.split())


def enqueue_statistics(built: Built, run: Run) -> pd.DataFrame:
    """V$ENQUEUE_STATISTICS' line for the sequence's own lock: SV with CACHE and ORDER, SQ with CACHE alone, none with NOCACHE."""
    case = built.case
    columns = [
        "run",
        "INST_ID",
        "EQ_NAME",
        "EQ_TYPE",
        "REQ_REASON",
        "TOTAL_REQ#",
        "TOTAL_WAIT#",
        "SUCC_REQ#",
        "FAILED_REQ#",
        "CUM_WAIT_TIME",
    ]
    if case.cache <= 1:
        return pd.DataFrame([], columns=columns)
    name, kind, event = ("Sequence Ordering", "SV", "DFS lock handle") if case.order else ("Sequence Cache", "SQ", "enq: SQ - contention")
    rows, fetched = [], refills(ledger(built), run)
    for node in range(case.nodes):
        mine = built.processes_on(node)
        waits = run.waits[mine, built.model.events.index(event)]
        waited = int(waits["hits"].sum())
        asked = case.rows * len(mine) if case.order else int(fetched[mine].sum()) + waited
        milliseconds = MILLISECONDS * float(waits["time"].sum())
        rows.append((0, node + 1, name, kind, "contention", asked, waited, asked, 0, milliseconds))
    return pd.DataFrame(rows, columns=columns)
