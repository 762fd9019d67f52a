"""The V$ rows that any model's run gives, whatever the model is about."""

import pandas as pd

from raclab.cluster.ash_frame import history_of
from raclab.cluster.event_frames import background_events_of, histogram_of
from raclab.cluster.ledger import Ledger
from raclab.cluster.machine_frames import instance_ping_of, osstat_of, parameters_of
from raclab.cluster.segment_frame import segments_of
from raclab.cluster.statement_frame import sql_of
from raclab.cluster.time_frames import run_queue_of, time_model_of
from raclab.sim import Run


def views_of(ledger: Ledger, run: Run) -> dict[str, pd.DataFrame]:
    """All of them that have rows, by the view's name without V$ or GV$."""
    found = {
        "ACTIVE_SESSION_HISTORY": history_of(ledger, run),
        "EVENT_HISTOGRAM_MICRO": histogram_of(ledger, run),
        "SESSION_EVENT": background_events_of(ledger, run),
        "SESS_TIME_MODEL": time_model_of(ledger, run),
        "SESSTAT": run_queue_of(ledger, run),
        "OSSTAT": osstat_of(ledger, run),
        "PARAMETER": parameters_of(ledger),
        "INSTANCE_PING": instance_ping_of(ledger),
        "SEGMENT_STATISTICS": segments_of(ledger, run),
        "SQL": sql_of(ledger, run),
    }
    return {name: frame for name, frame in found.items() if len(frame) or name == "ACTIVE_SESSION_HISTORY"}
