"""The command line: ``python -m raclab COMMAND``. Each command has a module; what it needs is imported when it runs."""

import argparse
import os
import sys
from collections.abc import Sequence

from raclab import __version__
from raclab.cli import bench, compile, doctor, oracle, run, serve
from raclab.errors import LabError

INTERRUPTED = 130  # what a shell reports of a program ended by Ctrl-C


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    ``argv`` is what follows ``python -m raclab``, None for this process' own. 0 is success, 1 something that the learner can put
    right and has been told, 2 wrong usage (raised as SystemExit by argparse), 130 Ctrl-C.
    """
    parser = argparse.ArgumentParser(prog="python -m raclab", description="RAC Myths Lab: everything that is not in a notebook.")
    parser.add_argument("--version", action="version", version=f"RAC Myths Lab {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (doctor, serve, run, bench, compile, oracle):
        command.add_to(commands)
    arguments, unknown = parser.parse_known_args(argv)
    if unknown and not hasattr(arguments, "rest"):
        parser.error(f"unknown argument: {' '.join(unknown)}")
    if unknown:
        arguments.rest = unknown
    try:
        code = int(arguments.run(arguments))
        sys.stdout.flush()
        return code
    except LabError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # `| head` has seen enough. Python flushes once more at exit: into nothing, so that it does not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
