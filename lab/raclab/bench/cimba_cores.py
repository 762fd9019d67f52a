"""What the peers in cimba have in common: a CPU with priority classes, and the run of an experiment.

cimba compiles models written in Python for a simulation engine in C (github.com/ambonvik/cimba, github.com/FBarrca/cimba_python). It has
random numbers of its own, so a peer is equal to the kernel's model in law and not to the last bit.
"""

from typing import Any

import cimba
from numba import njit

NO_HISTORIES = cimba.Window(warmup=1e15, duration=1.0)
"""cimba records the histories of its queues from ``warmup`` on. No model comes that far: it need not spend time on what nobody reads."""

BEST = 1 << 50  # cimba's first priority class; a higher number goes first
CLASS = 1 << 40  # from one class to the next: room for those that were preempted, each before those of its class


class Cores(cimba.Model):
    """A node's cores; ``preempted`` counts how often somebody had to leave one."""

    pool: cimba.Resource
    preempted: int = 0


@njit
def use(cores, seconds, rank, quantum):  # type: ignore[no-untyped-def]
    """Use a core for so long, as Cores.use of simpy_cores.py does; of several in the worse class cimba says who gives way."""
    urgency = BEST - rank * CLASS
    place, left, slice_left = urgency, seconds, quantum
    while True:
        if place == urgency:
            cores.pool.preempt(1, place)
        else:
            cores.pool.acquire(1, place)
        began, part = cimba.now(), min(left, slice_left)
        if cimba.hold(part) == 0:
            cores.pool.release(1)
            place, slice_left = urgency, quantum
        else:
            part = cimba.now() - began
            slice_left = max(0.0, slice_left - part)
            cores.preempted += 1
            place = urgency + cores.preempted
        left -= part
        if left <= 0:
            return


def run(model: Any, seed: int, replications: int = 1) -> Any:
    """cimba's results of so many trials on one thread; the first run of a model's classes compiles them."""
    return cimba.Experiment(model, replications=replications, window=NO_HISTORIES, seed=seed).run(workers=1, on_failure="raise")
