"""The waits of any model's sessions as the tidy frame of a measurement."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from raclab.oracle_names import wait_class
from raclab.sim import Model, Process, Run


def waits_of(model: Model, sessions: Sequence[tuple[int, int, Process]], runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run, session and event that occurred: total_waits (count), time_s and max_s (seconds).

    ``sessions`` are (node from 0, number within the node, process).
    """
    numbers = [process.number for _, _, process in sessions]
    nodes = np.array([node + 1 for node, _, _ in sessions])
    within = np.array([number for _, number, _ in sessions])
    events = np.array(model.events, dtype=object)
    classes = np.array([wait_class(event) for event in model.events], dtype=object)
    tally = np.stack([run.waits[numbers] for run in runs])  # run, session, event
    run, session, event = np.nonzero(tally["hits"])
    found = tally[run, session, event]
    return pd.DataFrame(
        {
            "run": run,
            "inst_id": nodes[session],
            "session": within[session],
            "event": events[event],
            "wait_class": classes[event],
            "total_waits": found["hits"],
            "time_s": found["time"],
            "max_s": found["longest"],
        }
    )
