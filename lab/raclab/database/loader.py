"""Adds a measurement's frames to the simulated cluster's counters, in Oracle's units."""

import datetime

import duckdb
import pandas as pd

from raclab.database.engine import Engine
from raclab.database.errors import LoadError
from raclab.database.views import ADDED, documented
from raclab.database.wait_classes import WAIT_CLASSES, stable_id
from raclab.evidence.measurement import Kind, Measurement

CENTISECONDS = 100
MICROSECONDS = 1_000_000
NO_MODULE = "raclab"
PROGRAM = "raclab simulator"
_LONGEST = 64


def load(engine: Engine, measurement: Measurement, module: str = "") -> None:
    """Add every run of a simulated measurement, one after the other; all of it or, on an error, nothing of that run.

    Each run gets sessions of its own, which stay in GV$SESSION with ``module`` and the case as action, and the cluster's clock runs
    on by the time that the run took. Raises LoadError for a measurement that was not simulated, or that has views or wait classes
    which the lab does not have.
    """
    if measurement.source.kind is not Kind.SIMULATED:
        raise LoadError(
            f"{measurement.case} is {measurement.badge}: the simulated cluster's views show simulated runs only; "
            "published figures are in the schema PUBLISHED."
        )
    _check(measurement)
    for run in sorted(measurement.sessions["run"].unique()):
        _Run(engine, measurement.one_run(run), module or NO_MODULE).add()


def _check(measurement: Measurement) -> None:
    unknown = sorted(set(measurement.views) - set(ADDED))
    if unknown:
        raise LoadError(f"{measurement.case}: the lab has no view GV${unknown[0]} to load rows into.")
    for view, frame in measurement.views.items():
        known = {column.name for column in documented()[view]} | {"INST_ID", "run", "session", "SAMPLE_S"}
        strange = sorted(set(frame.columns) - known)
        if strange:
            raise LoadError(f"{measurement.case}: GV${view} has no column {strange[0]}.")
    classes = sorted(set(measurement.waits["wait_class"]) - set(WAIT_CLASSES))
    if classes:
        raise LoadError(f"{measurement.case}: there is no wait class {classes[0]}.")


