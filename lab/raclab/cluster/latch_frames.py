"""Runs of latch loads as tidy frames in seconds, scaled from the sample to the whole run; V$ rows have Oracle's names and units."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from raclab.cluster.common_views import views_of
from raclab.cluster.latches import CORE, LATCH_NAME, PARTS, SPINNING, Built
from raclab.cluster.ledger import Ledger
from raclab.cluster.roster import Roster
from raclab.cluster.session_frame import sessions_of
from raclab.cluster.wait_frame import waits_of
from raclab.evidence.measurement import STAT_COLUMNS
from raclab.sim import Run

CENTISECONDS = 100.0
MICROSECONDS = 1e6


_QUERY = "SELECT COUNT(*) FROM small_table WHERE id = :id"


def ledger(built: Built) -> Ledger:
    """Who is who in a load; the run is a sample of the whole query."""
    return Ledger(
        Roster(
            built.model,
            tuple((0, number, process) for number, process in enumerate(built.sessions, 1)),
            (0,),
            statement=_QUERY,
            cores=(built.load.cores,),
            queueing=frozenset((CORE,)),
            scale=lambda _run: built.load.scale,
        )
    )


def sessions(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and session: calls (latch gets), cpu_s and elapsed_s of the whole query."""
    return sessions_of(ledger(built), runs, built.load.gets)


def waits(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and session that slept: its sleeps for the latch. ``max_s`` is that of the sample."""
    return waits_of(ledger(built).roster, runs)


def stats(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and statistic of the one instance, under V$SYSSTAT's names; times in centiseconds."""
    rows: list[tuple[int, int, str, float]] = []
    whose = ledger(built)
    for place, run in enumerate(runs):
        for name, seconds in (("CPU used by this session", whose.cpu_s(run)), ("DB time", whose.db_s(run))):
            rows.append((place, 1, name, CENTISECONDS * built.load.scale * float(seconds.sum())))
    return pd.DataFrame(rows, columns=list(STAT_COLUMNS))


def views(built: Built, run: Run) -> dict[str, pd.DataFrame]:
    """Rows of further V$ views of a run, by the view's name; ASH has one sample a second of the whole run."""
    return views_of(ledger(built), run) | {"LATCH": latch(built, [run])}


def parts(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and part: ``time_s`` that a session spent in it, mean over the sessions."""
    activity = built.model.where.activity_among(PARTS)
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


def spinning_s(built: Built, run: Run) -> float:
    """CPU of all sessions that went into spinning, in seconds of the whole run."""
    spins = built.model.where.activity_is(SPINNING)
    return built.load.scale * float(run.tally["cpu"][spins].sum())


def _numbers(built: Built) -> list[int]:
    return [process.number for process in built.sessions]
