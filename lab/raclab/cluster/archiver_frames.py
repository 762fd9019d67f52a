"""Runs of the archiver or the name server as tidy frames, in seconds; ``stats`` has V$SYSSTAT's names and units (centiseconds).

What is under way when the time is over counts nowhere: a session's elapsed time is that of the waits and the work that it finished.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from raclab.cluster.archiver import READ, TABLE_LOCK, Built
from raclab.cluster.common_views import views_of
from raclab.cluster.ledger import Ledger
from raclab.cluster.redo import redo_writes
from raclab.cluster.roster import Roster, Segment
from raclab.cluster.row_locks import ROW_LOCK
from raclab.cluster.served import served
from raclab.cluster.session_frame import sessions_of
from raclab.cluster.space import ROW_CACHE_LOCK
from raclab.cluster.wait_frame import waits_of
from raclab.evidence.measurement import STAT_COLUMNS
from raclab.sim import Run

CENTISECONDS, MILLISECONDS = 100.0, 1000.0
_INSERT = "INSERT INTO event_history VALUES (:element_id, :ts, :value)"
_DIRECT = "INSERT /*+ APPEND */ INTO event_history SELECT element_id, ts, value FROM TABLE(:changes)"
_CREATE = "INSERT INTO file_names VALUES (:directory_id, :name, :size)"


def ledger(built: Built) -> Ledger:
    """Who is who in a case. A bulk or a file is one execution; the calls in which a file is only looked up have no statement here."""
    case = built.case
    table = Segment("LAB", "FILE_NAMES" if case.name_server else "EVENT_HISTORY")
    index, further = Segment("LAB", f"{table.name}_PK", "INDEX"), Segment("LAB", f"{table.name}_I1", "INDEX")
    text = _CREATE if case.name_server else _DIRECT if case.direct else _INSERT

    def segment(_activity: str, event: str) -> Segment | None:
        if event in (ROW_LOCK, "direct path write"):
            return table
        if event == READ:
            return further
        return index if event.startswith(("gc ", "buffer busy")) else None

    def executions(run: Run) -> dict[tuple[int, str], int]:
        return {(node, text): int(run.cells[_done(built, node)].sum()) for node in range(case.nodes)} if case.name_server else {}

    return Ledger(
        Roster(
            built.model,
            built.sessions,
            built.cluster.cpus,
            statement=text,
            executions=executions,
            segment=segment,
            hardware=case.hardware,
        )
    )


def _done(built: Built, node: int) -> list[int]:
    return [cell for (at, _, _), cell in zip(built.sessions, built.done, strict=True) if at == node]


def sessions(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and session: calls (changes archived, or files created), cpu_s, elapsed_s."""
    whose = ledger(built)
    elapsed = [(whose.db_s(run) + whose.idle_s(run))[whose.numbers] for run in runs]
    return sessions_of(whose, runs, np.concatenate([run.cells[list(built.done)] for run in runs]), elapsed)


def waits(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run, session and event that occurred: total_waits, time_s, max_s."""
    return waits_of(ledger(built).roster, runs)


def stats(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run, instance and statistic."""
    rows: list[tuple[int, int, str, float]] = []
    whose = ledger(built)
    for place, run in enumerate(runs):
        cpu_s, db_s, given = whose.cpu_s(run), whose.db_s(run), served(built.model, run)
        for node in range(built.case.nodes):
            mine = whose.on(node)
            commits, commit_s = whose.waited(run, mine, "log file sync")
            received, receive_s = whose.waited(run, mine, "gc current block")
            of_node = {
                "CPU used by this session": CENTISECONDS * float(cpu_s[mine].sum()),
                "DB time": CENTISECONDS * float(db_s[mine].sum()),
                "user commits": float(commits),
                "redo synch writes": float(commits),
                "redo synch time": CENTISECONDS * commit_s,
                **redo_writes(whose, run, node),
                "physical reads": float(whose.waited(run, mine, READ)[0]),
                "gc current blocks received": float(received),
                "gc current block receive time": CENTISECONDS * receive_s,
                "gc current blocks served": float(given[built.cluster.lms + node]),
            }
            rows.extend((place, node + 1, name, value) for name, value in of_node.items())
    return pd.DataFrame(rows, columns=list(STAT_COLUMNS))


def views(built: Built, run: Run) -> dict[str, pd.DataFrame]:
    """Rows of further V$ views, by the view's name without V$ or GV$."""
    whose = ledger(built)
    return views_of(whose, run) | {"ENQUEUE_STATISTICS": _enqueues(built, whose, run), "ROWCACHE": _rowcache(built, whose, run)}


def _enqueues(built: Built, whose: Ledger, run: Run) -> pd.DataFrame:
    rows = []
    for node in range(built.case.nodes):
        for name, kind, reason, event in (("Transaction", "TX", "row lock contention", ROW_LOCK), ("DML", "TM", "contention", TABLE_LOCK)):
            hits, seconds = whose.waited(run, whose.on(node), event)
            if hits:
                rows.append((0, node + 1, name, kind, reason, hits, MILLISECONDS * seconds))
    columns = ["run", "INST_ID", "EQ_NAME", "EQ_TYPE", "REQ_REASON", "TOTAL_WAIT#", "CUM_WAIT_TIME"]
    return pd.DataFrame(rows, columns=columns)


def _rowcache(built: Built, whose: Ledger, run: Run) -> pd.DataFrame:
    """V$ROWCACHE's line for the tablespaces' extents: each extent handed out is a get, and was written at once."""
    rows = []
    for node in range(built.case.nodes):
        extents = whose.waited(run, whose.on(node), "db file single write")[0]
        asked = whose.waited(run, whose.on(node), ROW_CACHE_LOCK)[0]
        if extents:
            rows.append((0, node + 1, "PARENT", "dc_tablespaces", extents, extents, asked))
    return pd.DataFrame(rows, columns=["run", "INST_ID", "TYPE", "PARAMETER", "GETS", "MODIFICATIONS", "DLM_REQUESTS"])
