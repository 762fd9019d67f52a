"""A database server that reads its files over NFS: sessions, connections, one link, and the storage behind it.

A read takes a slot of its connection, goes to the storage, comes back over the link, and is then taken in by the connection, which
handles one reply at a time. Kernel NFS has as many connections as it is told, for all sessions; direct NFS has one for each session.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from raclab.sim import Constant, Distribution, Label, Model, Number, Process, Program, Run, Uniform, run_seeds

SLOT, STORAGE, LINK, CONNECTION, WORK = "waits for a slot", "storage", "link", "connection", "CPU"
PARTS = (WORK, SLOT, STORAGE, LINK, CONNECTION)
SCAN_EVENT, RANDOM_EVENT = "direct path read", "db file sequential read"


@dataclass(frozen=True)
class NfsHardware:
    """Server, network and storage. Times in seconds, sizes in bytes, rates in bytes a second unless they say otherwise.

    threads          hardware threads of the server: published (T5240)
    framing          share of the line rate that TCP carries in Ethernet frames of 1,500 bytes: 1,460 of 1,538 bytes
    rpc_s            what a connection spends on one reply, whatever its size. Assumed, with the stall at 32 users in view
    message_s        a request's way to the storage. Assumed: 0.03 ms
    storage_units    requests that the storage works on at a time. Assumed: the 7410's 16 cores
    storage_reads    random 8 KB reads a second that the storage gives at most: the highest published, about 90,000
    storage_stream   rate at which one unit hands out prefetched data. Assumed
    media_s          a random read's time beyond the storage's own processors (flash or disk). Assumed
    scan_read_bytes  one read of a full scan: Oracle's largest on most platforms, 1 MB
    block_bytes      a random read: one block
    row_cpu_s        CPU of the scan for one row. Assumed: 1 microsecond on a thread of that processor
    user_cpu_s       CPU that an OLTP user spends between two reads. Assumed, with the stall at 32 users in view
    spread           every time varies evenly by this share around its mean. Assumed
    """

    threads: int = 128
    framing: float = 1460 / 1538
    rpc_s: float = 15e-6
    message_s: float = 0.03e-3
    storage_units: int = 16
    storage_reads: float = 90_000
    storage_stream: float = 1e9
    media_s: float = 0.27e-3
    scan_read_bytes: int = 1_048_576
    block_bytes: int = 8192
    row_cpu_s: float = 1e-6
    user_cpu_s: float = 0.5e-3
    spread: float = 0.5

    def varied(self, mean: float) -> Distribution:
        """Times around a mean, by ``spread``."""
        return Uniform(mean * (1 - self.spread), mean * (1 + self.spread))


@dataclass(frozen=True)
class NfsLoad:
    """What is read, over what.

    table_bytes, rows  of the table that a scan reads once, together; 0 bytes mean that each session reads single blocks instead
    reads              single blocks that each session reads
    sessions           parallel servers of the scan, or users
    connections        of kernel NFS; with ``direct`` each session has one of its own
    outstanding        requests that one connection lets be under way
    link_bits          of the link, a second
    connection_bytes   that one connection takes in a second, apart from ``rpc_s``
    """

    hardware: NfsHardware
    connection_bytes: float
    sessions: int = 32
    table_bytes: float = 0.0
    rows: int = 0
    reads: int = 200
    connections: int = 1
    direct: bool = False
    outstanding: int = 128
    link_bits: float = 10e9

    @property
    def scan(self) -> bool:
        """Whether the sessions scan a table together."""
        return self.table_bytes > 0

    @property
    def scan_reads(self) -> int:
        """Reads that a scan takes."""
        return max(1, math.ceil(self.table_bytes / self.hardware.scan_read_bytes))

    @property
    def read_bytes(self) -> float:
        """Size of one read."""
        return self.table_bytes / self.scan_reads if self.scan else self.hardware.block_bytes

    @property
    def event(self) -> str:
        """The wait event of a read."""
        return SCAN_EVENT if self.scan else RANDOM_EVENT

    @property
    def connection_s(self) -> float:
        """How long a connection is busy with one reply."""
        return self.hardware.rpc_s + self.read_bytes / self.connection_bytes

    @property
    def link_bytes(self) -> float:
        """What the link carries of the files, in bytes a second."""
        return self.link_bits / 8 * self.hardware.framing

    @property
    def storage_s(self) -> float:
        """How long one of the storage's units is busy with a read."""
        hardware = self.hardware
        extra = (self.read_bytes - hardware.block_bytes) / hardware.storage_stream
        return hardware.storage_units / hardware.storage_reads + max(0.0, extra)

    @property
    def cpu_s(self) -> float:
        """CPU of a session for one read."""
        return self.hardware.row_cpu_s * self.rows / self.scan_reads if self.scan else self.hardware.user_cpu_s


