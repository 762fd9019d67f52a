"""A sequence on RAC, and the published test case: every node inserts rows that take their key from it.

NOCACHE is a cache of one number: each value is a change of the sequence's row in the dictionary table SEQ$, made under
the row cache lock. CACHE n hands a range of n numbers to a node. With ORDER all nodes share one range, and every value
is taken under a cluster-wide lock (``DFS lock handle``).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raclab.cluster import global_locks, nodes
from raclab.cluster.parameters import Hardware
from raclab.sim import Constant, Label, Model, Number, Process, Program, Run, run_seeds

NEXTVAL, INSERT, COMMIT = "update seq$", "insert", "commit"


@dataclass(frozen=True)
class StatementCosts:
    """What one insert costs where nobody disturbs it, in seconds: from the published one-node run, per row.

    The insert's own elapsed time holds that of the recursive statement; here the two are apart. ``other`` is what of
    the elapsed time was neither CPU nor a published wait.
    """

    insert_cpu_s: float
    insert_other_s: float
    seq_cpu_s: float
    seq_other_s: float


@dataclass(frozen=True)
class TestCase:
    """The published script with its levers.

    cache         numbers in a range; 0 and 1 mean NOCACHE
    rows          inserted by each session
    start_gap_s   seconds from the start of one node's session to the start of the next node's
    sessions      on each node
    """

    costs: StatementCosts
    hardware: Hardware
    nodes: int = 2
    cache: int = 0
    order: bool = False
    rows: int = 10_000
    commit_every: int = 1_000
    start_gap_s: float = 0.0
    sessions: int = 1
    first_number: int = 1

    @property
    def range_size(self) -> int:
        """Numbers handed out by one change of SEQ$."""
        return max(1, self.cache)

    @property
    def shared_range(self) -> bool:
        """Whether all nodes draw from one cached range (CACHE n ORDER); NOCACHE is in order by itself."""
        return self.order and self.cache > 1


@dataclass(frozen=True)
class Built:
    """A test case as a model, and where in it things are.

    sessions  (node, number within the node, process) of each session, node by node
    rcl, sv, block  the locks: dc_sequences' row cache lock, the ordered sequence's SV lock, the SEQ$ block
    left      the cells with the numbers left in each range; next_number the high-water mark in SEQ$
    """

    case: TestCase
    model: Model
    cluster: nodes.Cluster
    sessions: tuple[tuple[int, int, Process], ...]
    rcl: int
    sv: int
    block: int
    left: tuple[int, ...]
    next_number: int

    def processes_on(self, node: int) -> list[int]:
        """The process numbers of a node's sessions."""
        first = node * self.case.sessions
        return [process.number for _, _, process in self.sessions[first : first + self.case.sessions]]


@dataclass(frozen=True)
class Numbers:
    """What became of the numbers in one run.

    used         drawn by the sessions
    unused       handed out to a cache and not drawn: lost if every instance aborts now
    high_water   the next number that SEQ$ would hand out
    """

    used: int
    unused: int
    high_water: int


@dataclass(frozen=True)
class _Ranges:
    """The cells of cached ranges: the numbers left in each and the next one."""

    left: Number
    current: Number


def build(case: TestCase, *, notes: bool = False, sampling_s: float = math.inf) -> Built:
    """The model of a test case; with ``notes`` every number drawn is written down with its time."""
    total = case.rows * case.nodes * case.sessions
    model = Model(notes=total if notes else 0, sampling=sampling_s)
    cluster = nodes.build(model, case.nodes, case.hardware)
    rcl, sv, block = model.lock(), model.lock(), model.lock()
    next_number = model.cell(case.first_number)
    ranges = _Ranges(*(model.cell_row([0] * (1 if case.shared_range else case.nodes)) for _ in range(2)))
    local = model.lock_row(range(case.nodes))
    sessions = [
        (node, number, model.process(f"session {number} on node {node + 1}", cluster.cpus[node], nodes.TIME_SHARE))
        for node in range(case.nodes)
        for number in range(1, case.sessions + 1)
    ]
    locks = [rcl, sv, block]
    kinds = [(node > 0, *global_locks.masters_among(cluster, node, locks)) for node in range(case.nodes)]
    for group in nodes.alike(sessions, lambda one: kinds[one[0]]):
        on = np.array([node for node, _, _ in group])
        session = model.together([process for *_, process in group])
        mine = _Ranges(ranges.left, ranges.current) if case.shared_range else _Ranges(ranges.left + on, ranges.current + on)
        _Writer(case, cluster, session, on, rcl, sv, block, local + on, mine, next_number).write()
    left = tuple(range(ranges.left, ranges.current))
    return Built(case, model, cluster, tuple(sessions), rcl, sv, block, left, next_number)


