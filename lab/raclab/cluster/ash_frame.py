"""A run's samples as rows of V$ACTIVE_SESSION_HISTORY."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from raclab.cluster.sql_ids import sql_id
from raclab.oracle_names import wait_class
from raclab.sim import Model, Process, Run


def history_of(
    model: Model, sessions: Sequence[tuple[int, int, Process]], statements: Mapping[str, str], run: Run, start_gap_s: float = 0.0
) -> pd.DataFrame:
    """What each session did at each sample; SAMPLE_S is seconds since the run began.

    sessions     (node from 0, number within the node, process)
    statements   SQL text by activity
    start_gap_s  a session of node n begins n times that late (seconds), and is not active before
    """
    event = np.array([w.event or None for w in model.where], dtype=object)
    text = np.array([statements.get(w.activity) for w in model.where], dtype=object)
    pieces = []
    for node, number, process in sessions:
        ops_then = run.samples[:, process.number]
        active = (ops_then >= 0) & (run.sampled >= node * start_gap_s)
        at = ops_then[active]
        waiting = event[at]
        pieces.append(
            pd.DataFrame(
                {
                    "run": 0,
                    "INST_ID": node + 1,
                    "session": number,
                    "SAMPLE_S": run.sampled[active],
                    "SESSION_STATE": np.where(waiting == None, "ON CPU", "WAITING"),  # noqa: E711 (elementwise)
                    "EVENT": waiting,
                    "WAIT_CLASS": [wait_class(name) if name else None for name in waiting],
                    "SQL_ID": [sql_id(statement) if statement else None for statement in text[at]],
                    "SQL_OPNAME": [statement.split()[0].upper() if statement else None for statement in text[at]],
                }
            )
        )
    return pd.concat(pieces, ignore_index=True)
