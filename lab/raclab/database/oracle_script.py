"""What ``oracle init`` and ``oracle drop`` run, as a script for SQL*Plus: to be read before, or to be run by hand instead."""

from raclab.database.admin_connection import fill
from raclab.database.interlock import MARK_TABLE
from raclab.database.workload import read_script
from raclab.paths import ORACLE_SCRIPTS

_ASKED = """\
-- {what}
-- As SYS, connected to the pluggable database that the lab may use. SQL*Plus asks for the password of {user}.
set define on verify off
whenever sqlerror exit failure rollback
accept lab_password char prompt 'Password of {user}: ' hide
column db_unique_name new_value database noprint
column con_name new_value container noprint
column property_value new_value lab_tablespace noprint
select sys_context('userenv', 'db_unique_name') as db_unique_name, sys_context('userenv', 'con_name') as con_name from dual;
select property_value from database_properties where property_name = 'DEFAULT_PERMANENT_TABLESPACE';
"""

_FOUND_OUT = {name: f"&{name}." for name in ("lab_password", "database", "container", "lab_tablespace")}


def init_script(user: str, role: str, diagnostics_pack: bool) -> str:
    """All that init runs for this user, in its order; database, container and tablespace are found out as it does."""
    sections = ("role", "grants", *(["diagnostics_pack"] if diagnostics_pack else []), "user", "mark")
    asked = _ASKED.format(what="What python -m raclab oracle init runs.", user=user)
    missing = (
        "-- init goes on where a view does not exist in this release (ORA-00942); by hand, take that line out.\n"
        "-- It refuses where the user or the role exists.\n"
    )
    return "\n".join([asked, missing, *_statements(sections, {"lab_user": user, "lab_role": role, **_FOUND_OUT}), "commit;"])


def drop_script(user: str, role: str) -> str:
    """All that drop runs for this user."""
    checks = (
        "-- What python -m raclab oracle drop runs, as SYS. It first reads "
        f"{user}.{MARK_TABLE}, and goes no further unless init has made the user\n"
        "-- in this very database; unless the schema holds nothing of your own; and unless no session of the user is connected.\n"
    )
    return "\n".join([checks, *_statements(("drop",), {"lab_user": user, "lab_role": role})])


def _statements(sections: tuple[str, ...], names: dict[str, str]) -> list[str]:
    script = read_script(ORACLE_SCRIPTS / "init.sql")
    return [f"{_filled(one, names)};" for section in sections for one in script.section(section)]


def _filled(statement: str, names: dict[str, str]) -> str:
    for name, value in names.items():
        if value.startswith("&"):  # stays a variable of SQL*Plus
            statement = statement.replace(f"&{name}", f"\0{name}")
    checked = {name: value for name, value in names.items() if not value.startswith("&")}
    return fill(statement, checked).replace("\0", "&")
