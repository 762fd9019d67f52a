"""A python-oracledb connection that sends only reading statements until it is unlocked.

The guard sits in the connection, so that it holds for whatever uses it: ``lab.sql``, ``%%sql``, pandas, SQLAlchemy, a learner's
own cursor.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import oracledb

from raclab.database.errors import ConnectError
from raclab.database.reading import is_reading

Guard = Callable[[str], None]
"""Called with a statement that does not only read; returns if it may be sent, otherwise raises."""


CLOSING_MS = 2000


class GuardedCursor(oracledb.Cursor):
    """A cursor whose statements pass its connection's guard before they are sent."""

    def execute(self, statement: Any, *args: Any, **kwargs: Any) -> Any:
        """As Cursor.execute. None repeats what ``prepare`` was given, which has passed the guard."""
        self._pass(statement)
        return super().execute(statement, *args, **kwargs)

    def executemany(self, statement: Any, *args: Any, **kwargs: Any) -> Any:
        """As Cursor.executemany."""
        self._pass(statement)
        return super().executemany(statement, *args, **kwargs)

    def prepare(self, statement: str, *args: Any, **kwargs: Any) -> Any:
        """As Cursor.prepare."""
        self._pass(statement)
        return super().prepare(statement, *args, **kwargs)

    def parse(self, statement: str) -> Any:
        """As Cursor.parse; the database carries out DDL when it parses it."""
        self._pass(statement)
        return super().parse(statement)

    def callproc(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """As Cursor.callproc."""
        self._pass(f"call {name}")
        return super().callproc(name, *args, **kwargs)

    def callfunc(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """As Cursor.callfunc."""
        self._pass(f"call {name}")
        return super().callfunc(name, *args, **kwargs)

    def _pass(self, statement: object) -> None:
        connection = self.connection
        assert isinstance(connection, GuardedConnection)
        if statement is not None:
            connection.pass_guard(statement)


class GuardedConnection(oracledb.Connection):
    """A connection with a guard; without one, every statement that does not only read is refused.

    guard   see Guard; set by the lab that opened the connection
    """

    guard: Guard | None = None

    @property
    def call_timeout(self) -> int:
        """As Connection.call_timeout, milliseconds."""
        return int(super().call_timeout)

    @call_timeout.setter
    def call_timeout(self, value: int) -> None:
        # python-oracledb 26.1 brings the process down when this is set on a connection that broke
        if not self.is_healthy():
            raise ConnectError("The session is lost, so it takes no time limit: connect again.")
        # a property's setter is not to be had through super()
        oracledb.Connection.call_timeout.fset(self, value)  # type: ignore[attr-defined]

    def pass_guard(self, statement: object) -> None:
        """Return if ``statement`` only reads or the guard lets it pass; otherwise raise what the guard raises, or PermissionError."""
        if isinstance(statement, str) and is_reading(statement):
            return
        if self.guard is None:
            raise PermissionError("This connection is for reading only.")
        self.guard(str(statement))

    def cursor(self, scrollable: bool = False, handle: Any = None) -> GuardedCursor:
        """As Connection.cursor, guarded."""
        self._verify_connected()
        return GuardedCursor(self, scrollable, handle=handle)

    def fetch_df_all(self, statement: Any = None, *args: Any, **kwargs: Any) -> Any:
        """As Connection.fetch_df_all."""
        self.pass_guard(statement)
        return super().fetch_df_all(statement, *args, **kwargs)

    def fetch_df_batches(self, statement: Any = None, *args: Any, **kwargs: Any) -> Iterator[Any]:
        """As Connection.fetch_df_batches."""
        self.pass_guard(statement)
        return super().fetch_df_batches(statement, *args, **kwargs)

    def direct_path_load(self, *args: Any, **kwargs: Any) -> Any:
        """As Connection.direct_path_load."""
        self.pass_guard("direct path load")
        return super().direct_path_load(*args, **kwargs)

    def changepassword(self, old_password: str, new_password: str) -> Any:
        """As Connection.changepassword."""
        self.pass_guard("alter user")
        return super().changepassword(old_password, new_password)

    def queue(self, *args: Any, **kwargs: Any) -> Any:
        """As Connection.queue."""
        self.pass_guard("queue")
        return super().queue(*args, **kwargs)

    def subscribe(self, *args: Any, **kwargs: Any) -> Any:
        """As Connection.subscribe."""
        self.pass_guard("subscribe")
        return super().subscribe(*args, **kwargs)


def close_quietly(connection: oracledb.Connection) -> None:
    """Close a connection that may have gone already; where the network has, do not wait long for the database's farewell."""
    with suppress(oracledb.Error, OSError, ConnectError):
        connection.call_timeout = CLOSING_MS
        connection.close()
