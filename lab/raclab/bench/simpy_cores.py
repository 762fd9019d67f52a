"""A CPU in SimPy: cores, priority classes with preemption, time slices; the peer of the kernel's RUN."""

import math
from collections.abc import Generator
from typing import Any

import simpy

from raclab.bench.spent import Spent

Steps = Generator[simpy.Event, Any, None]
"""What a SimPy process yields."""


class Cores:
    """A node's cores. ``used`` counts the core-seconds used; a burst longer than ``quantum`` goes on behind its class."""

    def __init__(self, env: simpy.Environment, cores: int, quantum: float = math.inf) -> None:
        self.env, self.quantum, self.used = env, quantum, 0.0
        self._cores = simpy.PreemptiveResource(env, capacity=cores)
        self._preempted = 0

    def use(self, seconds: float, priority: int, spent: Spent) -> Steps:
        """Use a core for so long; a lower number preempts a higher one.

        Who is preempted keeps what is left of its slice and goes on before all others of its class; of several, the one whose slice
        began last gives way.
        """
        env, began, left, rank, slice_left = self.env, self.env.now, seconds, float(priority), self.quantum
        while True:
            with self._cores.request(rank, preempt=rank == priority) as core:  # type: ignore[arg-type]
                yield core
                started = env.now
                core.key = priority, -1.0, started  # type: ignore[attr-defined]  # never worse than a request of its own class
                part = min(left, slice_left)
                try:
                    yield env.timeout(part)
                    rank, slice_left = float(priority), self.quantum
                except simpy.Interrupt:
                    part = env.now - started
                    slice_left = max(0.0, slice_left - part)
                    self._preempted += 1
                    rank = priority - 1 + 1 / (1 + self._preempted)
            self.used += part
            spent.cpu += part
            left -= part
            if left <= 0:
                break
        spent.add(env.now - began)
