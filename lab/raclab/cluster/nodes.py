"""The cluster's nodes with LMS, LCK0, LMD0 and LGWR, and the messages between them."""

from dataclasses import dataclass

from raclab.cluster.parameters import Hardware
from raclab.sim import Constant, Label, Model, Process

REAL_TIME, TIME_SHARE = 0, 1


@dataclass(frozen=True)
class Cluster:
    """Nodes 0 to n-1 in a model. Mailboxes of one kind are numbered node by node, so that ``at=`` finds the home's.

    lms, lck, lmd, lgwr  mailbox of node 0's LMS0 (blocks), LCK0 (row cache locks), LMD0 (enqueues) and LGWR; node i's is that + i
    changed         cell of node 0: how many changes to shared dictionary blocks node 0 has made; node i's is that + i
    on_disk         cell of node 0: how many of them LGWR has written; node i's is that + i
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

    def flush_at(self, process: Process, home: int) -> None:
        """LGWR at the home of a lock writes what it must, if anything of it is not on disk yet."""
        written = Label()
        process.jump_if_same(self.changed, self.on_disk, written, at=home)
        process.call(self.lgwr, at=home)
        process.place(written)


def build(model: Model, nodes: int, hardware: Hardware) -> Cluster:
    """Nodes with their background processes: one LMS, LCK0 and LMD0 each, in real time, and an LGWR with group commit."""
    cpus = tuple(model.cpu(hardware.cores, hardware.quantum_s) for _ in range(nodes))
    lms, lck, lmd, lgwr = ([model.mailbox() for _ in range(nodes)] for _ in range(4))
    changed, on_disk, writing = ([model.cell() for _ in range(nodes)] for _ in range(3))
    cluster = Cluster(model, hardware, cpus, lms[0], lck[0], lmd[0], lgwr[0], changed[0], on_disk[0])
    for node in range(nodes):
        for name, mailbox in (("LMS0", lms[node]), ("LCK0", lck[node]), ("LMD0", lmd[node])):
            server = model.process(f"{name} {node + 1}", cpus[node], REAL_TIME, essential=False)
            with server.forever():
                server.take(mailbox, 1)
                server.run(hardware.varied(hardware.lms_cpu_s))
                server.done()
        writer = model.process(f"LGWR {node + 1}", cpus[node], REAL_TIME, essential=False)
        with writer.forever():
            writer.take(lgwr[node])
            writer.run(hardware.varied(hardware.lgwr_cpu_s))
            writer.copy(writing[node], changed[node])
            writer.delay(hardware.varied(hardware.redo_write_s))
            writer.copy(on_disk[node], writing[node])
            writer.done()
    return cluster


def master_of(resource: int, nodes: int) -> int:
    """The node that masters a resource: a fixed hash over the nodes."""
    return (resource * 2654435761 % 2**32) % nodes
