"""Runs of posting servers as tidy frames in seconds, scaled to one second of own work for every server asked for."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from raclab.cluster.common_views import views_of
from raclab.cluster.ledger import Ledger
from raclab.cluster.roster import Roster
from raclab.cluster.semaphores import CPU_QUEUE, LOCKED, PARTS, SPINNING, USER, Built
from raclab.cluster.session_frame import sessions_of
from raclab.evidence.measurement import STAT_COLUMNS
from raclab.sim import Run

CENTISECONDS = 100.0
_ON_CPU = (USER, SPINNING, LOCKED)


def messages(built: Built, run: Run) -> float:
    """Messages posted while the model ran."""
    return float(run.tally["hits"][_rows(built, LOCKED)].sum())


def elapsed_s(built: Built, run: Run) -> float:
    """Seconds that the servers take for the work of all that were asked for: a second each."""
    return built.load.servers * built.load.messages_s * run.clock / messages(built, run)


def cpu_by_part(built: Built, run: Run) -> dict[str, float]:
    """CPU of all servers over the elapsed time, in seconds, by what it went into."""
    scale = elapsed_s(built, run) / run.clock
    return {part: scale * float(run.tally["cpu"][_rows(built, part)].sum()) for part in _ON_CPU}


_QUERY = "SELECT /*+ PARALLEL */ COUNT(*) FROM big_table t1, big_table t2 WHERE t1.id = t2.id"


def ledger(built: Built) -> Ledger:
    """Who is who in a load; the run is scaled to one second of own work for every server asked for."""
    return Ledger(
        Roster(
            built.model,
            tuple((0, number, process) for number, process in enumerate(built.servers, 1)),
            (0,),
            statement=_QUERY,
            cores=(built.load.hardware.cpus,),
            queueing=frozenset((CPU_QUEUE, "")),
            system=frozenset((SPINNING, LOCKED)),
            to_the_end=True,
            scale=lambda run: elapsed_s(built, run) / run.clock,
        )
    )


def sessions(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and server that ran: calls (messages), cpu_s and elapsed_s."""
    whose, count = ledger(built), len(built.servers)
    sends = _rows(built, LOCKED)
    posted = [np.bincount(whose.owner[sends], run.tally["hits"][sends], len(built.model.processes))[whose.numbers] for run in runs]
    calls = [np.rint(whose.roster.scale(run) * each).astype(np.int64) for run, each in zip(runs, posted, strict=True)]
    return sessions_of(whose, runs, np.concatenate(calls), [np.full(count, run.clock) for run in runs])


def parts(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and part: ``time_s`` of a server, mean; what is not CPU is waiting for one."""
    rows: list[tuple[int, str, float]] = []
    for place, run in enumerate(runs):
        each = {part: seconds / len(built.servers) for part, seconds in cpu_by_part(built, run).items()}
        each[CPU_QUEUE] = max(0.0, elapsed_s(built, run) - sum(each.values()))
        rows.extend((place, part, each[part]) for part in PARTS)
    return pd.DataFrame(rows, columns=["run", "part", "time_s"])


def stats(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and statistic of the one instance, under V$SYSSTAT's names; times in centiseconds."""
    rows: list[tuple[int, int, str, float]] = []
    whose = ledger(built)
    for place, run in enumerate(runs):
        of_run = {
            "CPU used by this session": CENTISECONDS * sum(cpu_by_part(built, run).values()),
            "DB time": CENTISECONDS * whose.roster.scale(run) * float(whose.db_s(run)[whose.numbers].sum()),
            "PX local messages sent": built.load.servers * built.load.messages_s,
        }
        rows.extend((place, 1, name, value) for name, value in of_run.items())
    return pd.DataFrame(rows, columns=list(STAT_COLUMNS))


def views(built: Built, run: Run) -> dict[str, pd.DataFrame]:
    """Rows of further V$ views of a run, by the view's name."""
    return views_of(ledger(built), run)


def _rows(built: Built, part: str) -> np.ndarray:
    rows: np.ndarray = np.flatnonzero(built.model.where.activity_is(part))
    return rows
