"""Which run each simulated session was: what it takes to simulate the same run again, with the same result, and look closer."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from raclab.reports.errors import TraceError

if TYPE_CHECKING:
    from raclab.database.lab import Simulates
    from raclab.reports.report import Report

Session = int | tuple[int, int]
"""How a session is asked for: its SID, or (INST_ID, SID)."""


@dataclass(frozen=True)
class Origin:
    """What was simulated."""

    myth: "Simulates"
    levers: Any
    seed: int


@dataclass(frozen=True)
class Remembered:
    """A simulated session: its run, and which of the run's it was. ``origin`` is None where that is not known.

    number  of the session within its instance
    began   the run's begin, by the cluster's clock
    """

    origin: Origin | None
    instance: int
    number: int
    sid: int
    module: str
    action: str
    began: datetime.datetime


class Sessions:
    """The simulated sessions since the cluster's start, by SID."""

    def __init__(self) -> None:
        self._of: dict[int, Remembered] = {}

    def add(self, sids: Mapping[tuple[int, int], int], module: str, action: str, began: datetime.datetime, origin: Origin | None) -> None:
        """The sessions of one run; ``sids`` gives the SID of each (instance, number)."""
        for (instance, number), sid in sids.items():
            self._of[sid] = Remembered(origin, instance, number, sid, module, action, began)

    def clear(self) -> None:
        """The cluster was started again."""
        self._of.clear()

    def find(self, session: Session) -> tuple[Remembered, Origin]:
        """The session and its run. Raises TraceError for one that is not a simulated session, or whose run can't be simulated again."""
        instance, sid = session if isinstance(session, tuple) else (None, session)
        found = self._of.get(sid)
        if found is None:
            raise TraceError(
                f"SID {sid} is no simulated session: {self._some()}select inst_id, sid, module, action from gv$session "
                "where program = 'raclab simulator' shows those that there are."
            )
        if instance not in (None, found.instance):
            raise TraceError(f"SID {sid} is a session of instance {found.instance}, not of {instance}.")
        if found.origin is None:
            raise TraceError(
                f"The run of SID {sid} was loaded as a measurement, without the seed that it takes to simulate it again: "
                "run it with lab.run(myth, levers, seed)."
            )
        return found, found.origin

    def _some(self) -> str:
        return "" if self._of else "nothing was run yet; afterwards "


def trace_report(session: Remembered, origin: Origin) -> "Report":
    """The session's run, simulated once more and written down as a trace. Raises TraceError."""
    from raclab.evidence.measurement import Kind
    from raclab.reports.report import Report
    from raclab.reports.trace_writer import Traced, trace_text
    from raclab.reports.traced_run import traced_run

    run = traced_run(origin.myth, origin.levers, origin.seed, session.instance, session.number)
    source = f"{session.module}: {session.action}, seed {origin.seed}, session {session.number} of instance {session.instance}"
    began = session.began.isoformat(" ", "milliseconds")
    whose = Traced(session.instance, session.sid, session.sid, session.module, session.action, began, source)
    return Report(f"10046-style trace of SID {session.sid}", trace_text(run, whose), Kind.SIMULATED, source)
