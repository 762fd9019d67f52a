"""What the peers in SimPy have in common: numbered processes that write down what each of their steps takes."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import simpy

from raclab.bench.bulk_variates import exponentials
from raclab.bench.simpy_cores import Steps
from raclab.bench.spent import Spent
from raclab.sim import Model

Script = Callable[[list[Spent], Iterator[Any]], Steps]
Draws = Callable[[int, int], Iterator[Any]]


@dataclass
class Outcome:
    """What a peer measured: the clock at the end, when each process ended (NaN: never), each process's timed ops in order.

    An open queue also says how long each of its customers was ``in_system``, in seconds.
    """

    clock: float = math.nan
    ended: list[float] = field(default_factory=list)
    steps: list[list[Spent]] = field(default_factory=list)
    in_system: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Pair:
    """One model: ``build`` for the kernel, ``simulate(seed)`` in SimPy."""

    name: str
    build: Callable[[], Model]
    simulate: Callable[[int], Outcome]


class Peer:
    """Collects what the processes of a peer spend."""

    def __init__(self, seed: int) -> None:
        self.env, self.seed, self.outcome = simpy.Environment(), seed, Outcome()
        self._essential: list[simpy.Process] = []

    def start(self, steps: int, script: Script, *, essential: bool = True, draws: Draws = exponentials) -> None:
        """Start a process with so many timed ops, the next one of the kernel's numbering; ``draws`` gives it its variates."""
        number = len(self.outcome.steps)
        self.outcome.steps.append([Spent() for _ in range(steps)])
        self.outcome.ended.append(math.nan)
        process = self.env.process(self._timed(number, script(self.outcome.steps[number], draws(self.seed, number))))
        if essential:
            self._essential.append(process)

    def _timed(self, number: int, script: Steps) -> Steps:
        yield from script
        self.outcome.ended[number] = self.env.now

    def run(self) -> Outcome:
        """Run until the essential processes have ended."""
        self.env.run(self.env.all_of(self._essential))
        self.outcome.clock = self.env.now
        return self.outcome


def pause(env: simpy.Environment, seconds: float, spent: Spent) -> Steps:
    """Let so many seconds pass, and write them down."""
    began = env.now
    yield env.timeout(seconds)
    spent.add(env.now - began)
