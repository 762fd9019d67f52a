"""Histograms of waits, and the waits of background processes, as V$ rows of any model's run."""

import numpy as np
import pandas as pd

from raclab.cluster.ledger import Ledger
from raclab.oracle_names import IDLE_EVENTS
from raclab.sim import Run, ops

MICROSECONDS = 1e6


def histogram_of(ledger: Ledger, run: Run) -> pd.DataFrame:
    """V$EVENT_HISTOGRAM_MICRO: one row an instance, event and bucket that occurred; WAIT_TIME_MICRO is the bucket's upper bound.

    Where a run is a sample, the counts are scaled so that they add up to the TOTAL_WAITS of the instance's sessions.
    """
    roster, rows = ledger.roster, list[tuple[int, int, str, int, int]]()
    scale = roster.scale(run)
    for node, cpu in enumerate(roster.cpus):
        for number, event in enumerate(roster.model.events):
            counts = run.histogram[cpu, number]
            if scale != 1.0:
                wanted = int(np.rint(scale * run.waits[ledger.on(node), number]["hits"]).sum())
                share = np.cumsum(counts) / max(1, counts.sum())
                counts = np.diff(np.rint(wanted * share), prepend=0.0).astype(np.int64)
            rows.extend((0, node + 1, event, 1 << int(bucket), int(counts[bucket])) for bucket in np.flatnonzero(counts))
    return pd.DataFrame(rows, columns=["run", "INST_ID", "EVENT", "WAIT_TIME_MICRO", "WAIT_COUNT"])


def background_events_of(ledger: Ledger, run: Run) -> pd.DataFrame:
    """V$SESSION_EVENT of the background processes: what they wait for at work, and their idle waits for something to do.

    An idle wait is one that a request has ended; those have no histogram, since the model does not mark them one by one.
    """
    rows: list[tuple[int, int, str, str, int, int, float]] = []
    hits, time, longest = (run.tally[field] for field in ("hits", "time", "longest"))
    for (node, name), numbers in ledger.roster.background.items():
        taking = np.isin(ledger.owner, numbers) & (ledger.code == ops.TAKE)
        idle = IDLE_EVENTS[name.rstrip("0123456789")]
        found = {idle: (int(hits[taking].sum()), float(time[taking].sum()), float(longest[taking].max()))}
        for number, event in enumerate(ledger.roster.model.events):
            waits = run.waits[numbers, number]
            found[event] = int(waits["hits"].sum()), float(waits["time"].sum()), float(waits["longest"].max())
        rows.extend(
            (0, node + 1, name, event, count, round(MICROSECONDS * seconds), MICROSECONDS * most)
            for event, (count, seconds, most) in found.items()
            if count
        )
    return pd.DataFrame(rows, columns=["run", "INST_ID", "background", "EVENT", "TOTAL_WAITS", "TIME_WAITED_MICRO", "max_micro"])
