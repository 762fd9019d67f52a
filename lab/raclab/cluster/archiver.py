"""Clients that archive changes over the nodes of a cluster, and the threads of a file name server, for a fixed time.

The archiver's way of a change: the client collects and sends a bulk (client round trip), the session inserts it and maintains the
indexes (hot leaf, disk reads), gets space, commits. The name server's: create a file, look it up, change its size, commit.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from raclab.cluster import global_locks, hot_leaf, nodes, row_locks, space
from raclab.cluster.parameters import Hardware
from raclab.cluster.space import SpaceParameters
from raclab.sim import Constant, Distribution, Label, Model, Process, Program, Run, Uniform, run_seeds

CLIENT, READ, TABLE_LOCK = "SQL*Net message from client", "db file sequential read", "enq: TM - contention"
WINDOW_S, WARM_UP_S = 20.0, 5.0


@dataclass(frozen=True)
class WorkParameters:
    """What the work costs. Times in seconds; the README of data/scale_out says what was not published.

    client_s         the archiver's client between two calls. Inferred from step 1: 150 clients at 100 changes a second, one each
                     call, is 1.5 s a call. Kept for every bulk size
    pace             changes a second that each client collects: the published goal over the published clients
    round_trip_s     the name server's thread between two calls. Assumed: a round trip in a local network
    call_cpu_s       CPU of a call, whatever it carries. Assumed
    entry_cpu_s      CPU of one row or index entry, conventionally. Assumed
    direct_cpu_s     CPU of one row of a direct-path load. Assumed
    reads_per_entry  share of the entries into a further index (in no order of time) whose leaf is on disk. Assumed, with step 2's rate
                     in view
    disks            as published
    disk_s           one access: step 2's published 137 s for 29,242 reads. A block that was read is changed and later written: two accesses
    hot_rows         rows that several sessions update, such as the name server's directory. Assumed: one; chosen after seeing results
    hash_partitions  of the name server's table. Assumed
    """

    client_s: float
    pace: float
    disk_s: float
    disks: int = 32
    round_trip_s: float = 1.0e-3
    call_cpu_s: float = 1.0e-3
    entry_cpu_s: float = 0.02e-3
    direct_cpu_s: float = 0.01e-3
    reads_per_entry: float = 0.5
    hot_rows: int = 1
    hash_partitions: int = 16


@dataclass(frozen=True)
class Case:
    """One setting. ``bulk`` rows a call; ``conflicts`` is the share of transactions that update a row that others update too."""

    work: WorkParameters
    name_server: bool = False
    nodes: int = 6
    clients: int = 150
    partitioned: bool = False
    bulk: int = 2000
    direct: bool = False
    preallocated: bool = False
    indexes: int = 1
    conflicts: float = 0.0
    hardware: Hardware = field(default_factory=lambda: Hardware(cores=2))
    space: SpaceParameters = field(default_factory=SpaceParameters)


@dataclass(frozen=True)
class Built:
    """A case as a model. ``sessions`` are (node, number within the node, process); ``done`` the cell with the changes of each.

    total, before  cells: changes of all, and how many of them were made before WARM_UP_S
    """

    case: Case
    model: Model
    cluster: nodes.Cluster
    sessions: tuple[tuple[int, int, Process], ...]
    done: tuple[int, ...]
    total: int
    before: int

    def rate(self, run: Run) -> float:
        """Changes a second after the warm-up (files, of the name server)."""
        return float(run.cells[self.total] - run.cells[self.before]) / (WINDOW_S - WARM_UP_S)


def build(case: Case, sampling_s: float = math.inf) -> Built:
    """The case as a model, clients spread over the nodes in turn."""
    model = Model(horizon=WINDOW_S, sampling=sampling_s)
    cluster = nodes.build(model, case.nodes, case.hardware)
    parts = 1
    if case.partitioned:
        parts = case.work.hash_partitions if case.name_server else case.clients
    leaves = hot_leaf.build(cluster, parts)
    shared = _Shared(
        leaves,
        row_locks.build(cluster, case.work.hot_rows),
        space.build(cluster, case.space, case.preallocated),
        model.lock(),
        model.mailbox(),
        model.cell(),
    )
    disk = model.together([model.process("disk", cluster.cpus[0], essential=False) for _ in range(case.work.disks)])
    with disk.forever():
        disk.take(shared.disks, 1)
        disk.delay(case.hardware.varied(case.work.disk_s))
        disk.done()
        disk.delay(case.hardware.varied(case.work.disk_s))
    before, clock = model.cell(), model.process("warm-up", cluster.cpus[0], essential=False)
    clock.delay(Constant(WARM_UP_S))
    clock.copy(before, shared.total)
    segment = shared.space.segment(0)
    sessions, collectors = [], []
    for client in range(case.clients):
        node = client % case.nodes
        process = model.process(f"session {client + 1}", cluster.cpus[node], nodes.TIME_SHARE)
        sessions.append((node, client // case.nodes + 1, process))
        if not case.name_server:
            collectors.append(model.process("client", cluster.cpus[node], essential=False))
    of_client, all_done = range(case.clients), model.cell_row([0] * case.clients)
    ready = np.array([model.semaphore() for _ in of_client])
    # partitions were not all filled at the same time: their extents end one after the other
    filled = [client * case.space.rows_per_extent // case.clients for client in of_client]
    left = np.array([shared.space.segment(rows) if case.partitioned else segment for rows in filled])
    leaf = model.cell_row([client if case.partitioned and not case.name_server else 0 for client in of_client])
    kinds = [global_locks.masters_among(cluster, node, [shared.space.lock]) for node in range(case.nodes)]
    for group in nodes.alike(of_client, lambda client: kinds[client % case.nodes]):
        these = np.array(group)
        program = model.together([sessions[client][2] for client in group])
        _Writer(case, cluster, shared, program, these % case.nodes, leaf + these, left[these], all_done + these, ready[these]).write()
    if collectors:
        _collect(case, model.together(collectors), ready)
    done = tuple(range(all_done, all_done + case.clients))
    return Built(case, model, cluster, tuple(sessions), done, shared.total, before)


def simulate(built: Built, seeds: Sequence[int]) -> list[Run]:
    """Run a built case for WINDOW_S seconds once a seed."""
    return run_seeds(built.model, seeds)


@dataclass(frozen=True)
class _Shared:
    """What all sessions share: leaves, rows, space, the table's lock, the disks' mailbox, the cell with all changes."""

    leaves: hot_leaf.HotLeaves
    rows: row_locks.RowLocks
    space: space.Space
    table: int
    disks: int
    total: int


def _collect(case: Case, source: Program, ready: NDArray[np.int64]) -> None:
    """The clients' other half: changes come in at their pace, and are sent a bulk at a time."""
    period = case.bulk / case.work.pace
    # bulks that come in faster than any session can ask for them: a session finds one whenever it asks, whether they come one by one or not
    soonest = case.work.client_s * (1 - case.hardware.spread)
    at_once = max(1, int(soonest / period))
    source.delay(Uniform(0.0, period))
    with source.forever():
        source.post(ready, at_once)
        source.delay(Constant(at_once * period))


