"""The interlock: whether the lab may write to the connected database at all.

Three things must agree. The learner has named the database in RACLAB_I_OWN_THIS_DATABASE; it is the one that is connected;
and the connected user is one that ``python -m raclab oracle init`` made and marked there. Asking takes two queries and
nothing else.
"""

from dataclasses import dataclass

import oracledb

from raclab.database.connect_errors import call_sentence, ora_code
from raclab.database.errors import ConnectError
from raclab.errors import LabError

MARK_TABLE = "RACLAB_MARK"
WHO_AND_WHERE = (
    "select sys_context('userenv', 'session_user'), sys_context('userenv', 'current_schema'), "
    "sys_context('userenv', 'db_unique_name'), sys_context('userenv', 'con_name') from dual"
)
READ_MARK = f"select lab_user, db_unique_name, con_name from {MARK_TABLE}"
NOT_SENT = "nothing was sent that writes"
TABLE_MISSING = 942
NO_PRIVILEGE = 1031


class InterlockError(LabError):
    """The lab may not write to this database; the message says what to do."""


@dataclass(frozen=True)
class Connected:
    """Who is connected where: user, schema, db_unique_name and the container's name ("" where Oracle gives none)."""

    user: str
    schema: str
    database: str
    container: str


@dataclass(frozen=True)
class Interlock:
    """``closed`` is "" where the lab may write, otherwise the sentence that says why not and what to do."""

    connected: Connected
    closed: str

    @property
    def open(self) -> bool:
        """Whether the lab may write."""
        return not self.closed


def who_and_where(connection: "oracledb.Connection") -> Connected:
    """Ask the database who is connected to what. Raises ConnectError if it can't say."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(WHO_AND_WHERE)
            row = cursor.fetchone()
    except oracledb.Error as error:
        raise ConnectError(call_sentence(error, "Asking the database for its name", 0) + ": connect again.") from None
    return Connected(*(str(value or "") for value in row))


def examine(connection: "oracledb.Connection", owned: str) -> Interlock:
    """The interlock's state for a connection; ``owned`` is what RACLAB_I_OWN_THIS_DATABASE says.

    Sends two queries at most. Raises ConnectError if the session is lost.
    """
    connected = who_and_where(connection)
    return Interlock(connected, _unnamed(connected, owned) or _unmarked(connection, connected))


def require_open(connection: "oracledb.Connection", owned: str) -> Interlock:
    """The open interlock; InterlockError with what to do if it is closed."""
    interlock = examine(connection, owned)
    if not interlock.open:
        raise InterlockError(interlock.closed)
    return interlock


def _unnamed(connected: Connected, owned: str) -> str:
    if not owned:
        return (
            f"This database is for reading only, and {NOT_SENT}: if it is yours to load, set RACLAB_I_OWN_THIS_DATABASE to its "
            "db_unique_name (select sys_context('userenv', 'db_unique_name') from dual) and run python -m raclab oracle init once."
        )
    if owned.upper() != connected.database.upper():
        return (
            f"RACLAB_I_OWN_THIS_DATABASE says {owned}, but {connected.database or 'a database without a name'} is connected, "
            f"so {NOT_SENT}: check RACLAB_DSN, or name the database that you mean."
        )
    return ""


def _unmarked(connection: "oracledb.Connection", connected: Connected) -> str:
    mark = _mark(connection)
    make = "run python -m raclab oracle init, and connect as the user that it makes"
    if mark is None:
        return f"{connected.user} is not a user that the lab made in {connected.database}, so {NOT_SENT}: {make}."
    if connected.schema != connected.user:
        return f"The session works in schema {connected.schema}, not in its own, so {NOT_SENT}: connect again as {connected.user}."
    if mark != (connected.user, connected.database, connected.container):
        return f"The mark in {connected.user}'s schema was made for another user or database, so {NOT_SENT}: {make}."
    return ""


def _mark(connection: "oracledb.Connection") -> tuple[str, str, str] | None:
    """The one row of the mark, or None if there is no mark."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(READ_MARK)
            rows = cursor.fetchall()
    except oracledb.Error as error:
        if ora_code(error) in {TABLE_MISSING, NO_PRIVILEGE}:
            return None
        raise ConnectError(call_sentence(error, f"Reading {MARK_TABLE}", 0) + ": connect again.") from None
    if len(rows) != 1:
        return None
    lab_user, database, container = (str(value or "") for value in rows[0])
    return lab_user, database, container
