"""Samples of a run as rows of GV$ACTIVE_SESSION_HISTORY."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from raclab.database.loaded_rows import Identity

PROGRAM = "raclab simulator"
_OWN = ("run", "session", "SAMPLE_S", "background", "blocker_instance", "blocker_session")
AWR_KEEPS_EACH = 10
"""DBA_HIST_ACTIVE_SESS_HISTORY has each so manieth sample, as _ash_disk_filter_ratio has it."""


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of texts: which of ``texts`` each row has, counted from 1, and 0 where it has none."""

    texts: Sequence[str]
    codes: np.ndarray

    def __len__(self) -> int:
        return len(self.codes)


Column = np.ndarray | Coded | str | int | datetime.datetime
"""A column as it is loaded; one value stands for as many rows as the others have."""


def samples(
    rows: pd.DataFrame, who: "Identity", px_session: pd.DataFrame | None = None, px_process: pd.DataFrame | None = None
) -> dict[str, Column]:
    """Give samples their session, time, number and names.

    ``rows`` has INST_ID, session (its number within the instance) or background (a process's name), SAMPLE_S (seconds since the run
    began) and further columns of the view. All sessions sampled at one moment get one SAMPLE_ID, the number of milliseconds of the
    cluster's clock, so that it grows over runs as in Oracle it grows with time. Parallel servers get their coordinator and their name.
    """
    moments, which = np.unique(rows["SAMPLE_S"].to_numpy(dtype=float), return_inverse=True)
    times = (pd.Timestamp(who.began) + pd.to_timedelta(moments, unit="s")).floor("ms")
    sids = who.of(rows, "INST_ID")
    background = rows["background"].notna().to_numpy() if "background" in rows else np.zeros(len(rows), dtype=bool)
    out: dict[str, Column] = {str(name): column(rows[name]) for name in rows if name not in _OWN}
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


def _blockers(rows: pd.DataFrame, who: "Identity") -> dict[str, Column]:
    """Who held what each sampled session was waiting for, where that is known."""
    known = rows["blocker_session"].to_numpy() > 0
    blocking = rows.loc[known, ["blocker_instance", "blocker_session"]]
    found = {"BLOCKING_SESSION": who.of(blocking, "blocker_instance", "blocker_session"), "BLOCKING_INST_ID": blocking["blocker_instance"]}
    return {name: _placed(known, np.asarray(values)) for name, values in found.items()}


def _placed(known: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The values at the places that are known, null elsewhere."""
    column = np.full(len(known), None, dtype=object)
    column[known] = values
    return column


def column(values: pd.Series) -> Column:
    """A column of a frame as it is loaded: texts as codes, numbers as they are, null where a value is missing."""
    if values.dtype.kind in "iu" and isinstance(values.dtype, np.dtype):
        return values.to_numpy()
    if values.dtype.kind in "OU" or isinstance(values.dtype, pd.StringDtype):
        codes, texts = pd.factorize(values)
        if all(isinstance(text, str) for text in texts):
            return Coded(tuple(texts), codes + 1)
    plain = values.to_numpy(dtype=object, copy=True)
    plain[values.isna().to_numpy()] = None
    return plain


def _programs(sids: np.ndarray, who: "Identity", px_process: pd.DataFrame | None) -> Coded:
    """The program of background processes and parallel servers, of others the simulator."""
    found = {sid: f"oracle@node{inst} ({name})" for (inst, name), sid in who.background.items()}
    if px_process is not None:
        servers = zip(px_process["INST_ID"], who.of(px_process, "INST_ID").tolist(), px_process["SERVER_NAME"], strict=True)
        found |= {sid: f"oracle@node{inst} ({name})" for inst, sid, name in servers}
    different, which = np.unique(sids, return_inverse=True)
    codes, programs = pd.factorize(np.array([found.get(sid, PROGRAM) for sid in different.tolist()], dtype=object))
    return Coded(tuple(programs), codes[which] + 1)


def _coordinators(sids: np.ndarray, px_session: pd.DataFrame, who: "Identity") -> dict[str, Column]:
    """The coordinator of each sample of a parallel server; the coordinator itself has none."""
    coordinator, instance = int(who.of(px_session, "qc_instance", "qc_session")[0]), int(px_session["qc_instance"].iloc[0])
    servers = who.of(px_session[px_session["QCINST_ID"].notna()], "INST_ID")
    served = np.isin(sids, servers)
    return {name: where(served, value) for name, value in (("QC_SESSION_ID", coordinator), ("QC_INSTANCE_ID", instance))}


def where(known: np.ndarray, values: np.ndarray | int) -> np.ndarray:
    """The values where they are known, else null."""
    column = np.full(len(known), None, dtype=object)
    column[known] = np.broadcast_to(values, len(known))[known]
    return column
