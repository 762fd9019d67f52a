"""Samples of a run as rows of GV$ACTIVE_SESSION_HISTORY."""

import datetime
from collections.abc import Mapping

import pandas as pd

from raclab.database.wait_classes import WAIT_CLASSES, stable_id


def samples(
    rows: pd.DataFrame,
    sids: Mapping[tuple[int, int], int],
    began: datetime.datetime,
    module: str,
    action: str,
    program: str,
) -> pd.DataFrame:
    """Give samples their session, time, number and names.

    ``rows`` has INST_ID, session (its number within the instance), SAMPLE_S (seconds since the run began) and further columns of the
    view; ``sids`` gives a session's SID. All sessions sampled at one moment get one SAMPLE_ID, the number of milliseconds of the
    cluster's clock, so that it grows over runs as in Oracle it grows with time.
    """
    out = rows.drop(columns=["session", "SAMPLE_S"]).copy()
    seconds = pd.to_timedelta(rows["SAMPLE_S"].astype(float), unit="s")
    times = (pd.Timestamp(began) + seconds).dt.floor("ms")
    own = [sids[int(instance), int(session)] for instance, session in zip(rows["INST_ID"], rows["session"], strict=True)]
    out["INST_ID"] = rows["INST_ID"].astype("int64")
    out["SAMPLE_TIME"] = times.astype("datetime64[us]")
    out["SAMPLE_ID"] = times.astype("datetime64[ms]").astype("int64")
    out["SESSION_ID"] = own
    out["SESSION_SERIAL#"] = own
    constant = {"IS_AWR_SAMPLE": "N", "SESSION_TYPE": "FOREGROUND", "PROGRAM": program, "MODULE": module, "ACTION": action}
    for column, value in constant.items():
        if column not in out:
            out[column] = value
    out["USER_ID"] = 100
    out["MACHINE"] = [f"node{int(instance)}" for instance in rows["INST_ID"]]
    if "EVENT" in out:
        out["EVENT_ID"] = [stable_id(event) if isinstance(event, str) else None for event in out["EVENT"]]
    if "WAIT_CLASS" in out:
        out["WAIT_CLASS_ID"] = [WAIT_CLASSES[name][1] if isinstance(name, str) else None for name in out["WAIT_CLASS"]]
    for column in ("EVENT_ID", "WAIT_CLASS_ID"):
        if column in out:
            out[column] = out[column].astype("Int64")
    return out
