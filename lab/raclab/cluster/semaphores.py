"""Parallel servers that post each other through semaphore sets, with one kernel spin lock a set.

A server works, then wakes the one that it has a message for: it takes the spin lock of the set that holds the other's semaphore, and burns
CPU in the kernel until it has it. Nobody is taken off a CPU while it spins or holds the lock; with more servers than CPUs a time slice ends
between two messages. Receiving and the kernel's own scheduling are not modelled.

The model runs for a stated time and gives messages a second; what a server's second of work takes follows from that.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from raclab.sim import Constant, Exponential, Label, Model, Process, Run, run_seeds

USER, SPINNING, LOCKED, CPU_QUEUE = "user", "spins for a set's lock", "works under the lock", "waits for a CPU"
PARTS = (USER, SPINNING, LOCKED, CPU_QUEUE)

SAMPLE_MESSAGES = 5_000
SAMPLES = 10
LONGEST_SPIN_S = 1e6  # a kernel spin lock never gives up


@dataclass(frozen=True)
class PostHardware:
    """The box. Times in seconds.

    cpus       of the profiled box: published
    locked_s   time under a set's lock for one post. Assumed: 10 microseconds, a wake-up of a process on another socket
    quantum_s  time slice of the operating system. Assumed, as for the cluster
    """

    cpus: int = 128
    locked_s: float = 10e-6
    quantum_s: float = 10e-3


@dataclass(frozen=True)
class PostLoad:
    """Parallel servers at work.

    servers   asked for; each has a second of its own work to do
    sets, semaphores_per_set   as the kernel's settings give them; a server without a semaphore can't start
    messages_s                 messages that a server posts in a second of its own work
    """

    servers: int
    sets: int
    semaphores_per_set: int
    messages_s: float
    hardware: PostHardware = field(default_factory=PostHardware)

    @property
    def running(self) -> int:
        """Servers that find a semaphore."""
        return min(self.servers, self.sets * self.semaphores_per_set)

    @property
    def horizon_s(self) -> float:
        """How long to run for about SAMPLE_MESSAGES messages."""
        most = min(min(self.running, self.hardware.cpus) * self.messages_s, self.sets / self.hardware.locked_s)
        return SAMPLE_MESSAGES / most


@dataclass(frozen=True, eq=False)
class Built:
    """A load as a model; ``servers`` are those that run."""

    model: Model
    load: PostLoad
    servers: tuple[Process, ...]


def build(load: PostLoad, *, samples: bool = False) -> Built:
    """The load as a model. The servers' semaphores are spread evenly over the sets. With ``samples``, SAMPLES of them in all."""
    hardware = load.hardware
    model = Model(horizon=load.horizon_s, sampling=load.horizon_s / SAMPLES if samples else math.inf)
    # who is on a CPU is settled by `cpus`, so that nobody loses his CPU while he spins or has a lock
    cpu = model.cpu(min(load.running, hardware.cpus), hardware.quantum_s)
    cpus = model.semaphore(hardware.cpus)
    first_lock = model.lock_row([0] * load.sets)
    work_s = 1 / load.messages_s
    servers = tuple(model.process(f"P{number:03d}", cpu) for number in range(load.running))
    if servers:
        server = model.together(servers)
        receiver, top, goes_on, slice_ends = server.cell(), Label(), Label(), Label()
        server.wait_for(cpus)
        server.place(top)
        with server.activity(USER):
            server.run(Exponential(work_s))
        server.draw(receiver, load.sets)
        with server.activity(SPINNING):
            server.spin(first_lock, Constant(LONGEST_SPIN_S), top, by=receiver)
        with server.activity(LOCKED):
            server.run(Exponential(hardware.locked_s))
        server.release(first_lock, by=receiver)
        if load.running > hardware.cpus:
            server.jump_by_chance(min(1.0, work_s / hardware.quantum_s), slice_ends)
            server.jump(goes_on)
            server.place(slice_ends)
            server.post(cpus)
            with server.activity(CPU_QUEUE):
                server.wait_for(cpus)
        server.place(goes_on)
        server.jump(top)
    return Built(model, load, servers)


def simulate(built: Built, seeds: Sequence[int]) -> list[Run]:
    """Run it once a seed."""
    return run_seeds(built.model, seeds)


def utilisation(load: PostLoad) -> float:
    """How busy each lock would be if nobody waited for it; above 1 the locks are the limit of the box."""
    return min(load.running, load.hardware.cpus) * load.messages_s * load.hardware.locked_s / load.sets
