"""Adds a measurement's frames to the simulated cluster's counters, in Oracle's units."""

import datetime
from dataclasses import dataclass

import duckdb
import numpy as np
import pandas as pd

from raclab.database.engine import Engine
from raclab.database.errors import LoadError
from raclab.database.loaded_columns import OWN_COLUMNS, Coded, Rows
from raclab.database.loaded_rows import COUNTED, tables
from raclab.database.run_sessions import Identity
from raclab.database.snapshot_tables import BASES
from raclab.database.views import ADDED, TABLES, brought, documented
from raclab.database.wait_classes import WAIT_CLASSES
from raclab.evidence.measurement import Kind, Measurement

NO_MODULE = "raclab"
MOST_SAMPLES = 100_000
"""Rows of V$ACTIVE_SESSION_HISTORY that stay; runs before those that brought them are forgotten."""
_LONGEST = 64
_HISTORY = "ACTIVE_SESSION_HISTORY"
_LOADING = "loading"
FEW = 500
"""Rows up to which a table's are handed over as values."""


def load(engine: Engine, measurement: Measurement, module: str = "") -> list["Loaded"]:
    """Add every run of a simulated measurement, one after the other; all of it or, on an error, nothing of that run.

    Returns what the runs became, in order. Takes a snapshot before the first run and after each.

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
    engine.snapshots.take(f"before {measurement.case}")
    loaded = []
    runs = sorted(measurement.sessions["run"].unique().tolist())
    for run in runs:
        one = _Run(engine, measurement if len(runs) == 1 else measurement.one_run(run), module or NO_MODULE)
        one.add()
        engine.snapshots.take(f"after {measurement.case}")
        loaded.append(Loaded(one.sids, one.module, one.action, one.began))
    return loaded


@dataclass(frozen=True)
class Loaded:
    """A run in the views: the SID of each (instance, session number), what the sessions show, and the run's begin."""

    sids: dict[tuple[int, int], int]
    module: str
    action: str
    began: datetime.datetime


def _check(measurement: Measurement) -> None:
    known_views = set(TABLES) | set(COUNTED)
    unknown = sorted(set(measurement.views) - known_views)
    if unknown:
        raise LoadError(f"{measurement.case}: the lab has no view GV${unknown[0]} to load rows into.")
    for view, frame in measurement.views.items():
        columns = {column.name for column in documented()[view] if view in COUNTED or brought(view, column.name)}
        known = columns | {"INST_ID"} | OWN_COLUMNS | COUNTED.get(view, frozenset())
        strange = sorted(set(frame.columns) - known)
        if strange:
            there = any(column.name == strange[0] for column in documented()[view])
            has = "shows of runs" if there else "has"
            raise LoadError(f"{measurement.case}: GV${view} {has} no column {strange[0]}.")
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
        history = measurement.views.get(_HISTORY)
        sampled = float(history["SAMPLE_S"].max()) if history is not None and len(history) else 0.0
        self.seconds = max(float(measurement.sessions["elapsed_s"].max()), sampled)
        self.began = engine.now()
        pairs = sorted((int(i), int(s)) for i, s in zip(measurement.sessions["inst_id"], measurement.sessions["session"], strict=True))
        self.sids = {pair: engine.next_sid() for pair in pairs}

    def add(self) -> None:
        """Add it all in one transaction, and let the clock run on."""
        engine, measurement = self.engine, self.measurement
        engine.ensure_instances(int(measurement.sessions["inst_id"].max()))
        background = engine.ensure_background(_background_of(measurement))
        engine.know_events(dict(zip(measurement.waits["event"], measurement.waits["wait_class"], strict=True)))
        who = Identity(self.sids, background, self.module, self.action, self.began, self.seconds)
        rows = tables(measurement, who)
        engine.know_statistics({name for table in ("sysstat", "sesstat") for name in np.asarray(rows[table]["name"]).tolist()})
        with engine.writing() as root:
            for table, frame in rows.items():
                if len(frame["inst_id" if "inst_id" in frame else "INST_ID"]):  # type: ignore[arg-type]  # no single value
                    self._insert(root, table, frame | {"load": engine.loads + 1} if table in BASES or table in TABLES else frame)
            root.execute("INSERT INTO cluster.run VALUES ($1, $2, $3)", [engine.loads + 1, self.began, self.seconds])
            sampled = self._forget_samples(root, len(measurement.views.get(_HISTORY, ())))
            ended = self.began + datetime.timedelta(seconds=self.seconds)
            root.execute("UPDATE cluster.background SET idle_since = $1", [ended])
        engine.loads, engine.sampled = engine.loads + 1, sampled
        engine.advance(self.seconds)
        engine.runs.append(f"{self.module}: {self.action}" if self.module != NO_MODULE else self.action)

    def _forget_samples(self, root: duckdb.DuckDBPyConnection, further: int) -> dict[int, int]:
        """Let the oldest runs' samples go, as Oracle's buffer of them goes round: at least MOST_SAMPLES stay. How many, by load."""
        sampled = self.engine.sampled | {self.engine.loads + 1: further}
        first, kept = min(sampled), sum(sampled.values())
        while kept - sampled[first] >= MOST_SAMPLES:
            kept -= sampled.pop(first)
            root.execute(f'DELETE FROM cluster."{_HISTORY}" WHERE load <= $1', [first])
            first = min(sampled)
        return sampled

    @staticmethod
    def _insert(root: duckdb.DuckDBPyConnection, table: str, frame: Rows) -> None:
        if table in ADDED and ADDED[table].replaced:
            root.execute(f'DELETE FROM cluster."{table}"')
        count = len(frame["inst_id" if "inst_id" in frame else "INST_ID"])  # type: ignore[arg-type]  # no single value
        shown, given = (_unnested if count <= FEW else _registered)(root, frame)
        names = ", ".join(f'"{name}"' for name in frame)
        rows = "" if count <= FEW else f" FROM {_LOADING}"
        root.execute(f'INSERT INTO cluster."{table}" ({names}) SELECT {", ".join(shown)}{rows}', given)
        if count > FEW:
            root.unregister(_LOADING)


