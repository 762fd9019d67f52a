"""What a lab tells over time: snapshots and their differences, reports, traces. A part of the class Lab."""

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from raclab.evidence.measurement import Kind
from raclab.evidence.table import Table

if TYPE_CHECKING:
    import oracledb

    from raclab.database.remembered import Session
    from raclab.database.snapshots import Name, Snapshots
    from raclab.reports.delta import Delta
    from raclab.reports.report import Report

NO_TRACE = (
    "A session of a real database writes its trace on the database's own host: as a user who may, run "
    "dbms_monitor.session_trace_enable(session_id => {sid}, serial_num => ..., waits => true), later session_trace_disable, and fetch the "
    "file that v$process.tracefile names. The lab only reads here and does not do that; raclab.reports.trace_reader reads the file."
)


class Reporting:
    """Snapshots, differences, reports and traces of a lab; the lab gives ``kind``, ``dsn`` and ``connection``."""

    kind: ClassVar[Kind]
    dsn: str

    @property
    def connection(self) -> "oracledb.Connection":
        """The python-oracledb connection to instance 1."""
        raise NotImplementedError

    @cached_property
    def _history(self) -> "Snapshots":
        from raclab.database.snapshots import ReadSnapshots

        return ReadSnapshots(lambda: self.connection)

    def _origin(self) -> str:
        """Which cluster a report is about."""
        return f"your database at {self.dsn}" if self.kind is Kind.LIVE else f"simulated cluster served at {self.dsn}"

    def snapshot(self, name: str = "") -> int:
        """Take a snapshot of all instances' counters; its number, for ``delta`` and ``awr_report``.

        ``name`` is a name to find it by. The simulated cluster's snapshots are in DBA_HIST_SNAPSHOT too; it takes one by itself when it
        starts, before each run that is loaded and after it. Of a real database V$ views are read into this process's memory: nothing is
        written there, and neither AWR nor ASH is touched, so no Diagnostics Pack is needed. Raises SqlError.
        """
        return self._history.take(name)

    def snapshots(self) -> Table:
        """The snapshots that there are: SNAP_ID, NAME, TAKEN (the cluster's clock), RUNS before it, INSTANCES."""
        return Table(self._history.listed(), self.kind, self._origin())

    def delta(self, begin: "Name | None" = None, end: "Name | None" = None) -> "Delta":
        """What happened between two snapshots, given by number or name: waits, statistics, time model, by instance.

        Without ``end`` up to the last snapshot. Without ``begin`` from the last one before the latest run, so that ``lab.delta()``
        after a run is that run; of a real database from the one before the last. ``delta["ROWCACHE"]`` is another view's difference.
        Raises SnapshotError for a snapshot that there is not, for the wrong order, and for a restart in between.
        """
        from raclab.reports.delta import Delta

        first, last = self._history.pair(begin, end)
        return Delta(first, last, self.kind, self._origin())

    def awr_report(self, begin: "Name | None" = None, end: "Name | None" = None, instance: "int | str" = 1) -> "Report":
        """Text in the layout of AWR's report between two snapshots (as for ``delta``), of one instance or of "all" side by side.

        Sections for which there is nothing are left out. ``print`` it or let the cell show it; ``.save(path)`` writes it to a file.
        It is made from V$ views, so that on a real database it needs no Diagnostics Pack. Raises SnapshotError and ReportError.
        """
        from raclab.reports.awr import awr_report

        return awr_report(self.delta(begin, end), instance)

    def trace(self, session: "Session") -> "Report":
        """An extended SQL trace (event 10046, waits included) of a simulated session, given by SID or (INST_ID, SID).

        The session's run is simulated once more, with the same levers and seed and thus the same result, and written down.
        Raises TraceError for what is no simulated session, and on a real database says how to get a trace there.
        """
        from raclab.reports.errors import TraceError

        sid = session[1] if isinstance(session, tuple) else session
        if self.kind is Kind.SIMULATED:
            raise TraceError(
                f"{self._origin()} knows the runs of its own sessions, this end does not: trace SID {sid} in the lab that ran it."
            )
        raise TraceError(NO_TRACE.format(sid=sid))

    def tkprof(self, session: "Session") -> "Report":
        """The trace of a simulated session summarised in tkprof's layout: calls, CPU, elapsed time and waits of each statement.

        ``session`` as for ``trace``. Raises TraceError.
        """
        from raclab.reports.report import Report
        from raclab.reports.tkprof import tkprof_text
        from raclab.reports.trace_reader import read_trace

        trace = self.trace(session)
        head = f"RAC Myths Lab: summary in tkprof's layout ({trace.kind})\n{trace.title}, {trace.source}\n"
        notes = [line for line in trace.lines()[:5] if line.startswith(("Not simulated", "The run is a sample"))]
        text = tkprof_text(read_trace(trace.text), "\n".join([head, *notes, ""]))
        return Report(trace.title.replace("10046-style trace", "tkprof-style summary"), text, trace.kind, trace.source)
