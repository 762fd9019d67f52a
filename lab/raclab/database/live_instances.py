"""The open instances of a database, and connections to each of them."""

from contextlib import suppress
from typing import Protocol

import oracledb

from raclab.database.errors import ConnectError
from raclab.database.guarded import GuardedConnection, close_quietly
from raclab.database.live_session import Instance, identity

OPEN_INSTANCES = "select inst_id, instance_name from gv$instance where status = 'OPEN' order by inst_id"


class Opens(Protocol):
    """What is needed here of connecting.Connector."""

    def open(self, instance_name: str = "", service: str = "") -> GuardedConnection:
        """A new connection, to an instance or a service if one is named."""


def open_instances(connection: "oracledb.Connection") -> list[Instance]:
    """The open instances in order of INST_ID."""
    with connection.cursor() as cursor:
        cursor.execute(OPEN_INSTANCES)
        return [Instance(int(inst_id), str(name)) for inst_id, name in cursor.fetchall()]


def open_on(connector: Opens, instance: Instance, database: str) -> GuardedConnection:
    """A connection to one instance of ``database``: by the listener's INSTANCE_NAME, else by a service that bears the instance's name.

    Raises ConnectError.
    """
    for asked in ({"instance_name": instance.name}, {"service": instance.name}):
        with suppress(ConnectError, oracledb.Error):
            connection = connector.open(**asked)
            reached = identity(connection)
            if (reached.inst_id, reached.database) == (instance.inst_id, database):
                return connection
            close_quietly(connection)
    raise ConnectError(
        f"The service in RACLAB_DSN does not lead to instance {instance.name}: "
        f"let it run there too, or make a service {instance.name} for that instance."
    )
