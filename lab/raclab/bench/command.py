"""``python -m raclab bench``: times the kernel against the same models in SimPy, and what a learner waits for."""

import argparse
import os
import platform
from collections.abc import Callable, Sequence
from importlib.metadata import version
from types import ModuleType
from typing import Any

import numpy as np

from raclab.bench.timing import Duel, Spread, in_fresh_processes, in_turns, repeated
from raclab.errors import LabError

MILLI = 1000.0
AIM_RATIO, AIM_EIGHT_SEEDS_S, AIM_FIRST_CALL_S, AIM_IMPORT_S = 50.0, 0.100, 1.0, 1.0
SEEDS = range(1, 9)

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
    """Run the benchmark; 1 if the kernel and SimPy disagree, else 0. Raises LabError if SimPy is missing."""
    arguments = _parser().parse_args(argv)
    if arguments.validation:
        from raclab.bench.validation import markdown

        print(markdown())
        return 0
    sequence, stations = _peers()
    print(_machine())
    pairs = arguments.pairs or (2 if arguments.quick else 7)
    size = 20 if arguments.quick else 1
    duels = {
        f"sequence, NOCACHE, 2 x {10_000 // size:,} rows": _sequence(sequence, 10_000 // size, pairs),
        f"queue for one core, {40_000 // size:,} bursts": _pair(stations.first_come(1, 20, 2_000 // size), pairs),
        f"two priority classes, {40_000 // size:,} bursts": _pair(stations.classes(1, [0] * 5 + [1] * 15, 2_000 // size), pairs),
    }
    _print_duels(duels)
    _print_waits(_lever_move(pairs), in_fresh_processes(FIRST_CALL, 1 if arguments.quick else 3))
    different = [name for name, duel in duels.items() if not duel.equal]
    if different:
        print(f"\nThe kernel and SimPy disagree on: {'; '.join(different)}. This is a fault in the kernel or in the peer.")
    return 1 if different else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m raclab bench", description="Time the simulation against the same model in SimPy, in one run, in turns."
    )
    parser.add_argument("--quick", action="store_true", help="small models and two pairs: a few seconds")
    parser.add_argument("--pairs", type=_at_least_one, help="how many pairs of runs (default 7)")
    parser.add_argument("--validation", action="store_true", help="print the validation table of docs/kernel.md instead")
    return parser


def _at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of pairs; give 1 or more")
    return int(text)


def _peers() -> tuple[ModuleType, ModuleType]:
    try:
        from raclab.bench import simpy_sequence, simpy_stations
    except ModuleNotFoundError as missing:
        if missing.name != "simpy":
            raise
        raise LabError("The benchmark compares with SimPy, which is not installed; install it with: pip install simpy") from None
    return simpy_sequence, simpy_stations


def _machine() -> str:
    names = ("numpy", "numba", "simpy")
    versions = ", ".join(f"{name} {version(name)}" for name in names)
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores; Python {platform.python_version()}, {versions}"


def _sequence(peer: ModuleType, rows: int, pairs: int) -> Duel:
    from raclab.cluster import sequences
    from raclab.cluster.parameters import Hardware
    from raclab.myths.nocache_sequences import costs

    case = sequences.TestCase(costs(), Hardware(), nodes=2, rows=rows)

    def ours(seed: int) -> tuple[float, list[float]]:
        built = sequences.build(case)
        run = sequences.simulate(built, [seed])[0]
        return run.clock, [float(run.ended[process.number]) for _, _, process in built.sessions]

    def theirs(seed: int) -> tuple[float, list[float]]:
        outcome = peer.simulate(case, seed)
        return outcome.makespan, outcome.ended

    return in_turns(ours, theirs, pairs)


def _pair(pair: Any, pairs: int) -> Duel:
    from raclab.sim import run

    def ours(seed: int) -> tuple[float, list[float]]:
        done = run(pair.build(), seed)
        return done.clock, done.ended.tolist()

    def theirs(seed: int) -> tuple[float, list[float]]:
        outcome = pair.simulate(seed)
        return outcome.clock, outcome.ended

    return in_turns(ours, theirs, pairs)


def _lever_move(times: int) -> dict[str, Spread]:
    """What one move of a lever costs: the simulation of eight seeds, and all of it with building and frames."""
    from raclab.cluster import sequences
    from raclab.myths.nocache_sequences import MYTH, TWO_NODES, test_case

    built = sequences.build(test_case(TWO_NODES))
    calls: dict[str, Callable[[], Any]] = {
        "8 seeds x 20,000 inserts": lambda: sequences.simulate(built, SEEDS),
        "one lever move: build, 8 seeds, frames": lambda: MYTH.simulate(TWO_NODES, SEEDS),
        "of that, building the model": lambda: sequences.build(test_case(TWO_NODES)),
    }
    return {name: repeated(call, 3 * times) for name, call in calls.items()}


def _print_duels(duels: dict[str, Duel]) -> None:
    _print_table(
        ("median (smallest to largest)", "kernel", "SimPy", "ratio, pair by pair", "aim", "makespans"),
        [
            (
                name,
                duel.ours.text("ms", MILLI),
                duel.theirs.text("ms", MILLI),
                duel.ratio.text("x"),
                f">= {AIM_RATIO:g} x" if name.startswith("sequence") else "",
                f"equal in all {len(duel.answers)} pairs" if duel.equal else "DIFFERENT",
            )
            for name, duel in duels.items()
        ],
    )


def _print_waits(moves: dict[str, Spread], fresh: list[dict[str, float]]) -> None:
    started = {
        "import raclab": (Spread(tuple(one["import"] for one in fresh)), f"< {AIM_IMPORT_S * MILLI:,.0f} ms"),
        "then import of the myth (numba, pandas, plotly)": (Spread(tuple(one["myth"] for one in fresh)), ""),
        "then its first call, 8 seeds": (Spread(tuple(one["call"] for one in fresh)), f"< {AIM_FIRST_CALL_S * MILLI:,.0f} ms"),
    }
    aims = {"8 seeds x 20,000 inserts": f"< {AIM_EIGHT_SEEDS_S * MILLI:g} ms"}
    rows = [(name, spread.text("ms", MILLI), aims.get(name, "")) for name, spread in moves.items()]
    rows += [(f"fresh process: {name}", spread.text("ms", MILLI), aim) for name, (spread, aim) in started.items()]
    _print_table(("what a learner waits for", "median (smallest to largest)", "aim"), rows)


def _print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = np.array([[len(cell) for cell in row] for row in (head, *rows)]).max(axis=0).tolist()
    print()
    for row in (head, ["-" * width for width in widths], *rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
