"""The sequence test case once more, in SimPy: the peer that the kernel must equal to the last bit, and outrun.

Written as one writes SimPy (generators, resources, stores), with the same variates and the same order of events as the
cluster's programs, and nothing of the kernel's.
"""

from collections import defaultdict
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

import simpy

from raclab.bench.bulk_variates import uniforms
from raclab.bench.simpy_cores import Cores, Steps
from raclab.bench.spent import Spent
from raclab.cluster.nodes import master_of
from raclab.cluster.sequences import TestCase

REAL_TIME, TIME_SHARE = 0, 1
PROCESSES_A_NODE = 4  # LMS0, LCK0, LMD0, LGWR: they are numbered, node by node, before the sessions


@dataclass
class Outcome:
    """What the peer measured; times in seconds.

    makespan  when the last session ended; ``ended`` when each did, in the order of the kernel's sessions
    waits     by session and event
    steps     by process and step: "insert cpu", "insert other", "seq$ cpu", "seq$ other", "service", "redo write"
    drawn     (time, session, number) of every number drawn, if asked for
    used      core-seconds used by node
    """

    makespan: float = 0.0
    ended: list[float] = field(default_factory=list)
    waits: dict[tuple[int, str], Spent] = field(default_factory=lambda: defaultdict(Spent))
    steps: dict[tuple[int, str], Spent] = field(default_factory=lambda: defaultdict(Spent))
    drawn: list[tuple[float, int, int]] = field(default_factory=list)
    used: list[float] = field(default_factory=list)


class Varied:
    """Times around a mean, by the hardware's spread."""

    def __init__(self, case: TestCase, mean: float) -> None:
        times = case.hardware.varied(mean)
        self.low, self.width = times.x, times.y - times.x

    def draw(self, numbers: Iterator[float]) -> float:
        """The next time."""
        return self.low + self.width * next(numbers)


class Node:
    """A node: its cores, the mailboxes of its background processes, and how far its redo is on disk."""

    def __init__(self, env: simpy.Environment, case: TestCase, number: int) -> None:
        self.number = number
        self.cpu = Cores(env, case.hardware.cores, case.hardware.quantum_s)
        self.lms, self.lck, self.lmd, self.lgwr = (simpy.Store(env) for _ in range(4))
        self.refilling = simpy.Resource(env)  # one session of the node at a time fetches a range
        self.changed = self.on_disk = 0


class Lock:
    """A cluster-wide exclusive lock and the node that had it last; or a block and the node that has it current."""

    def __init__(self, env: simpy.Environment, number: int) -> None:
        self.queue, self.home, self.number = simpy.Resource(env), 0, number


@dataclass
class Range:
    """A cached range: how many numbers are left in it and which is next."""

    left: int = 0
    next: int = 0