@dataclass
class _Writer:
    """Writes the program of sessions, on the nodes ``node``."""

    case: TestCase
    cluster: nodes.Cluster
    session: Program
    node: NDArray[np.int64]
    rcl: int
    sv: int
    block: int
    local: Number
    ranges: _Ranges
    next_number: int

    def write(self) -> None:
        case, session = self.case, self.session
        if self.node.all() and case.start_gap_s:
            session.delay([Constant(case.start_gap_s * node) for node in self.node.tolist()])
        batches, rest = divmod(case.rows, case.commit_every)
        if batches:
            with session.loop(batches):
                self._batch(case.commit_every)
        if rest:
            self._batch(rest)
        session.end()

    def _batch(self, rows: int) -> None:
        with self.session.loop(rows):
            self._nextval()
            self._insert()
        with self.session.activity(COMMIT), self.session.wait("log file sync"):
            self.session.call(self.cluster.lgwr + self.node)

    def _insert(self) -> None:
        costs, varied = self.case.costs, self.case.hardware.varied
        with self.session.activity(INSERT):
            self.session.run(varied(costs.insert_cpu_s))
            self.session.delay(varied(costs.insert_other_s))

    def _nextval(self) -> None:
        session, case = self.session, self.case
        with session.activity(INSERT):
            if case.shared_range:
                global_locks.take_lock(self.cluster, session, self.node, self.sv, "DFS lock handle", self.cluster.lmd, flush=False)
            have = Label()
            session.jump_if_positive(self.ranges.left, have)
            if case.cache > 1 and not case.shared_range:
                self._refill_among_local_sessions(have)
            else:
                self._refill()
            session.place(have)
            session.note(self.ranges.current)
            session.add(self.ranges.current, 1)
            session.add(self.ranges.left, -1)
            if case.shared_range:
                session.release(self.sv)

    def _refill_among_local_sessions(self, have: Label) -> None:
        """One session of the node fetches the next range, the others wait for it."""
        session = self.session
        free, mine, leave = Label(), Label(), Label()
        session.jump_if_free(self.local, self.node, free)
        with session.wait("enq: SQ - contention"):
            session.acquire(self.local)
        session.jump(mine)
        session.place(free)
        session.acquire(self.local)
        session.place(mine)
        session.jump_if_positive(self.ranges.left, leave)
        self._refill()
        session.place(leave)
        session.release(self.local)
        session.jump_if_positive(self.ranges.left, have)

    def _refill(self) -> None:
        """One change of SEQ$ hands out the next range."""
        session, case, cluster = self.session, self.case, self.cluster
        global_locks.take_lock(cluster, session, self.node, self.rcl, "row cache lock", cluster.lck, flush=True)
        with session.activity(NEXTVAL):
            global_locks.get_current(cluster, session, self.node, self.block)
            session.run(case.hardware.varied(case.costs.seq_cpu_s))
            session.delay(case.hardware.varied(case.costs.seq_other_s))
        session.add(cluster.changed + self.node, 1)
        session.copy(self.ranges.current, self.next_number)
        session.add(self.next_number, case.range_size)
        session.set(self.ranges.left, case.range_size)
        session.release(self.rcl)


def simulate(built: Built, seeds: Sequence[int]) -> list[Run]:
    """Run a built test case once a seed."""
    return run_seeds(built.model, seeds)


def numbers(built: Built, run: Run) -> Numbers:
    """What became of the numbers in a run."""
    used = built.case.rows * len(built.sessions)
    unused = int(sum(run.cells[cell] for cell in built.left))
    return Numbers(used, unused, int(run.cells[built.next_number]))
