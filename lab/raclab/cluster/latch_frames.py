"""Runs of latch loads as tidy frames in seconds, scaled from the sample to the whole run; V$ rows have Oracle's names and units."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from raclab.cluster.latches import EVENT, LATCH_NAME, PARTS, SPINNING, Built
from raclab.evidence.measurement import STAT_COLUMNS
from raclab.oracle_names import wait_class
from raclab.sim import Run

CENTISECONDS = 100.0
MICROSECONDS = 1e6


def sessions(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and session: calls (latch gets), cpu_s and elapsed_s of the whole query."""
    numbers = _numbers(built)
    cpu = [built.load.scale * _cpu(built, run)[numbers] for run in runs]
    elapsed = [built.load.scale * run.ended[numbers] for run in runs]
    return pd.DataFrame(
        {
            "run": np.repeat(np.arange(len(runs)), len(numbers)),
            "inst_id": 1,
            "session": np.tile(np.arange(1, len(numbers) + 1), len(runs)),
            "calls": built.load.gets,
            "cpu_s": np.concatenate(cpu),
            "elapsed_s": np.concatenate(elapsed),
        }
    )


def waits(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and session that slept: its sleeps for the latch. ``max_s`` is that of the sample."""
    tally = np.stack([run.waits[_numbers(built), 0] for run in runs])
    run, session = np.nonzero(tally["hits"])
    found = tally[run, session]
    return pd.DataFrame(
        {
            "run": run,
            "inst_id": 1,
            "session": session + 1,
            "event": EVENT,
            "wait_class": wait_class(EVENT),
            "total_waits": np.rint(built.load.scale * found["hits"]).astype(np.int64),
            "time_s": built.load.scale * found["time"],
            "max_s": found["longest"],
        }
    )


def stats(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and statistic of the one instance, under V$SYSSTAT's names; times in centiseconds."""
    rows: list[tuple[int, int, str, float]] = []
    for place, run in enumerate(runs):
        cpu = built.load.scale * float(_cpu(built, run).sum())
        waited = built.load.scale * float(run.waits[_numbers(built), 0]["time"].sum())
        of_run = {"CPU used by this session": CENTISECONDS * cpu, "DB time": CENTISECONDS * (cpu + waited)}
        rows.extend((place, 1, name, value) for name, value in of_run.items())
    return pd.DataFrame(rows, columns=list(STAT_COLUMNS))


def parts(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and part: ``time_s`` that a session spent in it, mean over the sessions."""
    activity = np.array([PARTS.index(where.activity) if where.activity in PARTS else -1 for where in built.model.where])
    mine = activity >= 0
    rows: list[tuple[int, str, float]] = []
    for place, run in enumerate(runs):
        total = built.load.scale * np.bincount(activity[mine], run.tally["time"][mine], len(PARTS)) / len(built.sessions)
        rows.extend((place, name, float(seconds)) for name, seconds in zip(PARTS, total, strict=True))
    return pd.DataFrame(rows, columns=["run", "part", "time_s"])


def latch(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """V$LATCH's line for the cache buffers chains, one a run: counts of the whole run, WAIT_TIME in microseconds."""
    scale = built.load.scale
    rows = []
    for place, run in enumerate(runs):
        misses, unspun, sleeps = (int(run.cells[cell]) for cell in (built.misses, built.unspun, built.sleeps))
        waited = float(run.waits[_numbers(built), 0]["time"].sum())
        counts = (built.load.gets * built.load.sessions, *(round(scale * count) for count in (misses, sleeps, misses - unspun)))
        rows.append((place, 1, LATCH_NAME, *counts, round(scale * MICROSECONDS * waited)))
    return pd.DataFrame(rows, columns=["run", "INST_ID", "NAME", "GETS", "MISSES", "SLEEPS", "SPIN_GETS", "WAIT_TIME"])


def active_session_history(built: Built, run: Run) -> pd.DataFrame:
    """V$ACTIVE_SESSION_HISTORY, one sample a second of the whole run: a session that spins is ON CPU and waits for nothing."""
    where = built.model.where
    event = np.array([one.event or None for one in where], dtype=object)
    pieces = []
    for number, process in enumerate(built.sessions, 1):
        then = run.samples[:, process.number]
        waiting = event[then[then >= 0]]
        state = np.where(waiting == None, "ON CPU", "WAITING")  # noqa: E711 (elementwise)
        pieces.append(
            pd.DataFrame(
                {
                    "run": 0,
                    "INST_ID": 1,
                    "session": number,
                    "SAMPLE_S": built.load.scale * run.sampled[then >= 0],
                    "SESSION_STATE": state,
                    "EVENT": waiting,
                    "WAIT_CLASS": [wait_class(name) if name else None for name in waiting],
                }
            )
        )
    return pd.concat(pieces, ignore_index=True)


def spinning_s(built: Built, run: Run) -> float:
    """CPU of all sessions that went into spinning, in seconds of the whole run."""
    spins = np.array([where.activity == SPINNING for where in built.model.where])
    return built.load.scale * float(run.tally["cpu"][spins].sum())


def _cpu(built: Built, run: Run) -> np.ndarray:
    owner = np.array([where.process for where in built.model.where])
    used: np.ndarray = np.bincount(owner, run.tally["cpu"], len(built.model.processes))
    return used


def _numbers(built: Built) -> list[int]:
    return [process.number for process in built.sessions]
