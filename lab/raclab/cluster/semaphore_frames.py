"""Runs of posting servers as tidy frames in seconds, scaled to one second of own work for every server asked for."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from raclab.cluster.semaphores import CPU_QUEUE, LOCKED, PARTS, SPINNING, USER, Built
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


def sessions(built: Built, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run and server that ran: calls (messages), cpu_s and elapsed_s."""
    owner = built.owner
    sends = _rows(built, LOCKED)
    count = len(built.servers)
    pieces = []
    for place, run in enumerate(runs):
        elapsed = elapsed_s(built, run)
        scale = elapsed / run.clock
        pieces.append(
            pd.DataFrame(
                {
                    "run": place,
                    "inst_id": 1,
                    "session": np.arange(1, count + 1),
                    "calls": np.rint(scale * np.bincount(owner[sends], run.tally["hits"][sends], count)).astype(np.int64),
                    "cpu_s": scale * np.bincount(owner, run.tally["cpu"], count),
                    "elapsed_s": elapsed,
                }
            )
        )
    return pd.concat(pieces, ignore_index=True)


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
    for place, run in enumerate(runs):
        of_run = {
            "CPU used by this session": CENTISECONDS * sum(cpu_by_part(built, run).values()),
            "DB time": CENTISECONDS * elapsed_s(built, run) * len(built.servers),
            "PX local messages sent": built.load.servers * built.load.messages_s,
        }
        rows.extend((place, 1, name, value) for name, value in of_run.items())
    return pd.DataFrame(rows, columns=list(STAT_COLUMNS))


def osstat(built: Built, run: Run) -> pd.DataFrame:
    """V$OSSTAT of the box: times in centiseconds over the elapsed time."""
    cpu = cpu_by_part(built, run)
    user, system = CENTISECONDS * cpu[USER], CENTISECONDS * (cpu[SPINNING] + cpu[LOCKED])
    cpus = built.load.hardware.cpus
    idle = max(0.0, CENTISECONDS * cpus * elapsed_s(built, run) - user - system)
    of_box = {"NUM_CPUS": cpus, "BUSY_TIME": user + system, "USER_TIME": user, "SYS_TIME": system, "IDLE_TIME": idle}
    return pd.DataFrame([(0, 1, name, round(value)) for name, value in of_box.items()], columns=["run", "INST_ID", "STAT_NAME", "VALUE"])


def _rows(built: Built, part: str) -> np.ndarray:
    rows: np.ndarray = np.flatnonzero(built.activity == part)
    return rows