class Cluster:
    """The nodes, the three locks of a sequence and the dictionary's high-water mark."""

    def __init__(self, env: simpy.Environment, case: TestCase, seed: int) -> None:
        self.env, self.case, self.outcome = env, case, Outcome()
        hardware, costs = case.hardware, case.costs
        self.message, self.wire_s = Varied(case, hardware.message_s), hardware.wire_s
        self.lms_cpu, self.lgwr_cpu = Varied(case, hardware.lms_cpu_s), Varied(case, hardware.lgwr_cpu_s)
        self.redo_write = Varied(case, hardware.redo_write_s)
        self.insert_cpu, self.insert_other = Varied(case, costs.insert_cpu_s), Varied(case, costs.insert_other_s)
        self.seq_cpu, self.seq_other = Varied(case, costs.seq_cpu_s), Varied(case, costs.seq_other_s)
        self.row_cache, self.ordering, self.block = (Lock(env, number) for number in range(3))
        self.high_water = case.first_number
        self.nodes = [Node(env, case, number) for number in range(case.nodes)]
        for node in self.nodes:
            first = PROCESSES_A_NODE * node.number
            for process, mailbox in enumerate((node.lms, node.lck, node.lmd), start=first):
                env.process(self.serve(node, mailbox, process, uniforms(seed, process)))
            env.process(self.write_redo(node, first + 3, uniforms(seed, first + 3)))

    def ask(self, mailbox: simpy.Store) -> simpy.Event:
        """Put a request into a server's mailbox; the event happens when it is done."""
        done = self.env.event()
        mailbox.put(done)
        return done

    def serve(self, node: Node, mailbox: simpy.Store, process: int, numbers: Iterator[float]) -> Steps:
        """LMS, LCK0 or LMD0: one request after the other."""
        spent = self.outcome.steps[process, "service"]
        while True:
            request = yield mailbox.get()
            yield from node.cpu.use(self.lms_cpu.draw(numbers), REAL_TIME, spent)
            request.succeed()

    def write_redo(self, node: Node, process: int, numbers: Iterator[float]) -> Steps:
        """LGWR: one write for all that have asked by then."""
        env, service, written = self.env, self.outcome.steps[process, "service"], self.outcome.steps[process, "redo write"]
        while True:
            requests = [(yield node.lgwr.get())]
            requests += node.lgwr.items
            node.lgwr.items.clear()
            yield from node.cpu.use(self.lgwr_cpu.draw(numbers), REAL_TIME, service)
            writing, began = node.changed, env.now
            yield env.timeout(self.redo_write.draw(numbers))
            written.add(env.now - began)
            node.on_disk = writing
            for request in requests:
                request.succeed()


