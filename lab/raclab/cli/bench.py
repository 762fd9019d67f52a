"""``bench``: times the simulation kernel against the same models in SimPy and cimba."""

import argparse

from raclab.cli.commands import Commands


def add_to(commands: Commands) -> None:
    """Add this command to the command line; its own options, --help among them, are those of raclab.bench."""
    parser = commands.add_parser("bench", help="time the simulation against the same models in SimPy and cimba", add_help=False)
    parser.set_defaults(run=run, rest=[])


def run(arguments: argparse.Namespace) -> int:
    """Hand the options over to raclab.bench."""
    from raclab.bench import main

    return main(arguments.rest)
