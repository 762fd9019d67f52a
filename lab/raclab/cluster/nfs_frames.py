"""Runs of NFS loads as tidy frames, in seconds; ``stats`` has V$SYSSTAT's names and units (times there are centiseconds)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from raclab.cluster.nfs import PARTS, Built
from raclab.evidence.measurement import STAT_COLUMNS
from raclab.oracle_names import wait_class
from raclab.sim import Run

CENTISECONDS = 100.0


def sessions(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and session: calls (reads), cpu_s, elapsed_s. A scan is over for every server when the last one is done."""
    numbers = _numbers(built)
    owner = _owner(built)
    count = len(numbers)
    cpu = [np.bincount(owner, run.tally["cpu"], len(built.model.processes))[numbers] for run in runs]
    reads = [run.waits[numbers, 0]["hits"] for run in runs]
    elapsed = [np.full(count, run.ended[numbers].max()) if built.load.scan else run.ended[numbers] for run in runs]
    return pd.DataFrame(
        {
            "run": np.repeat(np.arange(len(runs)), count),
            "inst_id": 1,
            "session": np.tile(np.arange(1, count + 1), len(runs)),
            "calls": np.concatenate(reads),
            "cpu_s": np.concatenate(cpu),
            "elapsed_s": np.concatenate(elapsed),
        }
    )


def waits(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and session: its reads. A server that found nothing left to read has no row."""
    numbers = _numbers(built)
    tally = np.stack([run.waits[numbers, 0] for run in runs])
    run, session = np.nonzero(tally["hits"])
    found = tally[run, session]
    event = built.load.event
    return pd.DataFrame(
        {
            "run": run,
            "inst_id": 1,
            "session": session + 1,
            "event": event,
            "wait_class": wait_class(event),
            "total_waits": found["hits"],
            "time_s": found["time"],
            "max_s": found["longest"],
        }
    )


def stats(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and statistic of the one instance."""
    load, numbers, owner = built.load, _numbers(built), _owner(built)
    rows: list[tuple[int, int, str, float]] = []
    for place, run in enumerate(runs):
        read = run.waits[numbers, 0]
        reads, waited = int(read["hits"].sum()), float(read["time"].sum())
        cpu = float(run.tally["cpu"][np.isin(owner, numbers)].sum())
        of_run = {
            "physical reads": reads * load.read_bytes / load.hardware.block_bytes,
            "physical read IO requests": float(reads),
            "physical read total bytes": reads * load.read_bytes,
            "CPU used by this session": CENTISECONDS * cpu,
            "user I/O wait time": CENTISECONDS * waited,
            "DB time": CENTISECONDS * (cpu + waited),
        }
        rows.extend((place, 1, name, value) for name, value in of_run.items())
    return pd.DataFrame(rows, columns=list(STAT_COLUMNS))


def parts(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and part: ``time_s`` that a session spent in it, mean over the sessions. Waits in line are in the part waited for."""
    activity = np.array([PARTS.index(where.activity) if where.activity in PARTS else -1 for where in built.model.where])
    mine = activity >= 0
    rows: list[tuple[int, str, float]] = []
    for place, run in enumerate(runs):
        total = np.bincount(activity[mine], run.tally["time"][mine], len(PARTS)) / len(built.sessions)
        rows.extend((place, name, float(seconds)) for name, seconds in zip(PARTS, total, strict=True))
    return pd.DataFrame(rows, columns=["run", "part", "time_s"])


def active_session_history(built: Built, run: Run) -> pd.DataFrame:
    """V$ACTIVE_SESSION_HISTORY: what each session did at each sample; SAMPLE_S is seconds since the run began."""
    event = np.array([where.event or None for where in built.model.where], dtype=object)
    pieces = []
    for number, process in enumerate(built.sessions, 1):
        then = run.samples[:, process.number]
        waiting = event[then[then >= 0]]
        state = np.where(waiting == None, "ON CPU", "WAITING")  # noqa: E711 (elementwise)
        classes = [wait_class(name) if name else None for name in waiting]
        pieces.append(
            pd.DataFrame(
                {
                    "run": 0,
                    "INST_ID": 1,
                    "session": number,
                    "SAMPLE_S": run.sampled[then >= 0],
                    "SESSION_STATE": state,
                    "EVENT": waiting,
                    "WAIT_CLASS": classes,
                }
            )
        )
    return pd.concat(pieces, ignore_index=True)


def _numbers(built: Built) -> list[int]:
    return [process.number for process in built.sessions]


def _owner(built: Built) -> np.ndarray:
    """Per op: the number of the process that it belongs to."""
    return np.array([where.process for where in built.model.where])
