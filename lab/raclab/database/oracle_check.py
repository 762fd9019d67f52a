"""``python -m raclab oracle check``: what the lab's user can read and reach, and whether the lab may write."""

import re
from dataclasses import dataclass

import oracledb

from raclab.database.admin_connection import rows
from raclab.database.errors import ConnectError
from raclab.database.live_instances import open_instances, open_on
from raclab.database.live_session import identity
from raclab.database.oracle import OracleLab, connect_oracle
from raclab.database.workload import read_script
from raclab.paths import ORACLE_SCRIPTS

_GRANTED_VIEW = re.compile(r"grant select on sys\.(g?v)_\$(\w+) to")


@dataclass(frozen=True)
class Checked:
    """What was found, a sentence a line; whether every view can be read, and whether live runs are possible on every open instance."""

    told: str
    readable: bool
    runnable: bool


def check(dsn: str | None = None) -> Checked:
    """What is connected, which instances and views can be read, whether the lab may write.

    Only reads. Raises ConnectError.
    """
    with connect_oracle(dsn) as lab:
        state = lab.interlock
        where = " ".join(part for part in (state.connected.database, state.connected.container) if part)
        unreadable = _unreadable(lab)
        instances, all_reached = _instances(lab)
        told = [
            f"Connected to {where} as {state.connected.user}: {lab.version}.",
            *instances,
            f"Can't be read: {', '.join(unreadable)}." if unreadable else "Every view that the course needs can be read.",
            state.closed or "The lab may write here: live runs are possible.",
        ]
    return Checked("\n".join(told), not unreadable, state.open and all_reached and not unreadable)


def _unreadable(lab: OracleLab) -> list[str]:
    """The views of init.sql that the lab's user can't read, by the names that a query uses."""
    grants = read_script(ORACLE_SCRIPTS / "init.sql").section("grants")
    views = [f"{match[1]}${match[2]}" for match in map(_GRANTED_VIEW.match, grants) if match]
    missing = []
    for view in views:
        try:
            rows(lab.instance(1), f"select count(*) from {view} where 1 = 0")
        except oracledb.Error:
            missing.append(view.upper())
    return missing


def _instances(lab: OracleLab) -> tuple[list[str], bool]:
    """Which instances are open, and whether each is within reach."""
    try:
        instances, database = open_instances(lab.instance(1)), identity(lab.instance(1)).database
    except oracledb.Error:
        return ["Which instances are open can't be read."], False
    if len(instances) == 1:
        return [f"One instance is open, {instances[0].name}: what needs RAC can't be shown live."], True
    told = []
    for instance in instances:
        try:
            open_on(lab.connector, instance, database).close()
        except ConnectError as error:
            told.append(str(error))
    names = ", ".join(instance.name for instance in instances)
    return [f"{len(instances)} instances are open: {names}; {len(instances) - len(told)} within reach.", *told], not told
