"""``python -m raclab oracle init | check | drop``: the lab's own user in a real database, made, looked at, removed.

``init`` and ``drop`` connect as SYS (or RACLAB_ADMIN_USER) with RACLAB_ADMIN_PASSWORD, or a password that is asked for. Both
write only to the database that RACLAB_I_OWN_THIS_DATABASE names. Each function returns what there is to say, a sentence a line.
"""

import getpass
import os
import re

import oracledb

from raclab.database.admin_connection import (
    CALL_TIMEOUT_S,
    Ask,
    OracleAdminError,
    administrator,
    count,
    fill,
    may_write,
    rows,
    run,
)
from raclab.database.connect_errors import call_sentence, first_line, ora_code
from raclab.database.errors import ConnectError
from raclab.database.guarded import GuardedConnection
from raclab.database.interlock import MARK_TABLE, NOT_SENT, TABLE_MISSING, Connected
from raclab.database.oracle_check import Checked, check
from raclab.database.oracle_script import drop_script, init_script
from raclab.database.settings import OracleSettings, no_credentials, oracle_settings
from raclab.database.workload import Script, read_script
from raclab.paths import ORACLE_SCRIPTS

__all__ = ["Checked", "OracleAdminError", "check", "drop", "init", "printed"]

LONGEST_USER = 22  # the role's name, seven characters longer, has to fit into the 30 of release 12.1
OWN_PREFIX = "RACLAB_"
DEFAULT_USER = "RACLAB"

_USER_NAME = re.compile(rf"[A-Z][A-Z0-9_]{{0,{LONGEST_USER - 1}}}")


def init(dsn: str | None = None, *, diagnostics_pack: bool = False, ask: Ask = getpass.getpass) -> str:
    """Make the lab's user RACLAB_USER and its role, and mark its schema.

    ``diagnostics_pack`` grants the views whose use needs that licence (ASH, DBA_HIST). What was made before a failure is removed
    again. Raises ConnectError or OracleAdminError.
    """
    settings = oracle_settings(dsn)
    names = _names(settings)
    with administrator(settings, ask) as (admin, connected):
        _refuse_existing(admin, names["lab_user"], names["lab_role"])
        names |= {"database": connected.database, "container": connected.container, "lab_tablespace": _tablespace(admin)}
        may_write(admin)
        skipped = _make(admin, names, diagnostics_pack)
    told = [f"Not in this release, so not granted: {', '.join(skipped)}."] if skipped else []
    made = f"user {names['lab_user']}, role {names['lab_role']} and the mark {MARK_TABLE}"
    return "\n".join(
        [
            *told,
            f"Made in {_where(connected)}: {made}.",
            "python -m raclab oracle check shows what it may do; python -m raclab oracle drop removes it.",
        ]
    )


def drop(dsn: str | None = None, *, everything: bool = False, ask: Ask = getpass.getpass) -> str:
    """Remove what ``init`` made: the user with its schema, and the role.

    A schema that holds objects of the learner's is left as it is, unless ``everything``. Raises ConnectError or OracleAdminError.
    """
    settings = oracle_settings(dsn)
    user = _names(settings)["lab_user"]
    with administrator(settings, ask) as (admin, connected):
        role = _marked_role(admin, user, connected)
        if not everything and (others := _foreign_objects(admin, user)):
            shown = ", ".join(others[:5]) + (f" and {len(others) - 5} more" if len(others) > 5 else "")
            raise OracleAdminError(f"{user} also holds {shown}, which the lab did not make, so nothing is removed: drop them first.")
        if sessions := count(admin, "select count(*) from gv$session where username = :name", user):
            raise OracleAdminError(f"Sessions of {user} are connected ({sessions}): close them, notebooks included, and try again.")
        may_write(admin)
        for statement in _script().section("drop"):
            try:
                run(admin, fill(statement, {"lab_user": user, "lab_role": role}))
            except oracledb.Error as error:
                raise OracleAdminError(call_sentence(error, f"Removing {user}", CALL_TIMEOUT_S) + ": try again.") from None
    return f"Removed from {_where(connected)}: user {user} and role {role}."


def printed(action: str, *, diagnostics_pack: bool = False) -> str:
    """What ``action`` (init or drop) would run for RACLAB_USER (RACLAB if that is not set), as a script. Connects to nothing.

    Raises OracleAdminError for a name that can't be used.
    """
    user, role = _user_and_role(os.environ.get("RACLAB_USER") or DEFAULT_USER)
    return init_script(user, role, diagnostics_pack) if action == "init" else drop_script(user, role)


def _script() -> Script:
    return read_script(ORACLE_SCRIPTS / "init.sql")


def _where(connected: Connected) -> str:
    return " ".join(part for part in (connected.database, connected.container) if part)


