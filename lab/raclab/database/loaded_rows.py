"""One run's frames as rows of the counter tables and of the tables behind views, with the SIDs that the database gave its sessions."""

import datetime
from collections.abc import Mapping

import numpy as np
import pandas as pd

from raclab.database.ash import samples
from raclab.database.loaded_columns import OWN_COLUMNS, Coded, Rows, column, columns_of, filled, where
from raclab.database.run_sessions import PROGRAM, Identity
from raclab.database.session_statistics import Values, by_session
from raclab.database.statement_hash import hash_value
from raclab.evidence.measurement import Measurement

CENTISECONDS = 100
MICROSECONDS = 1_000_000

TIME_MODEL, EVENTS, STATISTICS = "SESS_TIME_MODEL", "SESSION_EVENT", "SESSTAT"
COUNTED: Mapping[str, frozenset[str]] = {TIME_MODEL: frozenset(), EVENTS: frozenset(), STATISTICS: frozenset(("NAME",))}
"""Views whose rows go into counters of the lab's own, and what further columns a frame of them may have."""


def tables(measurement: Measurement, who: Identity) -> dict[str, Rows]:
    """Rows by table."""
    views = measurement.views
    known = by_session(measurement)
    found: dict[str, Rows] = {
        "session": _sessions(measurement, who),
        "session_event": _waits(measurement, who),
        "sysstat": _instance_statistics(measurement, known),
        "sesstat": _session_statistics(known, who),
        "time_model": _time_model(measurement, known, who),
    }
    for view, frame in views.items():
        if view not in COUNTED and len(frame):
            found[view] = _view(view, frame, measurement, who)
    if "ACTIVE_SESSION_HISTORY" in found:
        found["session_sql"] = _last_statements(found["ACTIVE_SESSION_HISTORY"])
    return found


def _sessions(measurement: Measurement, who: Identity) -> Rows:
    instances, sids = measurement.sessions["inst_id"].to_numpy(), who.of(measurement.sessions)
    return {
        "inst_id": instances,
        "sid": sids,
        "serial": sids,
        "logon_time": who.began,
        "idle_since": who.began + datetime.timedelta(seconds=who.seconds),
        "connected": False,
        "osuser": "raclab",
        "process": filled([str(sid) for sid in sids.tolist()]),
        "machine": filled([f"node{instance}" for instance in instances.tolist()]),
        "program": PROGRAM,
        "module": who.module,
        "action": who.action,
    }


def _waits(measurement: Measurement, who: Identity) -> Rows:
    frame, others = measurement.waits, measurement.views.get(EVENTS)
    micro, longest = (np.rint(MICROSECONDS * frame[name].to_numpy(dtype=float)).astype(np.int64).tolist() for name in ("time_s", "max_s"))
    rows = list(
        zip(
            frame["inst_id"].tolist(),
            who.of(frame).tolist(),
            frame["event"].tolist(),
            frame["total_waits"].tolist(),
            micro,
            longest,
            strict=True,
        )
    )
    foreground = len(rows)
    if others is not None and len(others):
        columns = ("EVENT", "TOTAL_WAITS", "TIME_WAITED_MICRO")
        most = np.rint(others["max_micro"].to_numpy(dtype=float)).astype(np.int64).tolist()
        sids = who.of(others, "INST_ID").tolist()
        rows += zip(others["INST_ID"].tolist(), sids, *(others[name].tolist() for name in columns), most, strict=True)
    made = columns_of(["inst_id", "sid", "event", "total_waits", "micro", "max_micro"], rows)
    return made | {"background": np.arange(len(rows)) >= foreground}


def _session_statistics(known: Values, who: Identity) -> Rows:
    made = columns_of(["inst_id", "sid", "name"], ((inst, who.sids[inst, session], name) for inst, session, name in known))
    return made | {"value": np.array(list(known.values()), dtype=float)}


