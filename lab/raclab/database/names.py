"""What a database calls itself, its hosts and its users: asked so that a recording can leave it out."""

import oracledb

CONTEXT = (
    "session_user", "current_schema", "current_user", "os_user", "host", "terminal", "ip_address", "server_host", "db_name",
    "db_unique_name", "db_domain", "con_name", "service_name", "instance_name",
)  # fmt: skip
INSTANCES = "select instance_name, host_name from gv$instance"


def names_there(connection: oracledb.Connection) -> frozenset[str]:
    """Names of hosts, instances, services, databases and users, as far as the connected user may ask for them."""
    found: set[str] = set()
    for parameter in CONTEXT:
        found |= _asked(connection, f"select sys_context('userenv', '{parameter}') from dual")
    return frozenset(found | _asked(connection, INSTANCES))


def _asked(connection: oracledb.Connection, query: str) -> set[str]:
    try:
        with connection.cursor() as cursor:
            cursor.execute(query)
            return {str(value) for row in cursor.fetchall() for value in row if value}
    except oracledb.Error:  # a parameter of another release, a view that is not granted, or no session any more
        return set()
