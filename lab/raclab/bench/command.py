"""``python -m raclab bench``: times the kernel against the same models in SimPy and cimba, a large cluster, a learner's waits, and
the lab database.
"""

import argparse
import os
import platform
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from raclab.bench import database, moves, report, scale
from raclab.bench.agreement import Agreement
from raclab.bench.cases import Case, all_cases, without_cimba
from raclab.bench.report import KERNEL, Raced
from raclab.bench.timing import Spread, in_fresh_processes, in_turns, repeated, seconds
from raclab.myths import registry

SEEDS = range(1, 9)
NODES, SESSIONS = 64, 64

FIRST_CALL = """
import json, time
began = time.perf_counter()
import raclab
imported = time.perf_counter()
from raclab.myths.nocache_sequences import MYTH, TWO_NODES
ready = time.perf_counter()
MYTH.simulate(TWO_NODES)
done = time.perf_counter()
print(json.dumps({"import": imported - began, "myth": ready - imported, "call": done - ready}))
"""


def main(argv: Sequence[str]) -> int:
    """Run the benchmark; 1 if the kernel and a peer disagree, else 0. Raises LabError if SimPy is missing."""
    arguments = _parser().parse_args(argv)
    if arguments.validation:
        from raclab.bench.validation import markdown

        print(markdown())
        return 0
    quick = arguments.quick
    rounds = arguments.rounds or (2 if quick else 7)
    if arguments.database:
        print(_machine())
        _time_database(rounds, quick=quick)
        return 0
    no_cimba = without_cimba()  # imports it, which must come before numba compiles anything, or it can't read its own records
    cases = all_cases(20 if quick else 1)
    print(_machine())
    print(report.how(rounds, no_cimba, judge=not quick))
    raced = [_race(case, rounds, 8 if quick else 20, cimba=not no_cimba) for case in cases]
    report.print_races(raced, judge=not quick)
    report.print_agreements(raced)
    nodes, sessions = (8, 8) if quick else (NODES, SESSIONS)
    processes = 1 if quick else 3
    large = {case: scale.measured(case, nodes, sessions, processes, 3) for case in scale.CASES}
    report.print_scale(nodes, sessions, large, judge=not quick)
    report.print_waits(_lever_move(rounds), in_fresh_processes(FIRST_CALL, processes))
    slugs = ["start_here"] if quick else registry.slugs()
    report.print_moves([moves.measured(slug, rounds) for slug in slugs], judge=not quick)
    _time_database(rounds, quick=quick)
    faults = report.faults(raced)
    print("".join(f"\n{fault}" for fault in faults), end="\n" if faults else "")
    return 1 if faults else 0


def _time_database(rounds: int, *, quick: bool) -> None:
    slugs, texts = (["start_here"], database.statements()[::25]) if quick else (registry.slugs(), database.statements())
    report.print_database(database.measured(slugs, texts, rounds, 1 if quick else 3), judge=not quick)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m raclab bench", description="Time the simulation against the same models in SimPy and cimba, in one run, in turns."
    )
    parser.add_argument("--quick", action="store_true", help="small models and two rounds: some seconds")
    parser.add_argument("--rounds", type=_at_least_one, help="how many rounds (default 7)")
    parser.add_argument("--database", action="store_true", help="time the lab database only")
    parser.add_argument("--validation", action="store_true", help="print the validation table of docs/kernel.md instead")
    return parser


def _at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of rounds; give 1 or more")
    return int(text)


def _machine() -> str:
    packages = []
    for name in ("numpy", "numba", "simpy", "cimba"):
        try:
            packages.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            packages.append(f"no {name}")
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores{load}"
    return f"{machine}; Python {platform.python_version()}, {', '.join(packages)}"


def _race(case: Case, rounds: int, replications: int, *, cimba: bool) -> Raced:
    calls = {KERNEL: case.ours, "SimPy": case.simpy}
    if not cimba:
        return Raced(case.name, in_turns(calls, rounds))
    peer = case.cimba()
    first_s, _ = seconds(lambda: peer.simulate(0))
    race = in_turns({**calls, "cimba": lambda seed: partial(dict, peer.simulate(seed))}, rounds)
    ours, theirs = case.figures(range(1, replications + 1)), peer.simulate(1, replications)
    return Raced(case.name, race, [Agreement(name, tuple(ours[name]), tuple(theirs[name])) for name in ours], first_s)


def _lever_move(rounds: int) -> dict[str, Spread]:
    """What one move of a lever costs: the simulation of eight seeds, and all of it with building and frames."""
    from raclab.cluster import sequences
    from raclab.myths.nocache_sequences import MYTH, TWO_NODES, test_case

    built = sequences.build(test_case(TWO_NODES))
    calls: dict[str, Callable[[], Any]] = {
        "8 seeds x 20,000 inserts": lambda: sequences.simulate(built, SEEDS),
        "one lever move: build, 8 seeds, frames": lambda: MYTH.simulate(TWO_NODES, SEEDS),
        "of that, building the model": lambda: sequences.build(test_case(TWO_NODES)),
    }
    return {name: repeated(call, 3 * rounds) for name, call in calls.items()}
