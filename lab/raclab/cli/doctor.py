"""``doctor``: what a learner runs the evening before a training day."""

import argparse
import os

from raclab.cli.commands import Commands
from raclab.cli.finding import Check, Finding, Verdict, fail
from raclab.errors import LabError

_SECRETS = ("RACLAB_PASSWORD", "RACLAB_WALLET_PASSWORD", "RACLAB_ADMIN_PASSWORD")


def add_to(commands: Commands) -> None:
    """Add this command to the command line."""
    parser = commands.add_parser(
        "doctor",
        help="check that everything the course needs works here",
        description="Check that everything the course needs works here, and say what to do where it does not. "
        "Takes a few seconds; exit code 1 if anything fails.",
    )
    parser.set_defaults(run=run)


def checks() -> list[tuple[str, Check]]:
    """All checks with their names, in the order in which they are made."""
    from raclab.cli import check_database, check_install, check_machine

    return [
        ("Python", check_install.python),
        ("Packages", check_install.packages),
        ("Simulator", check_install.simulator),
        ("Notebook kernel", check_install.notebook_kernel),
        ("Your answers", check_machine.answers),
        ("Published data", check_machine.published_data),
        ("Ports", check_machine.ports),
        ("Browser", check_machine.browser),
        ("Simulated cluster", check_database.simulated_cluster),
        ("Oracle", check_database.oracle),
    ]


def run(arguments: argparse.Namespace) -> int:
    """Make all checks, print each as it is made, and return 1 if any failed."""
    findings = []
    for name, check in checks():
        finding = _made(check)
        findings.append(finding)
        print(_without_secrets(f"{finding.verdict:<4}  {name:<18}{finding.found}"), flush=True)
        if finding.do:
            print(_without_secrets(f"{'':<24}-> {finding.do}"), flush=True)
    failed = sum(finding.verdict is Verdict.FAIL for finding in findings)
    warned = sum(finding.verdict is Verdict.WARN for finding in findings)
    print(f"\n{len(findings)} checks: {failed} failed, {warned} with a warning.")
    return 1 if failed else 0


def _made(check: Check) -> Finding:
    """The check's finding. No check may keep the others from being made, whatever is broken on this machine."""
    try:
        return check()
    except LabError as error:
        return fail(str(error), "")
    except Exception as error:
        return fail(f"{type(error).__name__}: {error}", "make clean lab; if it stays, report it with this line")


def _without_secrets(line: str) -> str:
    for name in _SECRETS:
        if secret := os.environ.get(name):
            line = line.replace(secret, "****")
    return line
