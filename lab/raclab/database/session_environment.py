"""What a session's SQL knows of the session: USERENV, the current schema, how dates become text, the time zone."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

import duckdb

from raclab.database.dialect.names import OWN
from raclab.database.engine import DATE_FORMAT, Engine

_TELLS = ("module", "action", "client_info", "client_identifier")


@dataclass
class Client:
    """What a client says of itself at login."""

    program: str = ""
    machine: str = ""
    osuser: str = ""
    terminal: str = ""


class Environment:
    """Set on the session's cursor with ``prepare`` whenever something of it has changed."""

    def __init__(self, instance: int, sid: int, client: Client) -> None:
        self.schema = OWN
        self._date_format = DATE_FORMAT
        self._told: dict[str, str] = {}
        self._client = client
        self.instance = instance
        self.sid = sid

    def tell(self, told: Mapping[str, str]) -> dict[str, str]:
        """Note module, action, client_info or client_identifier; returns those that were told."""
        known = {name: value or "" for name, value in told.items() if name in _TELLS}
        self._told.update(known)
        return known

    def set(self, name: str, value: str) -> None:
        """ALTER SESSION SET; what changes nothing here is taken."""
        if name == "CURRENT_SCHEMA":
            self.schema = value
        elif name == "NLS_DATE_FORMAT":
            self._date_format = value

    def prepare(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Let the functions and views on a cursor know it all."""
        userenv = {
            "ACTION": self._told.get("action", ""),
            "AUTHENTICATED_IDENTITY": OWN,
            "CDB_NAME": "",
            "CLIENT_IDENTIFIER": self._told.get("client_identifier", ""),
            "CLIENT_INFO": self._told.get("client_info", ""),
            "CON_ID": "0",
            "CON_NAME": "RACLAB",
            "CURRENT_SCHEMA": self.schema,
            "CURRENT_USER": OWN,
            "DATABASE_ROLE": "PRIMARY",
            "DB_DOMAIN": "",
            "DB_NAME": "RACLAB",
            "DB_UNIQUE_NAME": "raclab",
            "HOST": self._client.machine,
            "INSTANCE": str(self.instance),
            "INSTANCE_NAME": f"rac{self.instance}",
            "ISDBA": "FALSE",
            "LANG": "US",
            "LANGUAGE": "AMERICAN_AMERICA.AL32UTF8",
            "MODULE": self._told.get("module", ""),
            "NLS_DATE_FORMAT": self._date_format,
            "OS_USER": self._client.osuser,
            "SERVER_HOST": f"node{self.instance}",
            "SERVICE_NAME": f"RAC{self.instance}",
            "SESSIONID": str(self.sid),
            "SESSION_USER": OWN,
            "SID": str(self.sid),
            "TERMINAL": self._client.terminal,
        }
        Engine.prepare(cursor, userenv, self._date_format)
        offset = datetime.datetime.now().astimezone().utcoffset() or datetime.timedelta()
        minutes = round(offset.total_seconds() / 60)
        said = f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
        cursor.execute(f"SET VARIABLE time_zone = '{said}'")
        cursor.execute(f"SET VARIABLE utc_offset = INTERVAL ({minutes}) MINUTE")
