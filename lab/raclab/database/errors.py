"""Errors of the lab database, each one sentence for the learner."""

from raclab.errors import LabError

UNREADABLE = frozenset({904, 942, 1031})
"""Oracle's numbers of a view that is not there or not granted, or that has not all of its columns in this release."""


class SqlError(LabError):
    """A statement failed; the message is the database's own, code first.

    ``code`` is Oracle's number (942 for ORA-00942), 0 where the driver gave none; ``offset`` the 0-based place in the
    statement's text, or None where the database did not say.
    """

    def __init__(self, message: str, code: int = 0, offset: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.offset = offset


class ConnectError(LabError):
    """A connection could not be made; the message says what to do."""


class ListenerError(LabError):
    """The lab's listener could not be started; the message says what to do."""


class LoadError(LabError):
    """A measurement can't be loaded into the lab's views."""
