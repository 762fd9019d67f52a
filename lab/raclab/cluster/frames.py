"""Runs of a test case as tidy frames: what each session spent, what it waited for, and each instance's statistics.

The columns are those of a measurement (evidence/measurement.py): seconds throughout, except in ``stats``, which has
V$SYSSTAT's names and units (times there are centiseconds).
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from raclab.cluster.ledger import Ledger
from raclab.cluster.redo import redo_writes
from raclab.cluster.roster import Roster, Segment
from raclab.cluster.sequences import INSERT, NEXTVAL, Built
from raclab.cluster.served import calls, served
from raclab.cluster.session_frame import sessions_of
from raclab.cluster.wait_frame import waits_of
from raclab.sim import Run, ops

CENTISECONDS = 100.0


STATEMENTS = {
    INSERT: "INSERT INTO T1 VALUES (T1_SEQ.NEXTVAL, :payload)",
    # Oracle's own recursive statement, as it stands in any trace
    NEXTVAL: "update seq$ set increment$=:2,minvalue=:3,maxvalue=:4,cycle#=:5,order$=:6,cache=:7,"
    "highwater=:8,audit$=:9,flags=:10 where obj#=:1",
}
_SEQ = Segment("SYS", "SEQ$")


def ledger(built: Built) -> Ledger:
    """Who is who in a test case."""
    case = built.case

    def executions(run: Run) -> dict[tuple[int, str], int]:
        inserts = {(node, STATEMENTS[INSERT]): case.rows * len(built.processes_on(node)) for node in range(case.nodes)}
        fetched = refills(made, run)
        return inserts | {(node, STATEMENTS[NEXTVAL]): int(fetched[built.processes_on(node)].sum()) for node in range(case.nodes)}

    made = Ledger(
        Roster(
            built.model,
            built.sessions,
            built.cluster.cpus,
            STATEMENTS,
            recursive=frozenset((STATEMENTS[NEXTVAL],)),
            executions=executions,
            start_gap_s=case.start_gap_s,
            segment=lambda activity, event: _SEQ if activity == NEXTVAL and event else None,
            hardware=case.hardware,
        )
    )
    return made


def sessions(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and session: calls (inserts), cpu_s and elapsed_s from the session's own start, commits included."""
    return sessions_of(ledger(built), runs, built.case.rows)


def waits(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run, session and event that occurred: total_waits, time_s, max_s."""
    return waits_of(ledger(built).roster, runs)


def stats(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run, instance and statistic, under V$SYSSTAT's names."""
    rows: list[tuple[int, int, str, float]] = []
    whose = ledger(built)
    for number, run in enumerate(runs):
        per_instance = _Counters(built, whose, run)
        for node in range(built.case.nodes):
            rows.extend((number, node + 1, name, value) for name, value in per_instance.of(node).items())
    return pd.DataFrame(rows, columns=["run", "inst_id", "name", "value"])


def refills(ledger: Ledger, run: Run) -> np.ndarray:
    """Per process: how many ranges it fetched, each by one change of SEQ$."""
    fetching = (ledger.code == ops.RUN) & ledger.roster.model.where.activity_is(NEXTVAL)
    return ledger.of_processes(run.tally["hits"], fetching)


class _Counters:
    """V$SYSSTAT's statistics of one run, by instance."""

    def __init__(self, built: Built, ledger: Ledger, run: Run) -> None:
        self.built, self.ledger, self.run = built, ledger, run
        self.cpu_s, self.db_s, self.refills = ledger.cpu_s(run), ledger.db_s(run), refills(ledger, run)
        self.given = served(built.model, run) - calls(built.model, run)

    def of(self, node: int) -> dict[str, float]:
        """The statistics of one instance: counts, and times in centiseconds."""
        built, run, lms = self.built, self.run, self.built.cluster.lms + node
        mine = built.processes_on(node)
        fetched = self.refills[mine].sum()
        received, receive_s = self.ledger.waited(run, mine, "gc current block")
        commits, commit_s = self.ledger.waited(run, mine, "log file sync")
        return {
            "CPU used by this session": CENTISECONDS * float(self.cpu_s[mine].sum()),
            "DB time": CENTISECONDS * float(self.db_s[mine].sum()),
            "execute count": float(built.case.rows * len(mine) + fetched),
            "recursive calls": float(fetched),
            "user commits": float(commits),
            "redo synch writes": float(commits),
            "redo synch time": CENTISECONDS * commit_s,
            **redo_writes(self.ledger, run, node),
            "gc current blocks received": float(received),
            "gc current block receive time": CENTISECONDS * receive_s,
            "gc current blocks served": float(self.given[lms]),
        }
