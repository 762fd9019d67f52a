"""Where the time of sessions and background processes went, as V$SESS_TIME_MODEL, and the run queue beside it.

Of a session

    DB time = DB CPU + non-idle waits + waiting for a core outside waits + the rest

The rest is what a model says took time and was neither CPU nor a wait (a trace calls it "unaccounted for"), less the CPU that was used
within waits, which stands in both.
"""

import pandas as pd

from raclab.cluster.ledger import Ledger
from raclab.sim import Run

CENTISECONDS = 100.0
MICROSECONDS = 1e6
RUN_QUEUE = "OS Wait-cpu (latency) time"


def time_model_of(ledger: Ledger, run: Run) -> pd.DataFrame:
    """V$SESS_TIME_MODEL, microseconds: DB time and DB CPU of each session, elapsed time and CPU of each background process.

    DB time is all of a session's time that was not idle. A background process's elapsed time is CPU, waiting for a core, and waits that
    are not idle.
    """
    roster, scale = ledger.roster, MICROSECONDS * ledger.roster.scale(run)
    cpu, spent = ledger.cpu_s(run), ledger.db_s(run)
    rows: list[tuple[int, int, int, str | None, str, int]] = []
    for node, within, process in roster.sessions:
        for statistic, seconds in (("DB time", spent), ("DB CPU", cpu)):
            rows.append((0, node + 1, within, None, statistic, round(scale * float(seconds[process.number]))))
    elapsed = ledger.of_processes(run.tally["time"], ledger.at_work)
    for (node, name), numbers in roster.background.items():
        for statistic, seconds in (("background elapsed time", elapsed), ("background cpu time", cpu)):
            rows.append((0, node + 1, 0, name, statistic, round(scale * float(seconds[numbers].sum()))))
    return pd.DataFrame(rows, columns=["run", "INST_ID", "session", "background", "STAT_NAME", "VALUE"])


def run_queue_of(ledger: Ledger, run: Run) -> pd.DataFrame:
    """V$SESSTAT's time of each session in the run queue outside its waits, in centiseconds."""
    scale, queued = CENTISECONDS * ledger.roster.scale(run), ledger.queue_s(run)
    rows = [(0, node + 1, within, RUN_QUEUE, scale * float(queued[one.number])) for node, within, one in ledger.roster.sessions]
    return pd.DataFrame(rows, columns=["run", "INST_ID", "session", "NAME", "VALUE"])
