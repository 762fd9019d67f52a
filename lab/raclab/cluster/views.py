"""A run of the sequence test case as rows of further V$ views, under Oracle's column names.

Only columns that the simulation knows; the lab database leaves the others null. Units are Oracle's own.
"""

import pandas as pd

from raclab.cluster.ash_frame import history_of
from raclab.cluster.frames import calls, served
from raclab.cluster.sequences import INSERT, NEXTVAL, Built
from raclab.sim import Run, ops

MILLISECONDS = 1000.0

STATEMENTS = {
    INSERT: "INSERT INTO T1 VALUES (T1_SEQ.NEXTVAL, :payload)",
    # Oracle's own recursive statement, as it stands in any trace
    NEXTVAL: "update seq$ set increment$=:2,minvalue=:3,maxvalue=:4,cycle#=:5,order$=:6,cache=:7,"
    "highwater=:8,audit$=:9,flags=:10 where obj#=:1",
}


def of(built: Built, run: Run) -> dict[str, pd.DataFrame]:
    """All of them, by the view's name without V$ or GV$."""
    return {
        "ROWCACHE": rowcache(built, run),
        "ENQUEUE_STATISTICS": enqueue_statistics(built, run),
        "ACTIVE_SESSION_HISTORY": active_session_history(built, run),
    }


def rowcache(built: Built, run: Run) -> pd.DataFrame:
    """V$ROWCACHE's line for dc_sequences on each instance."""
    rows = []
    event = built.model.events.index("row cache lock")
    for node in range(built.case.nodes):
        mine = built.processes_on(node)
        changes = _refills(built, run, mine)
        asked = int(run.waits[mine, event]["hits"].sum())
        given = served(built, run, built.cluster.lck + node) - calls(built, run, built.cluster.lck + node)
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
    rows = []
    for node in range(case.nodes):
        mine = built.processes_on(node)
        waits = run.waits[mine, built.model.events.index(event)]
        waited = int(waits["hits"].sum())
        asked = case.rows * len(mine) if case.order else _refills(built, run, mine) + waited
        milliseconds = MILLISECONDS * float(waits["time"].sum())
        rows.append((0, node + 1, name, kind, "contention", asked, waited, asked, 0, milliseconds))
    return pd.DataFrame(rows, columns=columns)


def active_session_history(built: Built, run: Run) -> pd.DataFrame:
    """V$ACTIVE_SESSION_HISTORY: what each session did at each sample; SAMPLE_S is seconds since the run began."""
    return history_of(built.model, built.sessions, STATEMENTS, run, built.case.start_gap_s)


def _refills(built: Built, run: Run, processes: list[int]) -> int:
    """How many ranges the sessions of these processes fetched, each by one change of SEQ$."""
    rows = [
        row
        for row, (op, where) in enumerate(zip(built.model.program, built.model.where, strict=True))
        if op[0] == ops.RUN and where.activity == NEXTVAL and where.process in processes
    ]
    return int(run.tally["hits"][rows].sum())
