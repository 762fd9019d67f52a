"""Two priority classes on one CPU once more, in cimba: the better preempts, and who was preempted goes on with what was left."""

import math
from collections.abc import Sequence

import cimba
from cimba import random

from raclab.bench.cimba_cores import Cores, run, use


class Machine(cimba.Model):
    """The CPU, how many processes have not ended, and the time that the bursts of either class took."""

    cores: Cores
    unfinished: int
    better_s: cimba.Output[float] = 0.0
    other_s: cimba.Output[float] = 0.0


class User(cimba.Model):
    """A process that thinks and then uses the CPU, again and again."""

    machine: cimba.Ref[Machine]
    rank: cimba.Param[int]
    rounds: cimba.Param[int]
    think_s: cimba.Param[float]
    burst_s: cimba.Param[float]

    @cimba.process
    def work(self) -> None:
        """All its rounds; the last of all processes ends the trial."""
        machine, spent = self.machine, 0.0
        for _ in range(self.rounds):
            cimba.hold(random.exponential(self.think_s))
            began = cimba.now()
            use(machine.cores, random.exponential(self.burst_s), self.rank, math.inf)
            spent += cimba.now() - began
        if self.rank == 0:
            machine.better_s += spent
        else:
            machine.other_s += spent
        machine.unfinished -= 1
        if machine.unfinished == 0:
            cimba.end_trial()


class Computer(cimba.Model):
    """Machine and processes."""

    machine: Machine
    users: list[User]


class Peer:
    """The model with its parameters: a process for each of ``ranks``."""

    def __init__(self, ranks: Sequence[int], rounds: int, think_s: float, burst_s: float) -> None:
        self.model, machine = Computer(), Machine()
        machine.cores, machine.unfinished = Cores(), len(ranks)
        self.model.machine, self.model.users = machine, [User() for _ in ranks]
        self.bursts = [rounds * sum(rank == wanted for rank in ranks) for wanted in (0, 1)]
        for user, rank in zip(self.model.users, ranks, strict=True):
            user.machine, user.rank, user.rounds = machine, rank, rounds
            user.think_s, user.burst_s = think_s, burst_s * (1 + rank)

    def simulate(self, seed: int, replications: int = 1) -> dict[str, list[float]]:
        """The mean time for a burst of either class, in each replication."""
        done = run(self.model, seed, replications)[self.model.machine]
        better, other = (spent.values[0] / bursts for spent, bursts in zip((done.better_s, done.other_s), self.bursts, strict=True))
        return {"burst of the better class (s)": better.tolist(), "burst of the other (s)": other.tolist()}
