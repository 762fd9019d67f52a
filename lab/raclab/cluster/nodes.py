"""The cluster's nodes with LMS, LCK0, LMD0 and LGWR, and the messages between them."""

from collections.abc import Sequence
from dataclasses import dataclass

from raclab.cluster import lms as lms_program
from raclab.cluster.lms import REAL_TIME, TIME_SHARE
from raclab.cluster.parameters import Hardware
from raclab.sim import Constant, Distribution, Label, Model, Process, Uniform

__all__ = ["REAL_TIME", "TIME_SHARE", "Cluster", "NodeSetup", "build", "master_of"]


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

    def send(self, process: Process) -> None:
        """A small message travels one way."""
        process.delay(self.hardware.varied(self.hardware.message_s))

    def ship_block(self, process: Process) -> None:
        """A block travels one way."""
        self.send(process)
        process.delay(Constant(self.hardware.wire_s))

    def ask_lms(self, process: Process, node: int) -> None:
        """A request waits for an LMS of a node and is served by it."""
        process.add(self.asked + node, 1)
        process.call(self.lms + node)

    def transmit(self, process: Process, node: int, size: int) -> None:
        """So many bytes leave a node, behind those that are on its link already."""
        process.send(self.link + node, Constant(size))

    def travel(self, process: Process) -> None:
        """What is on its way arrives."""
        process.delay(self.hardware.varied(self.hardware.message_s))

    def flush_at(self, process: Process, home: int) -> None:
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
    for node in range(nodes):
        setup = setups[node] if node < len(setups) else NodeSetup()
        for number in range(setup.lms):
            name = f"LMS{number} {node + 1}"
            lms_program.write(model, name, cpus[node], setup.lms_priority, setup.yields, lms[node], asked[node], hardware)
        for name, mailbox in (("LCK0", lck[node]), ("LMD0", lmd[node])):
            server = model.process(f"{name} {node + 1}", cpus[node], REAL_TIME, essential=False)
            with server.forever():
                server.take(mailbox, 1)
                server.run(hardware.varied(hardware.lms_cpu_s))
                server.done()
        writer = model.process(f"LGWR {node + 1}", cpus[node], setup.lgwr_priority, essential=False)
        write_s = hardware.redo_write_s if setup.redo_write_s is None else setup.redo_write_s
        with writer.forever():
            writer.take(lgwr[node])
            writer.run(hardware.varied(hardware.lgwr_cpu_s))
            writer.copy(writing[node], changed[node])
            writer.delay(write_s if isinstance(write_s, Distribution) else hardware.varied(write_s))
            writer.copy(on_disk[node], writing[node])
            writer.done()
    for node, setup in enumerate(setups):
        _batch(model, cpus[node], node, setup.runnable, hardware.quantum_s)
    return cluster


def _batch(model: Model, cpu: int, node: int, runnable: int, quantum_s: float) -> None:
    """Processes that want nothing but CPU, for ever; their time slices do not begin at the same instant.

    Each burst is one slice: who is preempted keeps the rest of it. Of a longer burst the kernel would begin the slice anew, and a
    process that real-time LMS preempts often would never give its core to the next in line.
    """
    for number in range(1, runnable + 1):
        batch = model.process(f"batch {number} {node + 1}", cpu, TIME_SHARE, essential=False)
        batch.run(Uniform(0.0, quantum_s))
        with batch.forever():
            batch.run(Constant(quantum_s))


def master_of(resource: int, nodes: int) -> int:
    """The node that masters a resource: a fixed hash over the nodes."""
    return (resource * 2654435761 % 2**32) % nodes
