"""A run's samples as rows of V$ACTIVE_SESSION_HISTORY: foreground sessions and background processes."""

import math

import numpy as np
import pandas as pd

from raclab.cluster.blocker_frame import NOBODY, blockers_of
from raclab.cluster.ledger import Ledger
from raclab.cluster.object_numbers import object_number
from raclab.cluster.sql_ids import sql_id
from raclab.cluster.statement_frame import texts
from raclab.oracle_names import wait_class
from raclab.sim import Run

MICROSECONDS = 1e6
ORACLES_INTERVAL_S = 1.0
MOST_ROWS = 6_000
"""Rows that a short run shows at the most; a long one shows Oracle's sample a second, however many that are."""


def history_of(ledger: Ledger, run: Run) -> pd.DataFrame:
    """What each session did at each sample; SAMPLE_S is seconds since the run began.

    TM_DELTA_TIME is the interval that a sample stands for, of which a session that is seen has spent all in DB time.

    ``blocker_instance`` and ``blocker_session`` are who held the lock that it was waiting for, 0 where that is not known.

    A session that is idle, or has not begun, is no part of it. One that waits for a core is ON CPU, as Oracle has it.
    ``background`` names the background process (LMS0), and ``session`` is then 0.
    """
    roster, model = ledger.roster, ledger.roster.model
    events = np.array([*model.events, None], dtype=object)
    classes = np.array([wait_class(name) if name else None for name in events], dtype=object)
    statement, known = texts(ledger)
    ids = np.array([*(sql_id(text) for text in known), None], dtype=object)[statement]
    verbs = np.array([*(text.split()[0].upper() for text in known), None], dtype=object)[statement]
    which, parts = ledger.parts
    objects = np.array([object_number(roster.segment(*part)) for part in parts])[which]
    idle = ledger.idle[ledger.event]

    step = _every(ledger, run)
    sampled, samples = run.sampled[step - 1 :: step], run.samples[step - 1 :: step]
    then = samples[:, ledger.numbers]
    begun = sampled[:, None] >= roster.start_gap_s * ledger.nodes[None, :]
    sample, session = np.nonzero((then >= 0) & ~idle[then] & begun)
    at = then[sample, session]
    blocker, for_lock = blockers_of(ledger, then, sample, session)
    node, within = ledger.nodes[session], ledger.within[session]
    names = np.full(len(at), None, dtype=object)
    for (there, name), numbers in roster.background.items():
        busy = (samples[:, numbers] >= 0) & ledger.at_work[samples[:, numbers]]
        taken = np.flatnonzero(busy.any(axis=1))
        which = np.array(numbers)[busy[taken].argmax(axis=1)]
        sample = np.concatenate([sample, taken])
        at = np.concatenate([at, samples[taken, which]])
        node = np.concatenate([node, np.full(len(taken), there)])
        within = np.concatenate([within, np.zeros(len(taken), dtype=int)])
        names = np.concatenate([names, np.full(len(taken), name, dtype=object)])
    background = len(at) - len(blocker)
    blocker = np.concatenate([blocker, np.full(background, NOBODY)])
    for_lock = np.concatenate([for_lock, np.zeros(background, dtype=bool)])
    known = blocker != NOBODY
    event = ledger.event[at]
    interval = round(MICROSECONDS * roster.scale(run) * float(sampled[0])) if len(sampled) else 0
    return pd.DataFrame(
        {
            "run": 0,
            "INST_ID": node + 1,
            "session": within,
            "background": names,
            "SAMPLE_S": roster.scale(run) * sampled[sample],
            "SESSION_STATE": np.where(event < 0, "ON CPU", "WAITING"),
            "EVENT": events[event],
            "WAIT_CLASS": classes[event],
            "SQL_ID": ids[at],
            "SQL_OPNAME": verbs[at],
            "CURRENT_OBJ#": objects[at],
            "BLOCKING_SESSION_STATUS": np.select([event < 0, known, for_lock], ["NOT IN WAIT", "VALID", "NO HOLDER"], "UNKNOWN"),
            "blocker_instance": np.where(known, ledger.nodes[blocker] + 1, 0),
            "blocker_session": np.where(known, ledger.within[blocker], 0),
            "TM_DELTA_TIME": interval,
            "TM_DELTA_DB_TIME": np.where(within > 0, interval, 0),
            "DELTA_TIME": interval,
        }
    )


def _every(ledger: Ledger, run: Run) -> int:
    """Each how manieth sample is shown: all, unless that were more than MOST_ROWS rows, finer than one sample a second."""
    if len(run.sampled) < 2:
        return 1
    step = ledger.roster.scale(run) * float(run.sampled[1] - run.sampled[0])
    wanted = math.ceil(len(run.sampled) * len(ledger.numbers) / MOST_ROWS)
    return max(1, min(wanted, int(ORACLES_INTERVAL_S / step)))
