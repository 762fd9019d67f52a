"""The waits of any model's sessions, and how long each took, as the tidy frame of a measurement and as V$ rows."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from raclab.cluster.roster import Roster
from raclab.oracle_names import wait_class
from raclab.sim import Run


def waits_of(roster: Roster, runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run, session and event that occurred: total_waits (count), time_s and max_s (seconds).

    Where a run is a sample, count and time are scaled to the whole, and ``max_s`` is that of the sample.
    """
    model, sessions = roster.model, roster.sessions
    numbers = [process.number for _, _, process in sessions]
    nodes = np.array([node + 1 for node, _, _ in sessions])
    within = np.array([number for _, number, _ in sessions])
    events = np.array(model.events, dtype=object)
    classes = np.array([wait_class(event) for event in model.events], dtype=object)
    tally = np.stack([run.waits[numbers] for run in runs])[:, :, : len(events)]  # run, session, event
    scale = np.array([roster.scale(run) for run in runs])
    run, session, event = np.nonzero(tally["hits"])
    found = tally[run, session, event]
    return pd.DataFrame(
        {
            "run": run,
            "inst_id": nodes[session],
            "session": within[session],
            "event": events[event],
            "wait_class": classes[event],
            "total_waits": np.rint(scale[run] * found["hits"]).astype(np.int64),
            "time_s": scale[run] * found["time"],
            "max_s": found["longest"],
        }
    )