class Session:
    """One session: draws numbers, inserts rows, commits."""

    def __init__(self, cluster: Cluster, node: Node, process: int, numbers: Range, draws: Iterator[float], note: bool) -> None:
        self.cluster, self.node, self.process, self.range, self.draws, self.note = cluster, node, process, numbers, draws, note

    def script(self) -> Steps:
        """The published script."""
        cluster, node, case, env, outcome = self.cluster, self.node, self.cluster.case, self.cluster.env, self.cluster.outcome
        inserting, after = outcome.steps[self.process, "insert cpu"], outcome.steps[self.process, "insert other"]
        if node.number and case.start_gap_s:
            yield env.timeout(case.start_gap_s * node.number)
        for row in range(1, case.rows + 1):
            yield from self.nextval()
            yield from node.cpu.use(cluster.insert_cpu.draw(self.draws), TIME_SHARE, inserting)
            began = env.now
            yield env.timeout(cluster.insert_other.draw(self.draws))
            after.add(env.now - began)
            if row % case.commit_every == 0 or row == case.rows:
                began = env.now
                yield cluster.ask(node.lgwr)
                outcome.waits[self.process, "log file sync"].add(env.now - began)

    def nextval(self) -> Steps:
        """Draw a number, fetching a range first if there is none left."""
        cluster, case, range_ = self.cluster, self.cluster.case, self.range
        ordered = None
        if case.shared_range:
            ordered = yield from self.take(cluster.ordering, "DFS lock handle", "lmd", flush=False)
        while not range_.left:
            if case.cache > 1 and not case.shared_range:
                yield from self.refill_among_local_sessions()
            else:
                yield from self.refill()
        if self.note:
            cluster.outcome.drawn.append((cluster.env.now, self.process, range_.next))
        range_.next += 1
        range_.left -= 1
        if ordered:
            cluster.ordering.queue.release(ordered)

    def refill_among_local_sessions(self) -> Steps:
        """One session of the node fetches the next range, the others wait for it."""
        env, refilling, began = self.cluster.env, self.node.refilling, self.cluster.env.now
        must_wait = refilling.count > 0
        with refilling.request() as turn:
            yield turn
            if must_wait:
                self.cluster.outcome.waits[self.process, "enq: SQ - contention"].add(env.now - began)
            if not self.range.left:
                yield from self.refill()

    def refill(self) -> Steps:
        """One change of SEQ$ hands out the next range."""
        cluster, node, case, env = self.cluster, self.node, self.cluster.case, self.cluster.env
        taken = yield from self.take(cluster.row_cache, "row cache lock", "lck", flush=True)
        yield from self.get_block()
        yield from node.cpu.use(cluster.seq_cpu.draw(self.draws), TIME_SHARE, cluster.outcome.steps[self.process, "seq$ cpu"])
        began = env.now
        yield env.timeout(cluster.seq_other.draw(self.draws))
        cluster.outcome.steps[self.process, "seq$ other"].add(env.now - began)
        node.changed += 1
        self.range.next = cluster.high_water
        cluster.high_water += case.range_size
        self.range.left = case.range_size
        cluster.row_cache.queue.release(taken)

    def take(self, lock: Lock, event: str, server: str, *, flush: bool) -> Generator[simpy.Event, Any, simpy.resources.resource.Request]:
        """Take a cluster-wide lock; returns the request to release."""
        cluster, env, me = self.cluster, self.cluster.env, self.node.number
        if lock.home == me and lock.queue.count == 0:
            mine = lock.queue.request()
            yield mine
            return mine
        began = env.now
        if lock.home != me:
            yield self.message()
            master = master_of(lock.number, len(cluster.nodes))
            if self.third_node(master) and lock.home != master:
                yield cluster.ask(getattr(cluster.nodes[master], server))
                yield self.message()
        mine = lock.queue.request()
        yield mine
        if lock.home != me:
            holder = cluster.nodes[lock.home]
            yield cluster.ask(getattr(holder, server))
            if flush and holder.changed != holder.on_disk:
                yield cluster.ask(holder.lgwr)
            lock.home = me
            yield self.message()
        cluster.outcome.waits[self.process, event].add(env.now - began)
        return mine

    def get_block(self) -> Steps:
        """Get the SEQ$ block in current mode from the node that has it."""
        cluster, env, block, me = self.cluster, self.cluster.env, self.cluster.block, self.node.number
        if block.home == me:
            return
        holder, master, began = cluster.nodes[block.home], master_of(block.number, len(cluster.nodes)), env.now
        busy = holder.changed != holder.on_disk
        three_way = not busy and self.third_node(master) and block.home != master
        yield self.message()
        if three_way:
            yield cluster.ask(cluster.nodes[master].lms)
            yield self.message()
        yield cluster.ask(holder.lms)
        if busy and holder.changed != holder.on_disk:
            yield cluster.ask(holder.lgwr)
        yield self.message()
        yield env.timeout(cluster.wire_s)
        event = "gc current block busy" if busy else "gc current block 3-way" if three_way else "gc current block 2-way"
        cluster.outcome.waits[self.process, event].add(env.now - began)
        block.home = me

    def message(self) -> simpy.Event:
        """A small message travels one way."""
        return self.cluster.env.timeout(self.cluster.message.draw(self.draws))

    def third_node(self, master: int) -> bool:
        """Whether the master may be neither the one who asks nor the one who has it."""
        return len(self.cluster.nodes) > 2 and master != self.node.number


def simulate(case: TestCase, seed: int, *, note: bool = False) -> Outcome:
    """Run the test case once; with ``note`` every number drawn is written down."""
    env = simpy.Environment()
    cluster = Cluster(env, case, seed)
    shared = Range()
    sessions: list[simpy.Process] = []
    for node in cluster.nodes:
        own = shared if case.shared_range else Range()
        for _ in range(case.sessions):
            process = PROCESSES_A_NODE * case.nodes + len(sessions)
            session = Session(cluster, node, process, own, uniforms(seed, process), note)
            sessions.append(env.process(_timed(session, cluster.outcome)))
    cluster.outcome.ended = [0.0] * len(sessions)
    env.run(env.all_of(sessions))
    cluster.outcome.makespan = env.now
    cluster.outcome.used = [node.cpu.used for node in cluster.nodes]
    return cluster.outcome


def _timed(session: Session, outcome: Outcome) -> Steps:
    yield from session.script()
    outcome.ended[session.process - PROCESSES_A_NODE * len(session.cluster.nodes)] = session.cluster.env.now
