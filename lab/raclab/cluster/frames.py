"""Runs of a test case as tidy frames: what each session spent, what it waited for, and each instance's statistics.

The columns are those of a measurement (evidence/measurement.py): seconds throughout, except in ``stats``, which has
V$SYSSTAT's names and units (times there are centiseconds).
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from raclab.cluster.sequences import NEXTVAL, Built
from raclab.cluster.wait_frame import waits_of
from raclab.sim import Run, ops

CENTISECONDS = 100.0


def sessions(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and session: calls (inserts), cpu_s and elapsed_s from the session's own start, commits included."""
    nodes = np.array([node for node, _, _ in built.sessions])
    numbers = [process.number for _, _, process in built.sessions]
    owner = _owner(built)
    cpu = [np.bincount(owner, run.tally["cpu"], len(built.model.processes))[numbers] for run in runs]
    elapsed = [run.ended[numbers] - nodes * built.case.start_gap_s for run in runs]
    return pd.DataFrame(
        {
            "run": np.repeat(np.arange(len(runs)), len(numbers)),
            "inst_id": np.tile(nodes + 1, len(runs)),
            "session": np.tile([number for _, number, _ in built.sessions], len(runs)),
            "calls": built.case.rows,
            "cpu_s": np.concatenate(cpu),
            "elapsed_s": np.concatenate(elapsed),
        }
    )


def waits(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run, session and event that occurred: total_waits, time_s, max_s."""
    return waits_of(built.model, built.sessions, runs)


def stats(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run, instance and statistic, under V$SYSSTAT's names."""
    rows: list[tuple[int, int, str, float]] = []
    for number, run in enumerate(runs):
        per_instance = _Counters(built, run)
        for node in range(built.case.nodes):
            rows.extend((number, node + 1, name, value) for name, value in per_instance.of(node).items())
    return pd.DataFrame(rows, columns=["run", "inst_id", "name", "value"])


def _owner(built: Built) -> np.ndarray:
    """Per op: the number of the process that it belongs to."""
    return np.array([where.process for where in built.model.where])


def calls(built: Built, run: Run, mailbox: int) -> int:
    """How often a node's server was asked directly by its number: requests that it passed on as their master."""
    asked = [row for row, op in enumerate(built.model.program) if op[0] == ops.CALL and op[1] == mailbox and op[3] < 0]
    return int(run.tally["hits"][asked].sum())


def served(built: Built, run: Run, mailbox: int) -> int:
    """How many requests the server of a mailbox has finished."""
    rows = [row for row, op in enumerate(built.model.program) if op[0] == ops.TAKE and op[1] == mailbox]
    return int(run.tally["hits"][[row + 1 for row in rows]].sum())


class _Counters:
    """V$SYSSTAT's statistics of one run, by instance."""

    def __init__(self, built: Built, run: Run) -> None:
        self.built, self.run = built, run
        self.owner = _owner(built)
        self.activity = np.array([where.activity for where in built.model.where], dtype=object)
        self.code = np.array([op[0] for op in built.model.program])

    def of(self, node: int) -> dict[str, float]:
        """The statistics of one instance: counts, and times in centiseconds."""
        built, run, cluster = self.built, self.run, self.built.cluster
        mine = built.processes_on(node)
        own = np.isin(self.owner, mine)
        refills = int(run.tally["hits"][own & (self.activity == NEXTVAL) & (self.code == ops.RUN)].sum())
        waits = {event: run.waits[mine, number] for number, event in enumerate(built.model.events)}
        received = [waits[event] for event in waits if event.startswith("gc current block")]
        commits = waits["log file sync"]
        writes = self._redo_writes(node)
        start = node * built.case.start_gap_s
        return {
            "CPU used by this session": CENTISECONDS * float(run.tally["cpu"][own].sum()),
            "DB time": CENTISECONDS * float((run.ended[mine] - start).sum()),
            "execute count": float(built.case.rows * len(mine) + refills),
            "recursive calls": float(refills),
            "user commits": float(commits["hits"].sum()),
            "redo synch writes": float(commits["hits"].sum()),
            "redo synch time": CENTISECONDS * float(commits["time"].sum()),
            "redo writes": float(writes["hits"].sum()),
            "redo write time": CENTISECONDS * float(writes["time"].sum()),
            "gc current blocks received": float(sum(tally["hits"].sum() for tally in received)),
            "gc current block receive time": CENTISECONDS * float(sum(tally["time"].sum() for tally in received)),
            "gc current blocks served": float(served(built, run, cluster.lms + node) - calls(built, run, cluster.lms + node)),
        }

    def _redo_writes(self, node: int) -> np.ndarray:
        name = f"LGWR {node + 1}"
        number = next(p.number for p in self.built.model.processes if p.name == name)
        writes: np.ndarray = self.run.tally[(self.owner == number) & (self.code == ops.DELAY)]
        return writes
