"""What each session of any model spent, as the tidy frame of a measurement."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from raclab.cluster.ledger import Ledger
from raclab.sim import Run


def sessions_of(ledger: Ledger, runs: Sequence[Run], calls: object, elapsed: Sequence[np.ndarray] | None = None) -> pd.DataFrame:
    """One row a run and session: calls, cpu_s and elapsed_s (seconds, scaled to the whole where a run is a sample).

    calls    a number, or an array of each run's sessions, one run after the other
    elapsed  seconds of each run's sessions before scaling; without it, from the session's own start to its end
    """
    roster, numbers, count = ledger.roster, ledger.numbers, len(ledger.numbers)
    if elapsed is None:
        elapsed = [run.ended[numbers] - roster.start_gap_s * ledger.nodes for run in runs]
    return pd.DataFrame(
        {
            "run": np.repeat(np.arange(len(runs)), count),
            "inst_id": np.tile(ledger.nodes + 1, len(runs)),
            "session": np.tile(ledger.within, len(runs)),
            "calls": calls,
            "cpu_s": np.concatenate([roster.scale(run) * ledger.cpu_s(run)[numbers] for run in runs]),
            "elapsed_s": np.concatenate([roster.scale(run) * took for run, took in zip(runs, elapsed, strict=True)]),
        }
    )
