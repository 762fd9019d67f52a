"""Runs of the two organizations' batch as tidy frames: sessions, waits and statistics.

The columns are those of a measurement (evidence/measurement.py): seconds throughout, except in ``stats``, which has
V$SYSSTAT's names and units (times there are centiseconds).
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from raclab.cluster.organizations import READ, Built
from raclab.cluster.wait_frame import waits_of
from raclab.sim import Run, ops

CENTISECONDS = 100.0


def sessions(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and thread: calls (rows worked on), cpu_s and elapsed_s."""
    threads = built.sessions
    numbers = [thread[3].number for thread in threads]
    owner = owners(built)
    cpu = [np.bincount(owner, run.tally["cpu"], len(built.model.processes))[numbers] for run in runs]
    return pd.DataFrame(
        {
            "run": np.repeat(np.arange(len(runs)), len(threads)),
            "inst_id": np.tile([thread[0] + 1 for thread in threads], len(runs)),
            "session": np.tile([thread[1] for thread in threads], len(runs)),
            "calls": np.tile([thread[4] for thread in threads], len(runs)),
            "cpu_s": np.concatenate(cpu),
            "elapsed_s": np.concatenate([run.ended[numbers] for run in runs]),
        }
    )


def waits(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run, thread and event that occurred: total_waits, time_s, max_s."""
    return waits_of(built.model, [(thread[0], thread[1], thread[3]) for thread in built.sessions], runs)


def stats(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run, instance and statistic, under V$SYSSTAT's names."""
    owner = owners(built)
    code = np.array([op[0] for op in built.model.program])
    reading = np.array([where.activity == READ and where.event == "" for where in built.model.where]) & (code == ops.RUN)
    rows = [
        (number, node + 1, name, value)
        for number, run in enumerate(runs)
        for node in range(built.case.nodes)
        for name, value in _statistics(built, run, node, owner, code, reading).items()
    ]
    return pd.DataFrame(rows, columns=["run", "inst_id", "name", "value"])


def owners(built: Built) -> np.ndarray:
    """Per op: the number of the process that it belongs to."""
    return np.array([where.process for where in built.model.where])


def threads_on(built: Built, node: int) -> list[int]:
    """The process numbers of a node's threads."""
    return [thread[3].number for thread in built.sessions if thread[0] == node]


def waited(built: Built, run: Run, processes: list[int], *starts: str) -> tuple[int, float]:
    """Waits and seconds of some processes for all events whose names begin so."""
    numbers = [number for number, event in enumerate(built.model.events) if event.startswith(starts)]
    tally = run.waits[np.ix_(processes, numbers)]
    return int(tally["hits"].sum()), float(tally["time"].sum())


def _statistics(built: Built, run: Run, node: int, owner: np.ndarray, code: np.ndarray, reading: np.ndarray) -> dict[str, float]:
    mine, state, cells = threads_on(built, node), built.fusion.directory, run.cells
    own = np.isin(owner, mine)
    lgwr = next(process.number for process in built.model.processes if process.name == f"LGWR {node + 1}")
    writes = run.tally[(owner == lgwr) & (code == ops.DELAY)]
    commits, commit_s = waited(built, run, mine, "log file sync")
    rows = sum(thread[4] for thread in built.sessions if thread[0] == node)
    gets = int(run.tally["hits"][own & reading].sum()) - rows  # the row's own CPU is a RUN of this activity too
    return {
        "CPU used by this session": CENTISECONDS * float(run.tally["cpu"][own].sum()),
        "DB time": CENTISECONDS * float(run.ended[mine].sum()),
        "execute count": float(rows),
        "consistent gets": float(gets),
        "db block changes": float(cells[built.fusion.cluster.changed + node]),
        "physical reads": float(waited(built, run, mine, "db file sequential read")[0]),
        "user commits": float(commits),
        "redo synch writes": float(commits),
        "redo synch time": CENTISECONDS * commit_s,
        "redo writes": float(writes["hits"].sum()),
        "redo write time": CENTISECONDS * float(writes["time"].sum()),
        "gc cr blocks received": float(cells[state.received_cr + node]),
        "gc cr block receive time": CENTISECONDS * waited(built, run, mine, "gc cr block")[1],
        "gc cr blocks served": float(cells[state.served_cr + node]),
        "gc current blocks received": float(cells[state.received_current + node]),
        "gc current block receive time": CENTISECONDS * waited(built, run, mine, "gc current block")[1],
        "gc current blocks served": float(cells[state.served_current + node]),
        "gc cr block flush time": CENTISECONDS * flushes(built, run, node, "cr")[1],
        "gc current block flush time": CENTISECONDS * flushes(built, run, node, "current")[1],
    }


def flushes(built: Built, run: Run, node: int, kind: str) -> tuple[int, float]:
    """Flushes, and seconds in them, that a node made before it served blocks of a kind ("cr" or "current").

    They stand in the waits of those who asked, which with two nodes are the other one's threads.
    """
    lgwr, event = built.fusion.cluster.lgwr, f"gc {kind} block busy"
    asked = [process for other in range(built.case.nodes) if other != node for process in threads_on(built, other)]
    rows = [
        row
        for row, (op, where) in enumerate(zip(built.model.program, built.model.where, strict=True))
        if op[0] == ops.CALL and op[1] == lgwr and where.event == event and where.process in asked
    ]
    return int(run.tally["hits"][rows].sum()), float(run.tally["time"][rows].sum())
