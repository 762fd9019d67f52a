"""Runs of NFS loads as tidy frames, in seconds; ``stats`` has V$SYSSTAT's names and units (times there are centiseconds)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from raclab.cluster.common_views import views_of
from raclab.cluster.ledger import Ledger
from raclab.cluster.nfs import PARTS, Built
from raclab.cluster.roster import Roster, Segment
from raclab.cluster.session_frame import sessions_of
from raclab.cluster.wait_frame import waits_of
from raclab.evidence.measurement import STAT_COLUMNS
from raclab.sim import Run

CENTISECONDS = 100.0


_SCAN = "SELECT /*+ FULL(t) PARALLEL(t) */ COUNT(*), SUM(amount) FROM big_table t"
_LOOK_UP = "SELECT amount FROM big_table WHERE id = :id"
_TABLE = Segment("LAB", "BIG_TABLE")


def ledger(built: Built) -> Ledger:
    """Who is who in a load."""
    load = built.load
    executions = {} if load.scan else {(0, _LOOK_UP): load.reads * load.sessions}
    return Ledger(
        Roster(
            built.model,
            tuple((0, number, process) for number, process in enumerate(built.sessions, 1)),
            (0,),
            statement=_SCAN if load.scan else _LOOK_UP,
            executions=lambda _run: executions,
            segment=lambda _activity, event: _TABLE if event == load.event else None,
            read_blocks=load.read_bytes / load.hardware.block_bytes,
        )
    )


def sessions(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and session: calls (reads), cpu_s, elapsed_s. A scan is over for every server when the last one is done."""
    numbers = _numbers(built)
    elapsed = [np.full(len(numbers), run.ended[numbers].max()) if built.load.scan else run.ended[numbers] for run in runs]
    return sessions_of(ledger(built), runs, np.concatenate([run.waits[numbers, 0]["hits"] for run in runs]), elapsed)


def waits(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and session: its reads. A server that found nothing left to read has no row."""
    return waits_of(ledger(built).roster, runs)


def stats(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and statistic of the one instance."""
    load, numbers, whose = built.load, _numbers(built), ledger(built)
    rows: list[tuple[int, int, str, float]] = []
    for place, run in enumerate(runs):
        read = run.waits[numbers, 0]
        reads, waited = int(read["hits"].sum()), float(read["time"].sum())
        of_run = {
            "physical reads": reads * load.read_bytes / load.hardware.block_bytes,
            "physical read IO requests": float(reads),
            "physical read total bytes": reads * load.read_bytes,
            "CPU used by this session": CENTISECONDS * float(whose.cpu_s(run)[numbers].sum()),
            "user I/O wait time": CENTISECONDS * waited,
            "DB time": CENTISECONDS * float(whose.db_s(run)[numbers].sum()),
        }
        rows.extend((place, 1, name, value) for name, value in of_run.items())
    return pd.DataFrame(rows, columns=list(STAT_COLUMNS))


def parts(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and part: ``time_s`` that a session spent in it, mean over the sessions. Waits in line are in the part waited for."""
    activity = built.model.where.activity_among(PARTS)
    mine = activity >= 0
    rows: list[tuple[int, str, float]] = []
    for place, run in enumerate(runs):
        total = np.bincount(activity[mine], run.tally["time"][mine], len(PARTS)) / len(built.sessions)
        rows.extend((place, name, float(seconds)) for name, seconds in zip(PARTS, total, strict=True))
    return pd.DataFrame(rows, columns=["run", "part", "time_s"])


def _numbers(built: Built) -> list[int]:
    return [process.number for process in built.sessions]


def views(built: Built, run: Run) -> dict[str, pd.DataFrame]:
    """Rows of further V$ views of a run, by the view's name."""
    return views_of(ledger(built), run)