def _names(settings: OracleSettings) -> dict[str, str]:
    """The script's variables that come from the settings. Raises OracleAdminError for a name or password that can't be used."""
    if not (settings.user and settings.password):
        raise ConnectError(no_credentials(settings.user))
    user, role = _user_and_role(settings.user)
    if '"' in settings.password or not settings.password.isprintable():
        raise OracleAdminError("RACLAB_PASSWORD takes printable characters without a double quote.")
    return {"lab_user": user, "lab_role": role, "lab_password": settings.password}


def _user_and_role(name: str) -> tuple[str, str]:
    user = name.upper()
    if not _USER_NAME.fullmatch(user):
        raise OracleAdminError(f"RACLAB_USER takes a letter, then letters, digits and underscores, {LONGEST_USER} at most.")
    return user, f"{user}_READER"


def _make(admin: GuardedConnection, names: dict[str, str], diagnostics_pack: bool) -> list[str]:
    """Run the script; the views that could not be granted. On a failure, removes what it has made."""
    script = _script()
    missing: list[str] = []
    made: list[str] = []
    try:
        for section in ("role", "grants", *(["diagnostics_pack"] if diagnostics_pack else []), "user", "mark"):
            for statement in script.section(section):
                try:
                    run(admin, fill(statement, names))
                except oracledb.Error as error:
                    if not (statement.startswith("grant select on sys.") and ora_code(error) == TABLE_MISSING):
                        raise
                    missing.append(statement.split()[3].upper())
                made += [statement.split()[1]] if statement.startswith(("create user", "create role")) else []
        admin.commit()
    except BaseException as error:
        left = _undo(admin, script, names, made)
        if isinstance(error, oracledb.Error):
            sentence = call_sentence(error, "Making the lab's user", CALL_TIMEOUT_S).replace(names["lab_password"], "***")
            raise OracleAdminError(f"{sentence}; {left}.") from None
        raise
    return missing


def _undo(admin: GuardedConnection, script: Script, names: dict[str, str], made: list[str]) -> str:
    """Drop the user and the role if this very call made them; says so, or what is left."""
    left = []
    for statement in script.section("drop"):
        if statement.split()[1] in made:
            try:
                run(admin, fill(statement, names))
            except (oracledb.Error, OSError) as error:
                left.append(f"{fill(statement, names)} ({first_line(error)})")
    return f"left to be done by hand: {', '.join(left)}" if left else "what had been made is removed again"


def _refuse_existing(admin: GuardedConnection, user: str, role: str) -> None:
    if count(admin, "select count(*) from dba_users where username = :name", user):
        raise OracleAdminError(
            f"The user {user} exists, and {NOT_SENT}: python -m raclab oracle drop removes it if the lab made it; otherwise choose "
            "another name for RACLAB_USER."
        )
    if count(admin, "select count(*) from dba_roles where role = :name", role):
        raise OracleAdminError(f"The role {role} exists, and {NOT_SENT}: choose another name for RACLAB_USER.")


def _tablespace(admin: GuardedConnection) -> str:
    query = "select property_value from database_properties where property_name = 'DEFAULT_PERMANENT_TABLESPACE'"
    name = str(rows(admin, query)[0][0])
    if name == "SYSTEM":
        raise OracleAdminError(f"The default tablespace is SYSTEM, not a place for the lab, so {NOT_SENT}: set another default first.")
    return name


def _marked_role(admin: GuardedConnection, user: str, connected: Connected) -> str:
    """The role that the mark names. Raises OracleAdminError where the lab did not make the user, here."""
    query = fill(f"select lab_user, db_unique_name, con_name, lab_role from &lab_user..{MARK_TABLE}", {"lab_user": user})
    try:
        found = rows(admin, query)
    except oracledb.Error as error:
        if ora_code(error) != TABLE_MISSING:
            raise
        found = []
    marks = [tuple(str(value or "") for value in row) for row in found]
    if [mark[:3] for mark in marks] != [(user, connected.database, connected.container)]:
        raise OracleAdminError(f"The lab did not make the user {user} in {_where(connected)}, so nothing is removed.")
    return marks[0][3]


def _foreign_objects(admin: GuardedConnection, user: str) -> list[str]:
    """Objects of the user that are not the lab's, whose names all begin with RACLAB_."""
    query = (
        "select object_type, object_name from dba_objects where owner = :name and object_type in "
        "('TABLE', 'VIEW', 'SEQUENCE', 'PROCEDURE', 'FUNCTION', 'PACKAGE', 'TYPE', 'SYNONYM', 'MATERIALIZED VIEW') "
        "and object_name not like 'BIN$%' order by object_type, object_name"
    )
    return [f"{kind} {name}" for kind, name in rows(admin, query, user) if not str(name).startswith(OWN_PREFIX)]
