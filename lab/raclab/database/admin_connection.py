"""The administrator's connection of ``oracle init`` and ``drop``, and the statements that go through it."""

import dataclasses
import getpass
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import oracledb

from raclab.database.connect_errors import call_sentence
from raclab.database.connecting import Connector
from raclab.database.errors import ConnectError
from raclab.database.guarded import GuardedConnection, close_quietly
from raclab.database.interlock import NOT_SENT, Connected, who_and_where
from raclab.database.settings import OracleSettings, owned_database
from raclab.database.workload import ScriptError
from raclab.errors import LabError

CALL_TIMEOUT_S = 120.0
ROOT_CONTAINER = "CDB$ROOT"

Ask = Callable[[str], str]
"""Asks for a password, with a prompt."""

_NAME = re.compile(r"[A-Za-z0-9_$#.\-]{0,128}")
_VARIABLE = re.compile(r"&(\w+)\.?")


class OracleAdminError(LabError):
    """init, check or drop could not do its work; the message says why and what is left."""


@contextmanager
def administrator(settings: OracleSettings, ask: Ask = getpass.getpass) -> Iterator[tuple[GuardedConnection, Connected]]:
    """A connection of RACLAB_ADMIN_USER (SYS if not set), in a database that the operator has named as their own.

    It reads only; ``may_write`` lifts that. Raises ConnectError or OracleAdminError, also for an error of the database inside.
    """
    user = os.environ.get("RACLAB_ADMIN_USER") or "SYS"
    password = os.environ.get("RACLAB_ADMIN_PASSWORD") or _asked(ask, f"Password of {user}: ")
    try:
        admin = Connector(dataclasses.replace(settings, user=user, password=password)).open(sysdba=user.upper() == "SYS")
    except ConnectError as error:
        raise ConnectError(str(error).replace("RACLAB_USER and RACLAB_PASSWORD", "RACLAB_ADMIN_USER and RACLAB_ADMIN_PASSWORD")) from None
    try:
        admin.call_timeout = round(1000 * CALL_TIMEOUT_S)
        connected = who_and_where(admin)
        _require_named(connected, owned_database())
        yield admin, connected
    except oracledb.Error as error:
        raise OracleAdminError(call_sentence(error, "Asking the data dictionary", CALL_TIMEOUT_S) + ".") from None
    finally:
        close_quietly(admin)


def may_write(admin: GuardedConnection) -> None:
    """Let the administrator's connection write: every check has been passed."""
    admin.guard = _every_statement


def fill(statement: str, names: Mapping[str, str]) -> str:
    """A statement with SQL*Plus's &variables replaced. Raises OracleAdminError for a name that could be more than a name."""

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name not in names:
            raise ScriptError(f"init.sql uses &{name}, which is not known: restore it from the repository.")
        if name != "lab_password" and not _NAME.fullmatch(names[name]):
            raise OracleAdminError(f"The name {names[name]!r} can't be used in a statement: the lab takes plain names only.")
        return names[name]

    return _VARIABLE.sub(value, statement)


def run(admin: GuardedConnection, statement: str) -> None:
    """Run one statement."""
    with admin.cursor() as cursor:
        cursor.execute(statement)


def rows(connection: GuardedConnection, query: str, name: str = "") -> Sequence[tuple[object, ...]]:
    """The rows of a query that binds ``:name``, or nothing."""
    with connection.cursor() as cursor:
        cursor.execute(query, {"name": name} if name else {})
        return list(cursor.fetchall())


def count(connection: GuardedConnection, query: str, name: str) -> int:
    """The one number that a query gives."""
    return int(str(rows(connection, query, name)[0][0]))


def _require_named(connected: Connected, owned: str) -> None:
    if connected.database.upper() != owned.upper() or not connected.database:
        raise OracleAdminError(
            f"RACLAB_I_OWN_THIS_DATABASE says {owned or 'nothing'}, and {connected.database} is connected, so {NOT_SENT}: "
            "set it to the db_unique_name of the database that is yours to change."
        )
    if connected.container == ROOT_CONTAINER:
        raise OracleAdminError(f"This is {ROOT_CONTAINER}: set RACLAB_DSN to a pluggable database, such as FREEPDB1.")


def _asked(ask: Ask, prompt: str) -> str:
    try:
        answer = ask(prompt)
    except (EOFError, OSError):
        answer = ""
    if not answer:
        raise OracleAdminError("Without the administrator's password nothing can be done: set RACLAB_ADMIN_PASSWORD or type it.")
    return answer


def _every_statement(statement: str) -> None:
    """The guard of a connection that may write."""