class _Run:
    """One run on its way into the counters."""

    def __init__(self, engine: Engine, measurement: Measurement, module: str) -> None:
        self.engine = engine
        self.measurement = measurement
        self.module = module[:_LONGEST]
        self.action = measurement.case[:_LONGEST]
        history = measurement.views.get("ACTIVE_SESSION_HISTORY")
        sampled = float(history["SAMPLE_S"].max()) if history is not None and len(history) else 0.0
        self.seconds = max(float(measurement.sessions["elapsed_s"].max()), sampled)
        self.began = engine.now()
        pairs = sorted((int(i), int(s)) for i, s in zip(measurement.sessions["inst_id"], measurement.sessions["session"], strict=True))
        self.sids = {pair: engine.next_sid() for pair in pairs}

    def add(self) -> None:
        """Add it all in one transaction, and let the clock run on."""
        frame = self.measurement.sessions
        self.engine.ensure_instances(int(frame["inst_id"].max()))
        statistics = set(self.measurement.stats["name"]) | {"CPU used by this session", "DB time", "execute count"}
        self.engine.know_statistics(statistics)
        tables = {
            "session": self._sessions(),
            "session_event": self._waits(),
            "sysstat": self._stats(),
            "sesstat": self._session_stats(),
            **{view: self._view(view, rows) for view, rows in self.measurement.views.items()},
        }
        with self.engine.writing() as root:
            self._know_events(root)
            for table, rows in tables.items():
                if len(rows):
                    root.register("loading", rows)
                    names = ", ".join(f'"{name}"' for name in rows.columns)
                    root.execute(f'INSERT INTO cluster."{table}" ({names}) SELECT {names} FROM loading')
                    root.unregister("loading")
        self.engine.advance(self.seconds)
        self.engine.runs.append(f"{self.module}: {self.action}" if self.module != NO_MODULE else self.action)

    def _sid(self, frame: pd.DataFrame, instance: str, session: str) -> list[int]:
        return [self.sids[int(i), int(s)] for i, s in zip(frame[instance], frame[session], strict=True)]

    def _sessions(self) -> pd.DataFrame:
        frame = self.measurement.sessions
        sids = self._sid(frame, "inst_id", "session")
        ended = self.began + datetime.timedelta(seconds=self.seconds)
        return pd.DataFrame(
            {
                "inst_id": frame["inst_id"].astype("int64").to_numpy(),
                "sid": sids,
                "serial": sids,
                "logon_time": pd.Series([self.began] * len(frame), dtype="datetime64[us]"),
                "idle_since": pd.Series([ended] * len(frame), dtype="datetime64[us]"),
                "connected": False,
                "osuser": "raclab",
                "process": [str(sid) for sid in sids],
                "machine": [f"node{int(instance)}" for instance in frame["inst_id"]],
                "program": PROGRAM,
                "module": self.module,
                "action": self.action,
            }
        )

    def _waits(self) -> pd.DataFrame:
        frame = self.measurement.waits
        return pd.DataFrame(
            {
                "inst_id": frame["inst_id"].astype("int64").to_numpy(),
                "sid": self._sid(frame, "inst_id", "session"),
                "event": frame["event"].astype(str).to_numpy(),
                "total_waits": frame["total_waits"].astype("int64").to_numpy(),
                "micro": (frame["time_s"].astype(float) * MICROSECONDS).round().astype("int64").to_numpy(),
                "max_micro": (frame["max_s"].astype(float) * MICROSECONDS).round().astype("int64").to_numpy(),
            }
        )

    def _know_events(self, root: duckdb.DuckDBPyConnection) -> None:
        waits = self.measurement.waits
        for event, wait_class in sorted(set(zip(waits["event"], waits["wait_class"], strict=True))):
            number, class_id = WAIT_CLASSES[wait_class]
            root.execute(
                "INSERT INTO cluster.event SELECT $1, $2, $3, $4, $5 WHERE $1 NOT IN (SELECT event FROM cluster.event)",
                [event, wait_class, stable_id(event), class_id, number],
            )

    def _stats(self) -> pd.DataFrame:
        """The instances' statistics; of those that come by session only, the sum."""
        frame = self.measurement.stats
        given = pd.DataFrame(
            {
                "inst_id": frame["inst_id"].astype("int64").to_numpy(),
                "name": frame["name"].astype(str).to_numpy(),
                "value": frame["value"].astype(float).to_numpy(),
            }
        )
        sessions = self._session_stats()
        missing = sessions[~sessions["name"].isin(set(given["name"]))]
        if missing.empty:
            return given
        summed = missing.groupby(["inst_id", "name"])["value"].sum().reset_index()
        return pd.concat([given, summed], ignore_index=True)

    def _session_stats(self) -> pd.DataFrame:
        frame = self.measurement.sessions
        sids = self._sid(frame, "inst_id", "session")
        pieces = []
        for column, name, factor in (
            ("cpu_s", "CPU used by this session", CENTISECONDS),
            ("elapsed_s", "DB time", CENTISECONDS),
            ("calls", "execute count", 1),
        ):
            values = frame[column].astype(float).to_numpy() * factor
            instances = frame["inst_id"].astype("int64").to_numpy()
            pieces.append(pd.DataFrame({"inst_id": instances, "sid": sids, "name": name, "value": values}))
        joined = pd.concat(pieces, ignore_index=True)
        return joined[joined["value"].notna()]

    def _view(self, view: str, frame: pd.DataFrame) -> pd.DataFrame:
        rows = frame.drop(columns=["run"]).reset_index(drop=True)
        if view == "ACTIVE_SESSION_HISTORY":
            from raclab.database.ash import samples

            return samples(rows, self.sids, self.began, self.module, self.action, PROGRAM)
        if "session" in rows:  # the simulation numbers its sessions, the database gives them a SID
            rows["SID"] = self._sid(rows, "INST_ID", "session")
            rows = rows.drop(columns="session")
        return rows