@dataclass
class _Writer:
    """Writes the program of sessions, each with its node, its cells and its client's semaphore."""

    case: Case
    cluster: nodes.Cluster
    shared: _Shared
    process: Program
    node: NDArray[np.int64]
    leaf: NDArray[np.int64]
    left: NDArray[np.int64]
    done: NDArray[np.int64]
    ready: NDArray[np.int64]

    def write(self) -> None:
        process, called = self.process, Label()
        if self.case.name_server:
            with process.forever():
                self._files()
            return
        self._called_after(Uniform(0.0, self.case.work.client_s))  # clients were not all started at the same instant
        process.jump(called)
        with process.forever():
            self._called_after(self.case.hardware.varied(self.case.work.client_s))
            process.place(called)
            process.run(self.case.hardware.varied(self.case.work.call_cpu_s))
            self._in_transaction(self._load)

    def _called_after(self, client: Distribution) -> None:
        """The session is idle until its client is ready and has a bulk."""
        with self.process.wait(CLIENT):
            self.process.delay(client)
            self.process.wait_for(self.ready)

    def _files(self) -> None:
        """One loop of the name server's test: three calls, the last one with the commit."""
        work, varied, process = self.case.work, self.case.hardware.varied, self.process
        if self.shared.leaves.count > 1:
            process.draw(self.leaf, self.shared.leaves.count)
        for _ in range(2):
            with process.wait(CLIENT):
                process.delay(varied(work.round_trip_s))
            process.run(varied(work.call_cpu_s))
        with process.wait(CLIENT):
            process.delay(varied(work.round_trip_s))

        def create() -> None:
            self._conventional(1)
            process.run(varied(work.call_cpu_s))
            self._count(1)

        self._in_transaction(create)

    def _in_transaction(self, statement: Callable[[], None]) -> None:
        """The statement, with a row that others want too or without, and the commit."""
        process, share = self.process, self.case.conflicts
        if share > 0:
            row, alone, committed = process.cell(), Label(), Label()
            process.jump_by_chance(1 - share, alone)
            process.draw(row, self.shared.rows.rows)
            self.shared.rows.take(process, self.node, row)
            statement()
            self._commit()
            self.shared.rows.give_back(process, row)
            process.jump(committed)
            process.place(alone)
            statement()
            self._commit()
            process.place(committed)
        else:
            statement()
            self._commit()

    def _load(self) -> None:
        case = self.case
        if case.direct:
            self._direct()
        else:
            piece = case.hardware.block_bytes // case.space.row_bytes
            pieces, rest = divmod(case.bulk, piece)
            if pieces:
                with self.process.loop(pieces):
                    self._conventional(piece)
                    self._count(piece)
            if rest:
                self._conventional(rest)
                self._count(rest)
        self.shared.space.use(self.process, self.node, self.left, case.bulk)

    def _conventional(self, rows: int) -> None:
        """Rows that go into one block, with their index entries."""
        case, process = self.case, self.process
        self.shared.leaves.visit(process, self.node, self.leaf, case.hardware.varied(rows * case.work.entry_cpu_s))
        self._further_indexes(rows)

    def _further_indexes(self, rows: int) -> None:
        case, process = self.case, self.process
        entries = rows * (case.indexes - 1)
        if not entries:
            return
        process.run(case.hardware.varied(entries * case.work.entry_cpu_s))
        reads, rest = divmod(entries * case.work.reads_per_entry, 1)
        if reads:
            with process.loop(int(reads)), process.wait(READ):
                process.call(self.shared.disks)
        if rest:
            none = Label()
            process.jump_by_chance(1 - rest, none)
            with process.wait(READ):
                process.call(self.shared.disks)
            process.place(none)

    def _direct(self) -> None:
        """A direct-path load: new blocks behind the segment's end. One that names no partition has the table to itself until the commit."""
        case, process = self.case, self.process
        alone = not case.partitioned
        if alone:
            if_free, got = Label(), Label()
            process.jump_if_free(self.shared.table, 0, if_free)
            with process.wait(TABLE_LOCK):
                process.acquire(self.shared.table)
                self.cluster.send(process)
            process.jump(got)
            process.place(if_free)
            process.acquire(self.shared.table)
            process.place(got)
        process.run(case.hardware.varied(case.bulk * case.work.direct_cpu_s))
        with process.wait("direct path write"):
            process.call(self.shared.disks)
        self._further_indexes(case.bulk)
        self._count(case.bulk)

    def _count(self, rows: int) -> None:
        self.process.add(self.done, rows)
        self.process.add(self.shared.total, rows)

    def _commit(self) -> None:
        process = self.process
        process.add(self.cluster.changed + self.node, 1)
        with process.wait("log file sync"):
            process.call(self.cluster.lgwr + self.node)
        if self.case.direct and not self.case.partitioned and not self.case.name_server:
            process.release(self.shared.table)
