"""``serve``: the simulated cluster on a port of its own, for other clients and for a class."""

import argparse
import functools
import os
from typing import TYPE_CHECKING

from raclab.cli.commands import Commands

if TYPE_CHECKING:
    from raclab.database.serve import ServedCluster

HIGHEST_PORT = 65535


def add_to(commands: Commands) -> None:
    """Add this command to the command line."""
    parser = commands.add_parser(
        "serve",
        help="start the simulated cluster on its own, for other clients",
        description="Start the simulated cluster on a port, until Ctrl-C. Other clients connect to its services RAC1 and RAC2. "
        "The password is that of RACLAB_SERVE_PASSWORD, or a new one that is printed.",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s, this machine only)")
    parser.add_argument("--port", type=_port, default=1521, help="port to listen on, 0 for any that is free (default: %(default)s)")
    parser.add_argument(
        "--run",
        metavar="MYTH",
        action="append",
        default=[],
        dest="myths",
        help="simulate this myth's case once, so that its figures are in the views; as often as needed",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    from raclab.database.serve import serve

    serve(
        arguments.host,
        arguments.port,
        os.environ.get("RACLAB_SERVE_PASSWORD"),
        functools.partial(print, flush=True),  # what it says is waited for, in a log too
        fill=functools.partial(_simulate, arguments.myths),
    )
    return 0


def _simulate(slugs: list[str], cluster: "ServedCluster") -> None:
    """Put a run of each myth into the views. Raises LabError for a myth that there is not."""
    if not slugs:
        return  # a cluster without runs needs no simulator, and half the memory
    from raclab.myths.registry import myth

    for one in [myth(slug) for slug in slugs]:
        measurement = one.simulate(one.levers(), seeds=[1])
        cluster.load(measurement, one.slug)
        print(f"Simulated {one.slug}: {measurement.case}.", flush=True)


def _port(text: str) -> int:
    if not (text.isdecimal() and int(text) <= HIGHEST_PORT):
        raise argparse.ArgumentTypeError(f"{text!r} is no port: 0 to {HIGHEST_PORT}")
    return int(text)
