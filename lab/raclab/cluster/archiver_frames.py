"""Runs of the archiver or the name server as tidy frames, in seconds; ``stats`` has V$SYSSTAT's names and units (centiseconds).

What is under way when the time is over counts nowhere: a session's elapsed time is that of the waits and the work that it finished.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from raclab.cluster.archiver import CLIENT, READ, TABLE_LOCK, Built
from raclab.cluster.row_locks import ROW_LOCK
from raclab.cluster.wait_frame import waits_of
from raclab.evidence.measurement import STAT_COLUMNS
from raclab.oracle_names import wait_class
from raclab.sim import Run

CENTISECONDS, MILLISECONDS = 100.0, 1000.0


def sessions(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and session: calls (changes archived, or files created), cpu_s, elapsed_s."""
    count, numbers = len(built.sessions), _numbers(built)
    spent = [_by_process(built, run) for run in runs]
    return pd.DataFrame(
        {
            "run": np.repeat(np.arange(len(runs)), count),
            "inst_id": np.tile([node + 1 for node, _, _ in built.sessions], len(runs)),
            "session": np.tile([number for _, number, _ in built.sessions], len(runs)),
            "calls": np.concatenate([run.cells[list(built.done)] for run in runs]),
            "cpu_s": np.concatenate([cpu[numbers] for cpu, _ in spent]),
            "elapsed_s": np.concatenate([elapsed[numbers] for _, elapsed in spent]),
        }
    )


def waits(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run, session and event that occurred: total_waits, time_s, max_s."""
    return waits_of(built.model, built.sessions, runs)


def stats(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run, instance and statistic."""
    rows: list[tuple[int, int, str, float]] = []
    for place, run in enumerate(runs):
        cpu, elapsed = _by_process(built, run)
        for node in range(built.case.nodes):
            mine = [process.number for at, _, process in built.sessions if at == node]
            commits, commit_s = _waited(built, run, mine, "log file sync")
            idle_s = _waited(built, run, mine, CLIENT)[1]
            of_node = {
                "CPU used by this session": CENTISECONDS * float(cpu[mine].sum()),
                "DB time": CENTISECONDS * (float(elapsed[mine].sum()) - idle_s),
                "user commits": float(commits),
                "redo synch writes": float(commits),
                "redo synch time": CENTISECONDS * commit_s,
                "physical reads": float(_waited(built, run, mine, READ)[0]),
            }
            rows.extend((place, node + 1, name, value) for name, value in of_node.items())
    return pd.DataFrame(rows, columns=list(STAT_COLUMNS))


def views(built: Built, run: Run) -> dict[str, pd.DataFrame]:
    """Rows of further V$ views, by the view's name without V$ or GV$."""
    return {"ENQUEUE_STATISTICS": _enqueues(built, run), "ACTIVE_SESSION_HISTORY": _history(built, run)}


def _enqueues(built: Built, run: Run) -> pd.DataFrame:
    rows = []
    for node in range(built.case.nodes):
        mine = [process.number for at, _, process in built.sessions if at == node]
        for name, kind, reason, event in (("Transaction", "TX", "row lock contention", ROW_LOCK), ("DML", "TM", "contention", TABLE_LOCK)):
            hits, seconds = _waited(built, run, mine, event)
            if hits:
                rows.append((0, node + 1, name, kind, reason, hits, MILLISECONDS * seconds))
    columns = ["run", "INST_ID", "EQ_NAME", "EQ_TYPE", "REQ_REASON", "TOTAL_WAIT#", "CUM_WAIT_TIME"]
    return pd.DataFrame(rows, columns=columns)


def _history(built: Built, run: Run) -> pd.DataFrame:
    """V$ACTIVE_SESSION_HISTORY, of which idle sessions are no part; SAMPLE_S is seconds since the run began."""
    event = np.array([where.event or None for where in built.model.where], dtype=object)
    classes = np.array([wait_class(name) if name else None for name in event], dtype=object)
    idle = event == CLIENT
    then = run.samples[:, _numbers(built)]
    sample, session = np.nonzero((then >= 0) & ~idle[then])
    at = then[sample, session]
    return pd.DataFrame(
        {
            "run": 0,
            "INST_ID": np.array([node + 1 for node, _, _ in built.sessions])[session],
            "session": np.array([number for _, number, _ in built.sessions])[session],
            "SAMPLE_S": run.sampled[sample],
            "SESSION_STATE": np.where(event[at] == None, "ON CPU", "WAITING"),  # noqa: E711 (elementwise)
            "EVENT": event[at],
            "WAIT_CLASS": classes[at],
        }
    )


def _waited(built: Built, run: Run, processes: list[int], event: str) -> tuple[int, float]:
    """Waits and seconds of some processes for an event."""
    if event not in built.model.events:
        return 0, 0.0
    tally = run.waits[processes, built.model.events.index(event)]
    return int(tally["hits"].sum()), float(tally["time"].sum())


def _by_process(built: Built, run: Run) -> tuple[np.ndarray, np.ndarray]:
    """CPU and elapsed seconds of each process: its whole waits, and what it did between them, one thing after the other."""
    where, count = built.model.where, len(built.model.processes)
    owner = np.array([place.process for place in where])
    between = run.tally["time"] * np.array([place.event == "" for place in where])
    elapsed = np.bincount(owner, between, count) + run.waits["time"].sum(axis=1)
    return np.bincount(owner, run.tally["cpu"], count), elapsed


def _numbers(built: Built) -> list[int]:
    return [process.number for _, _, process in built.sessions]