@dataclass(frozen=True)
class Built:
    """A load as a model; ``sessions`` are the processes of the sessions in order."""

    load: NfsLoad
    model: Model
    sessions: tuple[Process, ...]


def build(load: NfsLoad, sampling_s: float = math.inf) -> Built:
    """The model of a load."""
    hardware = load.hardware
    model = Model(sampling=sampling_s)
    server, array = model.cpu(hardware.threads), model.cpu(hardware.storage_units)
    storage, link = model.mailbox(), model.link(load.link_bytes)
    connections = load.sessions if load.direct else load.connections
    lock = model.lock_row([0] * connections)
    slots = [model.semaphore(load.outstanding) for _ in range(connections)]
    left = model.cell(load.scan_reads)
    units = [model.process(f"storage {number + 1}", array, essential=False) for number in range(hardware.storage_units)]
    unit = model.together(units)
    with unit.forever():
        unit.take(storage, 1)
        unit.run(hardware.varied(load.storage_s))
        unit.done()
    sessions = tuple(model.process(f"session {number + 1}", server) for number in range(load.sessions))
    session = model.together(sessions)
    writer = _Writer(load, session, session.cell(np.arange(load.sessions)), storage, link, lock, slots[0])
    if load.scan:
        writer.scan(left)
    else:
        writer.random_reads()
    return Built(load, model, sessions)


@dataclass(frozen=True)
class _Writer:
    """Writes the sessions' program. ``which`` is the cell with a session's connection, as counted from ``lock`` and ``slots``."""

    load: NfsLoad
    session: Program
    which: Number
    storage: int
    link: int
    lock: int
    slots: int

    def scan(self, left: int) -> None:
        """Take the table's next piece as long as there is one."""
        session = self.session
        more, top = Label(), Label()
        session.place(top)
        session.jump_if_positive(left, more)
        session.end()
        session.place(more)
        session.add(left, -1)
        self._read()
        session.jump(top)

    def random_reads(self) -> None:
        """Read single blocks."""
        with self.session.loop(self.load.reads):
            self._read()

    def _read(self) -> None:
        load, session = self.load, self.session
        hardware = load.hardware
        if not load.direct:
            session.draw(self.which, load.connections)  # kernel RPC deals its requests out over the connections
        with session.wait(load.event):
            with session.activity(SLOT):
                session.wait_for(self.slots, by=self.which)
            with session.activity(STORAGE):
                session.delay(hardware.varied(hardware.message_s))
                session.call(self.storage)
                if not load.scan:
                    session.delay(hardware.varied(hardware.media_s))
            with session.activity(LINK):
                session.send(self.link, Constant(load.read_bytes))
            with session.activity(CONNECTION):
                session.acquire(self.lock, by=self.which)
                session.delay(hardware.varied(load.connection_s))
                session.release(self.lock, by=self.which)
            session.post(self.slots, by=self.which)
        with session.activity(WORK):
            session.run(hardware.varied(load.cpu_s))


def simulate(built: Built, seeds: Sequence[int]) -> list[Run]:
    """Run a built load once a seed."""
    return run_seeds(built.model, seeds)
