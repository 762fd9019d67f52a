"""Runs of batch jobs as tidy frames, in seconds; ``stats`` has V$SYSSTAT's names and units (centiseconds)."""

from collections.abc import Sequence

import pandas as pd

from raclab.cluster.common_views import views_of
from raclab.cluster.ledger import Ledger
from raclab.cluster.roster import Roster
from raclab.cluster.session_frame import sessions_of
from raclab.evidence.measurement import STAT_COLUMNS
from raclab.sim import Model, Process, Run

CENTISECONDS = 100.0


def ledger(model: Model, jobs: Sequence[Process]) -> Ledger:
    """Who is who on a node with jobs."""
    return Ledger(Roster(model, tuple((0, number, job) for number, job in enumerate(jobs, 1)), (0,)))


def sessions(whose: Ledger, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and job: calls (1), cpu_s, elapsed_s."""
    return sessions_of(whose, runs, 1)


def stats(whose: Ledger, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and statistic."""
    rows: list[tuple[int, int, str, float]] = []
    for place, run in enumerate(runs):
        for name, seconds in (("CPU used by this session", whose.cpu_s(run)), ("DB time", whose.db_s(run))):
            rows.append((place, 1, name, CENTISECONDS * float(seconds[whose.numbers].sum())))
    return pd.DataFrame(rows, columns=list(STAT_COLUMNS))


def views(whose: Ledger, run: Run) -> dict[str, pd.DataFrame]:
    """Rows of V$ views of a run, by the view's name."""
    return views_of(whose, run)
