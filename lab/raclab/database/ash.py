"""Samples of a run as rows of GV$ACTIVE_SESSION_HISTORY."""

import numpy as np
import pandas as pd

from raclab.database.loaded_columns import OWN_COLUMNS, Coded, Rows, column, where
from raclab.database.run_sessions import PROGRAM, Identity

AWR_KEEPS_EACH = 10
"""DBA_HIST_ACTIVE_SESS_HISTORY has each so manieth sample, as _ash_disk_filter_ratio has it."""


def samples(rows: pd.DataFrame, who: Identity, px_session: pd.DataFrame | None = None, px_process: pd.DataFrame | None = None) -> Rows:
    """Give samples their session, time, number and names.

    ``rows`` has INST_ID, session (its number within the instance) or background (a process's name), SAMPLE_S (seconds since the run
    began) and further columns of the view. All sessions sampled at one moment get one SAMPLE_ID, the number of milliseconds of the
    cluster's clock, so that it grows over runs as in Oracle it grows with time. Parallel servers get their coordinator and their name.
    """
    moments, which = np.unique(rows["SAMPLE_S"].to_numpy(dtype=float), return_inverse=True)
    times = (pd.Timestamp(who.began) + pd.to_timedelta(moments, unit="s")).floor("ms")
    sids = who.of(rows, "INST_ID")
    background = rows["background"].notna().to_numpy() if "background" in rows else np.zeros(len(rows), dtype=bool)
    out: Rows = {str(name): column(values) for name, values in rows.items() if name not in OWN_COLUMNS}
    foreground = np.where(background, 0, 1)
    out |= {
        "SAMPLE_TIME": times.astype("datetime64[us]").to_numpy()[which],
        "SAMPLE_ID": times.astype("datetime64[ms]").astype("int64").to_numpy()[which],
        "IS_AWR_SAMPLE": Coded(("N", "Y"), np.where(np.arange(len(moments)) % AWR_KEEPS_EACH == 0, 2, 1)[which]),
        "SESSION_ID": sids,
        "SESSION_TYPE": Coded(("BACKGROUND", "FOREGROUND"), 1 + foreground),
        "MODULE": Coded((who.module,), foreground),
        "ACTION": Coded((who.action,), foreground),
        "PROGRAM": _programs(sids, who, px_process),
    }
    if px_session is not None and len(px_session):
        out |= _coordinators(sids, px_session, who)
    if "blocker_session" in rows:
        out |= _blockers(rows, who)
    return out


def _blockers(rows: pd.DataFrame, who: Identity) -> Rows:
    """Who held what each sampled session was waiting for, where that is known."""
    known = rows["blocker_session"].to_numpy() > 0
    blocking = rows.loc[known, ["blocker_instance", "blocker_session"]]
    found = {"BLOCKING_SESSION": who.of(blocking, "blocker_instance", "blocker_session"), "BLOCKING_INST_ID": blocking["blocker_instance"]}
    return {name: where(known, np.asarray(values)) for name, values in found.items()}


def _programs(sids: np.ndarray, who: Identity, px_process: pd.DataFrame | None) -> Coded:
    """The program of background processes and parallel servers, of others the simulator."""
    found = {sid: f"oracle@node{inst} ({name})" for (inst, name), sid in who.background.items()}
    if px_process is not None:
        servers = zip(px_process["INST_ID"], who.of(px_process, "INST_ID").tolist(), px_process["SERVER_NAME"], strict=True)
        found |= {sid: f"oracle@node{inst} ({name})" for inst, sid, name in servers}
    different, which = np.unique(sids, return_inverse=True)
    codes, programs = pd.factorize(np.array([found.get(sid, PROGRAM) for sid in different.tolist()], dtype=object))
    return Coded(tuple(programs), codes[which] + 1)


def _coordinators(sids: np.ndarray, px_session: pd.DataFrame, who: Identity) -> Rows:
    """The coordinator of each sample of a parallel server; the coordinator itself has none."""
    coordinator, instance = int(who.of(px_session, "qc_instance", "qc_session")[0]), int(px_session["qc_instance"].iloc[0])
    servers = who.of(px_session[px_session["QCINST_ID"].notna()], "INST_ID")
    served = np.isin(sids, servers)
    return {name: where(served, value) for name, value in (("QC_SESSION_ID", coordinator), ("QC_INSTANCE_ID", instance))}