def _instance_statistics(measurement: Measurement, known: Values) -> Rows:
    """The instances' statistics; of those that come by session only, the sum."""
    frame = measurement.stats
    rows = list(zip(*(frame[name].tolist() for name in ("inst_id", "name", "value")), strict=True))
    given, summed = {name for _, name, _ in rows}, dict[tuple[int, str], float]()
    for (inst, _, name), value in known.items():
        if name not in given:
            summed[inst, name] = summed.get((inst, name), 0.0) + value
    rows += [(inst, name, value) for (inst, name), value in summed.items()]
    rows += _lost(measurement, {inst for inst, name, _ in rows if name.endswith(" blocks served")})
    made = columns_of(["inst_id", "name", "value"], rows)
    return made | {"value": np.array([value for *_, value in rows], dtype=float)}


def _lost(measurement: Measurement, serving: set[int]) -> list[tuple[int, str, float]]:
    """The blocks that got lost on their way to instances that count what they serve."""
    transfers = measurement.views.get("INSTANCE_CACHE_TRANSFER")
    lost = dict(transfers.groupby("INST_ID")["LOST"].sum()) if transfers is not None and len(transfers) else dict[int, int]()
    return [(inst, "gc blocks lost", float(lost.get(inst, 0))) for inst in sorted(serving)]


def _time_model(measurement: Measurement, known: Values, who: Identity) -> Rows:
    """As it was brought; of a measurement that brings none, DB CPU, and DB time as elapsed time without idle waits."""
    names = ["inst_id", "sid", "name", "micro"]
    frame = measurement.views.get(TIME_MODEL)
    if frame is not None and len(frame):
        instances, statistics, values = (frame[name].tolist() for name in ("INST_ID", "STAT_NAME", "VALUE"))
        return columns_of(names, zip(instances, who.of(frame, "INST_ID").tolist(), statistics, values, strict=True))
    called = {"DB time": "DB time", "CPU used by this session": "DB CPU"}
    to_micro = MICROSECONDS / CENTISECONDS
    return columns_of(
        names,
        (
            (inst, who.sids[inst, number], called[name], round(to_micro * value))
            for (inst, number, name), value in known.items()
            if name in called
        ),
    )


def _view(view: str, rows: pd.DataFrame, measurement: Measurement, who: Identity) -> Rows:
    if view == "ACTIVE_SESSION_HISTORY":
        return samples(rows, who, measurement.views.get("PX_SESSION"), measurement.views.get("PX_PROCESS"))
    kept: Rows = {str(name): column(values) for name, values in rows.items() if name not in OWN_COLUMNS}
    if view == "SQL":
        ended = who.began + datetime.timedelta(seconds=who.seconds)
        hashes = np.array([hash_value(one) for one in rows["SQL_ID"]], dtype=np.int64)
        return kept | {"HASH_VALUE": hashes, "MODULE": who.module, "ACTION": who.action, "LAST_ACTIVE_TIME": ended.replace(microsecond=0)}
    if "session" not in rows:
        return kept
    kept["SID"] = who.of(rows, "INST_ID")  # the simulation numbers its sessions, the database gives them a SID
    if view in ("PX_SESSION", "PX_PROCESS"):
        kept["SERIAL#"] = kept["SID"]
    if "qc_session" in rows:
        kept["QCSID"] = coordinators = who.of(rows, "qc_instance", "qc_session")
        coordinated = rows["QCINST_ID"].notna().to_numpy()
        kept["QCSERIAL#"] = where(coordinated, coordinators[coordinated])  # the coordinator itself shows none
    return kept


def _last_statements(history: Rows) -> Rows:
    """What each session did last that was a statement."""
    instances, sids, moments = (np.asarray(history[name]) for name in ("INST_ID", "SESSION_ID", "SAMPLE_ID"))
    statements = history.get("SQL_ID")
    if not isinstance(statements, Coded):
        return columns_of(["inst_id", "sid", "sql_id"], [])
    told = np.flatnonzero(statements.codes > 0)
    told = told[np.lexsort((told, moments[told], sids[told]))]
    last = told[np.flatnonzero(np.append(sids[told][1:] != sids[told][:-1], True))] if len(told) else told
    return {"inst_id": instances[last], "sid": sids[last], "sql_id": Coded(statements.texts, statements.codes[last])}