def _unnested(_root: duckdb.DuckDBPyConnection, frame: Rows) -> tuple[list[str], list[object]]:
    """A frame's columns as expressions over values that are handed over: quicker, for few rows, than to show the engine arrays."""
    shown: list[str] = []
    given: list[object] = []
    for column in frame.values():
        values: object = column
        if isinstance(column, Coded):
            texts = (None, *column.texts)
            values = [texts[code] for code in column.codes.tolist()]
        elif isinstance(column, np.ndarray):
            values = (column.astype("datetime64[us]") if column.dtype.kind == "M" else column).tolist()
        if isinstance(values, list) and all(value is None for value in values):
            shown.append("NULL")
            continue
        given.append(values)
        shown.append(f"unnest(${len(given)})" if isinstance(values, list) else f"${len(given)}")
    return shown, given


def _registered(root: duckdb.DuckDBPyConnection, frame: Rows) -> tuple[list[str], list[object]]:
    """A frame's columns as expressions over arrays that the engine reads where they are."""
    arrays: dict[str, np.ndarray] = {}
    shown: list[str] = []
    given: list[object] = []
    for name, column in frame.items():
        if isinstance(column, np.ndarray):
            arrays[name] = column
            shown.append(f'"{name}"')
        elif isinstance(column, Coded) and (code := column.codes[0]) == column.codes.min() == column.codes.max():
            given.append(column.texts[code - 1] if code else None)
            shown.append(f"CAST(${len(given)} AS VARCHAR)")
        elif isinstance(column, Coded):
            arrays[name] = column.codes
            given.append(list(column.texts))
            shown.append(f'list_extract(CAST(${len(given)} AS VARCHAR[]), "{name}")')  # null for 0
        else:
            given.append(column)
            shown.append(f"${len(given)}")
    root.register(_LOADING, arrays)
    return shown, given


def _background_of(measurement: Measurement) -> set[tuple[int, str]]:
    """Which background processes the run tells of, as (instance, name)."""
    found: set[tuple[int, str]] = set()
    for frame in measurement.views.values():
        if "background" in frame:
            which, names = pd.factorize(frame["background"])
            for place, name in enumerate(names):
                found |= {(int(instance), name) for instance in np.unique(frame["INST_ID"].to_numpy()[which == place])}
    return found
