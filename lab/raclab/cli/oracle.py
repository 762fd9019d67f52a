"""``oracle``: makes, checks and removes what a live run needs in a real Oracle database."""

import argparse

from raclab.cli.commands import Commands

_ADMINISTRATOR = (
    "Connects to RACLAB_DSN as SYS (or RACLAB_ADMIN_USER) with RACLAB_ADMIN_PASSWORD, or a password that is asked for, and writes only to "
    "the database that RACLAB_I_OWN_THIS_DATABASE names."
)


def add_to(commands: Commands) -> None:
    """Add this command to the command line."""
    parser = commands.add_parser(
        "oracle",
        help="prepare a real Oracle database for live runs",
        description="Prepare the database that RACLAB_DSN names for live runs.",
    )
    actions = parser.add_subparsers(title="what to do", metavar="ACTION", required=True)
    init = actions.add_parser(
        "init",
        help="make and mark the lab's user",
        description=f"Make the user RACLAB_USER with RACLAB_PASSWORD and its role, and mark its schema as the lab's. {_ADMINISTRATOR}",
    )
    init.add_argument("--diagnostics-pack", action="store_true", help="grant the views too whose use needs that licence (ASH, DBA_HIST)")
    init.set_defaults(run=_init)
    check = actions.add_parser(
        "check",
        help="say what the lab's user can read, and whether the lab may write",
        description="Connect as RACLAB_USER and say what it can read, and whether the lab may write. Only reads. Ends with status 1 where "
        "something that live runs need is missing.",
    )
    check.add_argument("--for-reading", action="store_true", help="status 1 only where a view can't be read: no live runs are meant")
    check.set_defaults(run=_check)
    drop = actions.add_parser(
        "drop", help="remove what init made", description=f"Remove the user RACLAB_USER and its role, if init made them. {_ADMINISTRATOR}"
    )
    drop.add_argument("--everything", action="store_true", help="also if the user's schema holds objects of your own")
    drop.set_defaults(run=_drop)
    for action in (init, drop):
        action.add_argument("--print", action="store_true", help="only print the SQL that would be run, for SQL*Plus; connects to nothing")
    for action in (init, check, drop):
        action.add_argument("--dsn", help="another database than RACLAB_DSN's: host:port/service")


def _init(arguments: argparse.Namespace) -> int:
    from raclab.database import oracle_admin

    if arguments.print:
        print(oracle_admin.printed("init", diagnostics_pack=arguments.diagnostics_pack))
    else:
        print(oracle_admin.init(arguments.dsn, diagnostics_pack=arguments.diagnostics_pack))
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from raclab.database import oracle_admin

    found = oracle_admin.check(arguments.dsn)
    print(found.told)
    return 0 if (found.readable if arguments.for_reading else found.runnable) else 1


def _drop(arguments: argparse.Namespace) -> int:
    from raclab.database import oracle_admin

    print(oracle_admin.printed("drop") if arguments.print else oracle_admin.drop(arguments.dsn, everything=arguments.everything))
    return 0
