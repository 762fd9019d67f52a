"""What a session's SQL knows of the session: USERENV, the current schema, how dates become text, the time zone."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

import duckdb

from raclab.database.dialect.names import OWN
from raclab.database.engine import DATE_FORMAT, Engine

_UNKNOWN = """AUDITED_CURSORID AUTHENTICATION_DATA BG_JOB_ID CDB_DOMAIN CURRENT_BIND CURRENT_EDITION_ID CURRENT_EDITION_NAME CURRENT_SQL
    CURRENT_SQL_LENGTH DBLINK_INFO DB_SUPPLEMENTAL_LOG_LEVEL ENTERPRISE_IDENTITY ENTRYID FG_JOB_ID GLOBAL_CONTEXT_MEMORY GLOBAL_UID
    IDENTIFICATION_TYPE IP_ADDRESS LDAP_SERVER_TYPE ORACLE_HOME PID POLICY_INVOKER PROXY_ENTERPRISE_IDENTITY PROXY_USER PROXY_USERID
    SCHEDULER_JOB SESSION_DEFAULT_COLLATION SESSION_EDITION_ID SESSION_EDITION_NAME STATEMENTID UNIFIED_AUDIT_SESSIONID"""
"""What USERENV has in Oracle, and the lab has no value for."""
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
            **dict.fromkeys(_UNKNOWN.split(), ""),
            **dict.fromkeys(("CURRENT_SCHEMAID", "CURRENT_USERID", "SESSION_USERID"), "100"),
            "ACTION": self._told.get("action", ""),
            "AUTHENTICATED_IDENTITY": OWN,
            "AUTHENTICATION_METHOD": "PASSWORD",
            "CDB_NAME": "",
            "CLIENT_IDENTIFIER": self._told.get("client_identifier", ""),
            "CLIENT_INFO": self._told.get("client_info", ""),
            "CLIENT_PROGRAM_NAME": self._client.program,
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
            "NLS_CALENDAR": "GREGORIAN",
            "NLS_DATE_LANGUAGE": "AMERICAN",
            "NLS_SORT": "BINARY",
            "NLS_TERRITORY": "AMERICA",
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
