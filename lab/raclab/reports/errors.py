"""What can go wrong with a snapshot, a report or a trace, each one sentence for the learner."""

from raclab.errors import LabError


class SnapshotError(LabError):
    """There is no such snapshot, or two that can't be compared."""


class ReportError(LabError):
    """A report can't be made of what was asked for."""


class TraceError(LabError):
    """A session can't be traced, or a trace can't be read."""
