"""Turns published tkprof figures into measurements.

Expects two tables in the package. ``tkprof_calls``: case, statement, call (Parse, Execute, Fetch), count, cpu_s, elapsed_s.
``tkprof_waits``: case, statement, event, times_waited, max_wait_s, total_waited_s.

tkprof reports a trace file, and a trace file is one session's: every measurement made here has session 1 of instance 1, whatever the
number of nodes that took part. A statement's CPU and elapsed time include those of its recursive statements, while its waits do not;
so the waits of all statements of a case are added up, and the calls are those of the one statement asked for.
"""

from collections.abc import Mapping

import pandas as pd

from raclab.errors import LabError
from raclab.evidence.measurement import SESSION_COLUMNS, WAIT_COLUMNS, Measurement, empty_frame
from raclab.evidence.published import Package
from raclab.oracle_names import wait_class

_PLACE = {"run": 0, "inst_id": 1, "session": 1}


def tkprof_measurement(
    package: Package, case: str, levers: Mapping[str, object], *, statement: str = "insert", name: str | None = None
) -> Measurement:
    """The Measurement of one published case.

    case       as the CSVs call it, e.g. "two nodes nocache"
    levers     the setting, by lever name
    statement  the one whose Execute row gives calls, CPU and elapsed time
    name       what charts call the case; None for ``case`` itself

    ``sessions`` or ``waits`` is empty where only the other was published. Raises LabError for a case of which neither was.
    """
    sessions = _sessions(package, case, statement)
    waits = _waits(package, case)
    if sessions.empty and waits.empty:
        raise LabError(f"The published figures of {package.slug} have no case {case!r}; they have {', '.join(_cases(package))}.")
    return Measurement(package.source, name or case, dict(levers), sessions, waits)


def statement_calls(package: Package, case: str) -> pd.DataFrame:
    """Calls of every statement of a case, as published: statement, call, count, cpu_s, elapsed_s and the block counts."""
    return _rows(package, "tkprof_calls", case)


def statement_waits(package: Package, case: str) -> pd.DataFrame:
    """Waits of every statement of a case, as published: statement, event, times_waited, max_wait_s, total_waited_s."""
    return _rows(package, "tkprof_waits", case)


def _rows(package: Package, table: str, case: str) -> pd.DataFrame:
    frame = package.frame(table)
    return frame[frame["case"] == case].drop(columns="case").reset_index(drop=True)


def _cases(package: Package) -> list[str]:
    names = pd.concat([package.frame("tkprof_calls")["case"], package.frame("tkprof_waits")["case"]])
    return list(names.unique())


def _sessions(package: Package, case: str, statement: str) -> pd.DataFrame:
    calls = statement_calls(package, case)
    execute = calls[(calls["statement"] == statement) & (calls["call"] == "Execute")]
    if execute.empty:
        return empty_frame(SESSION_COLUMNS)
    return execute.rename(columns={"count": "calls"}).assign(**_PLACE)[list(SESSION_COLUMNS)].reset_index(drop=True)


def _waits(package: Package, case: str) -> pd.DataFrame:
    waits = statement_waits(package, case)
    if waits.empty:
        return empty_frame(WAIT_COLUMNS)
    total = waits.groupby("event", sort=False).agg(
        total_waits=("times_waited", "sum"), time_s=("total_waited_s", "sum"), max_s=("max_wait_s", "max")
    )
    total = total.reset_index().assign(**_PLACE)
    total["wait_class"] = [wait_class(event) for event in total["event"]]
    return total[list(WAIT_COLUMNS)]
