"""The models that the kernel is timed with: each for the kernel, in SimPy and, where that is installed, in cimba."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from raclab.bench.simpy_peer import Pair
from raclab.cluster import sequences
from raclab.cluster.parameters import Hardware
from raclab.errors import LabError
from raclab.myths.nocache_sequences import costs
from raclab.sim import Run, ops, run, run_seeds

Figures = dict[str, list[float]]
Answer = Callable[[], Any]
BETWEEN_S, SERVICE_S = 1 / 0.75, 1.0
BETTER, OTHER = 5, 15


@dataclass(frozen=True)
class Case:
    """One model in three ways.

    ours, simpy  runs it with a seed; what it returns gives the makespan and all else that must be equal
    figures      what the kernel measures, by name and in each of the replications, to be compared with cimba's
    cimba        makes the peer, which has simulate(seed, replications); raises ModuleNotFoundError without cimba
    """

    name: str
    ours: Callable[[int], Answer]
    simpy: Callable[[int], Answer]
    figures: Callable[[Sequence[int]], Figures]
    cimba: Callable[[], Any]


def all_cases(size: int = 1) -> list[Case]:
    """Every case, ``size`` times smaller. Raises LabError if SimPy is missing."""
    try:
        from raclab.bench import simpy_queue, simpy_sequence, simpy_stations
    except ModuleNotFoundError as missing:
        if missing.name != "simpy":
            raise
        raise LabError("The benchmark compares with SimPy, which is not installed; install it with: pip install simpy") from None
    return [
        _open_queue(simpy_queue, 40_000 // size),
        _sequence(simpy_sequence, 10_000 // size),
        _priorities(simpy_stations, 2_000 // size),
    ]


def _open_queue(peer: ModuleType, customers: int) -> Case:
    pair: Pair = peer.open_queue(customers, BETWEEN_S, SERVICE_S)

    def ours(seed: int) -> Answer:
        done = run(pair.build(), seed)
        return lambda: (done.clock, done.ended.tolist(), peer.in_system(done))

    def theirs(seed: int) -> Answer:
        outcome = pair.simulate(seed)
        return lambda: (outcome.clock, outcome.ended, outcome.in_system)

    def figures(seeds: Sequence[int]) -> Figures:
        return {"time in the system (s)": [float(np.mean(peer.in_system(done))) for done in run_seeds(pair.build(), seeds)]}

    return Case(pair.name, ours, theirs, figures, lambda: _cimba("queue").Peer(customers, BETWEEN_S, SERVICE_S))


def _sequence(peer: ModuleType, rows: int) -> Case:
    case = sequences.TestCase(costs(), Hardware(), nodes=2, rows=rows)

    def ours(seed: int) -> Answer:
        built = sequences.build(case)
        done = sequences.simulate(built, [seed])[0]
        return lambda: (done.clock, [float(done.ended[process.number]) for _, _, process in built.sessions])

    def theirs(seed: int) -> Answer:
        outcome = peer.simulate(case, seed)
        return lambda: (outcome.makespan, outcome.ended)

    def figures(seeds: Sequence[int]) -> Figures:
        built = sequences.build(case)
        lock, runs = built.model.event("row cache lock"), sequences.simulate(built, seeds)
        waited = [float(done.waits["time"][:, lock].sum()) for done in runs]
        return {"makespan (s)": [done.clock for done in runs], "row cache lock (s)": waited}

    return Case(f"sequence, NOCACHE, 2 x {rows:,} rows", ours, theirs, figures, lambda: _cimba("sequence").Peer(case))


def _priorities(peer: ModuleType, rounds: int) -> Case:
    ranks = [0] * BETTER + [1] * OTHER
    pair: Pair = peer.classes(1, ranks, rounds)

    def ours(seed: int) -> Answer:
        done = run(pair.build(), seed)
        return lambda: (done.clock, done.ended.tolist())

    def theirs(seed: int) -> Answer:
        outcome = pair.simulate(seed)
        return lambda: (outcome.clock, outcome.ended)

    def figures(seeds: Sequence[int]) -> Figures:
        model = pair.build()
        runs = run_seeds(model, seeds)
        bursts, rank = model.program["code"] == ops.RUN, np.array(ranks)[model.where.process]
        return {
            "burst of the better class (s)": [_mean_time(done, bursts & (rank == 0)) for done in runs],
            "burst of the other (s)": [_mean_time(done, bursts & (rank == 1)) for done in runs],
        }

    def cimba() -> Any:
        return _cimba("priorities").Peer(ranks, rounds, peer.THINK_S, peer.BURST_S)

    return Case(f"two priority classes, {len(ranks) * rounds:,} bursts", ours, theirs, figures, cimba)


def _mean_time(done: Run, mine: np.ndarray) -> float:
    return float(done.tally["time"][mine].sum() / done.tally["hits"][mine].sum())


def without_cimba() -> str:
    """Why there is no comparison with cimba, in a sentence; "" if there can be one."""
    try:
        _cimba("cores")
    except (ImportError, OSError) as missing:
        return f"Without cimba ({missing}): `make bench` installs it, or pip install --require-hashes -r bench.lock."
    return ""


def _cimba(name: str) -> ModuleType:
    return import_module(f"raclab.bench.cimba_{name}")
