"""The cluster's nodes with LMS, LCK0, LMD0 and LGWR, and the messages between them."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from raclab.cluster import lms as lms_program
from raclab.cluster.lms import REAL_TIME, TIME_SHARE
from raclab.cluster.parameters import Hardware
from raclab.sim import Constant, Distribution, Label, Model, Number, Process, Program, Uniform

__all__ = ["REAL_TIME", "TIME_SHARE", "Cluster", "NodeSetup", "alike", "build", "master_of"]

T = TypeVar("T")


@dataclass(frozen=True)
class NodeSetup:
    """What one node has that another may not have.

    lms           how many LMS. Oracle gives each block to one of them by hash; here a request goes to whichever is free, so
                  they are shown at their best
    lms_priority  REAL_TIME or TIME_SHARE
    lgwr_priority the same for LGWR
    yields        how often a real-time LMS looks for more messages before it sleeps
    runnable      batch processes in time-share that always want CPU
    redo_write_s  LGWR's write in seconds: its mean, or its distribution as measured (Empirical); None for the hardware's
    """

    lms: int = 1
    lms_priority: int = REAL_TIME
    lgwr_priority: int = REAL_TIME
    yields: int = 0
    runnable: int = 0
    redo_write_s: float | Distribution | None = None


@dataclass(frozen=True)
class Cluster:
    """Nodes 0 to n-1 in a model. Mailboxes of one kind are numbered node by node, so that ``at=`` finds the home's.

    lms, lck, lmd, lgwr  mailbox of node 0's LMS0 (blocks), LCK0 (row cache locks), LMD0 (enqueues) and LGWR; node i's is that + i
    changed         cell of node 0: how many changes to shared dictionary blocks node 0 has made; node i's is that + i
    on_disk         cell of node 0: how many of them LGWR has written; node i's is that + i
    asked           cell of node 0: requests made with ask_lms less those that an LMS has put itself down for; node i's is that + i
    link            link of node 0: what it sends to the others; node i's is that + i
    """

    model: Model
    hardware: Hardware
    cpus: tuple[int, ...]
    lms: int
    lck: int
    lmd: int
    lgwr: int
    changed: int
    on_disk: int
    asked: int
    link: int

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.cpus)

    def send(self, process: Program) -> None:
        """A small message travels one way."""
        process.delay(self.hardware.varied(self.hardware.message_s))

    def ship_block(self, process: Program) -> None:
        """A block travels one way."""
        self.send(process)
        process.delay(Constant(self.hardware.wire_s))

    def ask_lms(self, process: Program, node: Number) -> None:
        """A request waits for an LMS of a node and is served by it."""
        process.add(self.asked + node, 1)
        process.call(self.lms + node)

    def transmit(self, process: Program, node: Number, size: int) -> None:
        """So many bytes leave a node, behind those that are on its link already."""
        process.send(self.link + node, Constant(size))

    def travel(self, process: Program) -> None:
        """What is on its way arrives."""
        process.delay(self.hardware.varied(self.hardware.message_s))

    def flush_at(self, process: Program, home: Number) -> None:
        """LGWR at the home of a lock writes what it must, if anything of it is not on disk yet."""
        written = Label()
        process.jump_if_same(self.changed, self.on_disk, written, at=home)
        process.call(self.lgwr, at=home)
        process.place(written)


def build(model: Model, nodes: int, hardware: Hardware, setups: Sequence[NodeSetup] = ()) -> Cluster:
    """Nodes with their background processes: LMS, one LCK0 and LMD0 in real time, and an LGWR with group commit.

    ``setups`` are the first nodes'; the others have a plain one: one LMS in real time, no batch.
    """
    cpus = tuple(model.cpu(hardware.cores, hardware.quantum_s) for _ in range(nodes))
    lms, lck, lmd, lgwr = ([model.mailbox() for _ in range(nodes)] for _ in range(4))
    changed, on_disk, writing, asked = ([model.cell() for _ in range(nodes)] for _ in range(4))
    link = [model.link(hardware.bandwidth) for _ in range(nodes)]
    cluster = Cluster(model, hardware, cpus, lms[0], lck[0], lmd[0], lgwr[0], changed[0], on_disk[0], asked[0], link[0])
    every = [setups[node] if node < len(setups) else NodeSetup() for node in range(nodes)]
    messengers: list[tuple[NodeSetup, int, lms_program.Messenger]] = []
    servers: list[tuple[int, Process]] = []
    writers: list[Process] = []
    for node, setup in enumerate(every):
        for number in range(setup.lms):
            messenger = lms_program.make(model, f"LMS{number} {node + 1}", cpus[node], setup.lms_priority)
            messengers.append((setup, node, messenger))
        for name, mailbox in (("LCK0", lck[node]), ("LMD0", lmd[node])):
            servers.append((mailbox, model.process(f"{name} {node + 1}", cpus[node], REAL_TIME, essential=False)))
        writers.append(model.process(f"LGWR {node + 1}", cpus[node], setup.lgwr_priority, essential=False))
    for group in alike(messengers, lambda one: (one[0].lms_priority, one[0].yields)):
        setup, on = group[0][0], np.array([node for _, node, _ in group])
        lms_program.write(model, [messenger for *_, messenger in group], setup.yields, lms[0] + on, asked[0] + on, hardware)
    _lock_servers(model, servers, hardware)
    writes = [hardware.redo_write_s if setup.redo_write_s is None else setup.redo_write_s for setup in every]
    writer = model.together(writers)
    with writer.forever():
        writer.take(np.array(lgwr))
        writer.run(hardware.varied(hardware.lgwr_cpu_s))
        writer.copy(np.array(writing), np.array(changed))
        with writer.wait("log file parallel write"):
            writer.delay([write_s if isinstance(write_s, Distribution) else hardware.varied(write_s) for write_s in writes])
        writer.copy(np.array(on_disk), np.array(writing))
        writer.done()
    _batch(model, cpus, [setup.runnable for setup in setups], hardware.quantum_s)
    return cluster


def _lock_servers(model: Model, servers: Sequence[tuple[int, Process]], hardware: Hardware) -> None:
    """LCK0 and LMD0, each with its mailbox: one request after the other."""
    server = model.together([process for _, process in servers])
    with server.forever():
        server.take(np.array([mailbox for mailbox, _ in servers]), 1)
        server.run(hardware.varied(hardware.lms_cpu_s))
        server.done()


def _batch(model: Model, cpus: Sequence[int], runnable: Sequence[int], quantum_s: float) -> None:
    """So many processes a node that want nothing but CPU, for ever; their time slices do not begin at the same instant.

    Each burst is one slice; a longer one would come to the same, as who is preempted keeps the rest of its slice.
    """
    jobs = [
        model.process(f"batch {number} {node + 1}", cpus[node], TIME_SHARE, essential=False)
        for node, count in enumerate(runnable)
        for number in range(1, count + 1)
    ]
    if jobs:
        batch = model.together(jobs)
        batch.run(Uniform(0.0, quantum_s))
        with batch.forever():
            batch.run(Constant(quantum_s))


def alike(things: Iterable[T], kind: Callable[[T], Hashable]) -> list[list[T]]:
    """Things sorted into groups of one kind, in the order of the groups' first ones: processes of a group can share a program."""
    groups: dict[Hashable, list[T]] = {}
    for thing in things:
        groups.setdefault(kind(thing), []).append(thing)
    return list(groups.values())


def master_of(resource: int, nodes: int) -> int:
    """The node that masters a resource: a fixed hash over the nodes."""
    return (resource * 2654435761 % 2**32) % nodes
