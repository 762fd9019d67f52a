"""``compile``: compiles the simulation kernel ahead, as ``make lab`` does, so that no learner waits for it."""

import argparse

from raclab.cli.commands import Commands


def add_to(commands: Commands) -> None:
    """Add this command to the command line."""
    parser = commands.add_parser(
        "compile",
        help="compile the simulation kernel ahead",
        description="Compile the simulation kernel and keep the result in numba's cache. `make lab` does this by itself.",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Compile, or load what was compiled before, and say how long that took."""
    from raclab.sim import warm_up

    print(f"The simulator is ready after {warm_up(print):.1f} s.")
    return 0
