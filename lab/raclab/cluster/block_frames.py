"""Runs of the two organizations' batch as tidy frames: sessions, waits and statistics.

The columns are those of a measurement (evidence/measurement.py): seconds throughout, except in ``stats``, which has
V$SYSSTAT's names and units (times there are centiseconds).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from raclab.cluster.ledger import Ledger
from raclab.cluster.organizations import CHANGE, INDEX, READ, Built
from raclab.cluster.redo import redo_writes
from raclab.cluster.roster import Roster, Segment
from raclab.cluster.session_frame import sessions_of
from raclab.cluster.wait_frame import waits_of
from raclab.sim import Run, ops

CENTISECONDS = 100.0
KINDS = ("cr", "current")


STATEMENTS = {
    READ: "SELECT status, amount FROM orders WHERE org_id = :org AND order_id = :id",
    CHANGE: "UPDATE orders SET status = :status WHERE org_id = :org AND order_id = :id",
    INDEX: "INSERT INTO order_log VALUES (:log_id, :org, :id, :status)",
}
_SEGMENTS = {READ: Segment("LAB", "ORDERS"), CHANGE: Segment("LAB", "ORDERS"), INDEX: Segment("LAB", "ORDER_LOG_PK", "INDEX")}


def ledger(built: Built) -> Ledger:
    """Who is who in a batch."""

    def executions(run: Run) -> dict[tuple[int, str], int]:
        """Every row is read, changed and logged once."""
        rows = {node: sum(thread[4] for thread in built.sessions if thread[0] == node) for node in range(built.case.nodes)}
        return {(node, text): count for node, count in rows.items() for text in STATEMENTS.values()}

    return Ledger(
        Roster(
            built.model,
            tuple((node, number, process) for node, number, _, process, _ in built.sessions),
            built.fusion.cluster.cpus,
            STATEMENTS,
            executions=executions,
            segment=lambda activity, event: _SEGMENTS.get(activity) if event else None,
            hardware=built.case.hardware,
        )
    )


def sessions(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and thread: calls (rows worked on), cpu_s and elapsed_s."""
    return sessions_of(ledger(built), runs, np.tile([thread[4] for thread in built.sessions], len(runs)))


def waits(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run, thread and event that occurred: total_waits, time_s, max_s."""
    return waits_of(ledger(built).roster, runs)


def stats(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run, instance and statistic, under V$SYSSTAT's names."""
    whose = ledger(built)
    places = built.model.where
    reading = places.activity_is(READ) & places.event_is("") & (whose.code == ops.RUN)
    worked_on = np.bincount(whose.nodes, [thread[4] for thread in built.sessions], built.case.nodes)
    rows: list[tuple[int, int, str, float]] = []
    for number, run in enumerate(runs):
        accounts = _Accounts(
            worked_on,
            whose.cpu_s(run),
            whose.db_s(run),
            whose.of_processes(run.tally["hits"], reading),
            *(flushes(built, run, kind) for kind in KINDS),
        )
        for node in range(built.case.nodes):
            rows.extend((number, node + 1, name, value) for name, value in _statistics(built, whose, run, node, accounts).items())
    return pd.DataFrame(rows, columns=["run", "inst_id", "name", "value"])


def threads_on(built: Built, node: int) -> list[int]:
    """The process numbers of a node's threads."""
    return [thread[3].number for thread in built.sessions if thread[0] == node]


@dataclass(frozen=True)
class _Accounts:
    """What a run's statistics are added up from.

    Per node: rows worked on, and of either kind of block the flushes and the seconds in them; per process: CPU and DB time (s), gets.
    """

    rows: np.ndarray
    cpu_s: np.ndarray
    db_s: np.ndarray
    gets: np.ndarray
    cr_flushes: np.ndarray
    current_flushes: np.ndarray


def _statistics(built: Built, whose: Ledger, run: Run, node: int, accounts: _Accounts) -> dict[str, float]:
    mine, state, cells = whose.on(node), built.fusion.directory, run.cells
    commits, commit_s = whose.waited(run, mine, "log file sync")
    rows = int(accounts.rows[node])
    gets = int(accounts.gets[mine].sum()) - rows  # the row's own CPU is a RUN of this activity too
    return {
        "CPU used by this session": CENTISECONDS * float(accounts.cpu_s[mine].sum()),
        "DB time": CENTISECONDS * float(accounts.db_s[mine].sum()),
        "execute count": float(rows * len(STATEMENTS)),
        "consistent gets": float(gets),
        "db block changes": float(cells[built.fusion.cluster.changed + node]),
        "physical reads": float(whose.waited(run, mine, "db file sequential read")[0]),
        "user commits": float(commits),
        "redo synch writes": float(commits),
        "redo synch time": CENTISECONDS * commit_s,
        **redo_writes(whose, run, node),
        "gc cr blocks received": float(cells[state.received_cr + node]),
        "gc cr block receive time": CENTISECONDS * whose.waited(run, mine, "gc cr block")[1],
        "gc cr blocks served": float(cells[state.served_cr + node]),
        "gc current blocks received": float(cells[state.received_current + node]),
        "gc current block receive time": CENTISECONDS * whose.waited(run, mine, "gc current block")[1],
        "gc current blocks served": float(cells[state.served_current + node]),
        "gc cr block flush time": CENTISECONDS * float(accounts.cr_flushes[1, node]),
        "gc current block flush time": CENTISECONDS * float(accounts.current_flushes[1, node]),
    }


def flushes(built: Built, run: Run, kind: str) -> np.ndarray:
    """Flushes that each node made before it served blocks of a kind ("cr" or "current"), and the seconds in them: an array of 2 x nodes.

    The seconds stand in the waits of those who asked: with two nodes the other one's threads. With more, it is not known which of their
    waits were for which node, so each node has its share of the seconds by the number of its flushes.
    """
    whose, state, nodes = ledger(built), built.fusion.directory, built.case.nodes
    first = state.flushed_cr if kind == "cr" else state.flushed_current
    counts = run.cells[first : first + nodes].astype(float)
    asked = (whose.code == ops.CALL) & (built.model.program["a"] == built.fusion.cluster.lgwr)
    per_process = whose.of_processes(run.tally["time"], asked & built.model.where.event_is(f"gc {kind} block busy"))
    waited = np.bincount(whose.nodes, per_process[whose.numbers], nodes)
    seconds = waited[::-1] if nodes == 2 else waited.sum() * counts / max(1.0, counts.sum())
    return np.array([counts, seconds])
