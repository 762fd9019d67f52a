"""The sequence test case once more, in cimba: two nodes, NOCACHE, a session on each, as simpy_sequence.py has it.

It keeps less than the other two do: the makespan and the waits for the row cache lock, and not every step, wait and call.
"""

import cimba
from cimba import random
from numba import njit

from raclab.bench.cimba_cores import Cores, run, use
from raclab.cluster.sequences import TestCase

REAL_TIME, TIME_SHARE = 0, 1


class Hardware(cimba.Model):
    """Mean times in seconds, and by which share they vary."""

    spread: cimba.Param[float]
    quantum_s: cimba.Param[float]
    message_s: cimba.Param[float]
    wire_s: cimba.Param[float]
    lms_cpu_s: cimba.Param[float]
    lgwr_cpu_s: cimba.Param[float]
    redo_write_s: cimba.Param[float]


class Node(cimba.Model):
    """A node: its cores, the mailboxes of LMS, LCK0 and LGWR, and how far its redo is on disk."""

    number: int
    hardware: cimba.Ref[Hardware]
    cores: Cores
    lms: cimba.Store[int]
    lck: cimba.Store[int]
    lgwr: cimba.Store[int]
    asked: int = 0
    changed: int = 0
    on_disk: int = 0
    committing: cimba.Array[int]

    @cimba.process
    def serve_blocks(self) -> None:
        """LMS."""
        while True:
            client = self.lms.get()
            use(self.cores, varied(self.hardware, self.hardware.lms_cpu_s), REAL_TIME, self.hardware.quantum_s)
            cimba.Process(client).resume()

    @cimba.process
    def serve_locks(self) -> None:
        """LCK0."""
        while True:
            client = self.lck.get()
            use(self.cores, varied(self.hardware, self.hardware.lms_cpu_s), REAL_TIME, self.hardware.quantum_s)
            cimba.Process(client).resume()

    @cimba.process
    def write_redo(self) -> None:
        """LGWR: one write for all that have asked by then."""
        while True:
            self.committing[0] = self.lgwr.get()
            clients = self.asked
            for client in range(1, clients):
                self.committing[client] = self.lgwr.get()
            self.asked -= clients
            use(self.cores, varied(self.hardware, self.hardware.lgwr_cpu_s), REAL_TIME, self.hardware.quantum_s)
            writing = self.changed
            cimba.hold(varied(self.hardware, self.hardware.redo_write_s))
            self.on_disk = writing
            for client in range(clients):
                cimba.Process(self.committing[client]).resume()


class Dictionary(cimba.Model):
    """The row cache lock, the SEQ$ block, the nodes that have them, and the high-water mark."""

    row_cache: cimba.Resource
    lock_home: int = 0
    block_home: int = 0
    high_water: int = 1
    unfinished: int
    makespan_s: cimba.Output[float]
    waited_s: cimba.Output[float] = 0.0


class Session(cimba.Model):
    """A session: draws numbers, inserts rows, commits."""

    node: cimba.Ref[Node]
    nodes: list[cimba.Ref[Node]]
    hardware: cimba.Ref[Hardware]
    dictionary: cimba.Ref[Dictionary]
    rows: cimba.Param[int]
    commit_every: cimba.Param[int]
    insert_cpu_s: cimba.Param[float]
    insert_other_s: cimba.Param[float]
    seq_cpu_s: cimba.Param[float]
    seq_other_s: cimba.Param[float]

    @cimba.process
    def script(self) -> None:
        """The published script; the last session ends the trial."""
        node, hardware, dictionary = self.node, self.hardware, self.dictionary
        for row in range(1, self.rows + 1):
            take_lock(hardware, dictionary, self.nodes, node)
            get_block(hardware, dictionary, self.nodes, node)
            use(node.cores, varied(hardware, self.seq_cpu_s), TIME_SHARE, hardware.quantum_s)
            cimba.hold(varied(hardware, self.seq_other_s))
            node.changed += 1
            dictionary.high_water += 1
            dictionary.row_cache.release(1)
            use(node.cores, varied(hardware, self.insert_cpu_s), TIME_SHARE, hardware.quantum_s)
            cimba.hold(varied(hardware, self.insert_other_s))
            if row % self.commit_every == 0 or row == self.rows:
                flush(node)
        dictionary.unfinished -= 1
        if dictionary.unfinished == 0:
            dictionary.makespan_s = cimba.now()
            cimba.end_trial()


class Cluster(cimba.Model):
    """All of it."""

    hardware: Hardware
    nodes: list[Node]
    dictionary: Dictionary
    sessions: list[Session]


@njit
def varied(hardware, mean):  # type: ignore[no-untyped-def]
    """A time around a mean, by the hardware's spread."""
    return random.uniform(mean * (1 - hardware.spread), mean * (1 + hardware.spread))


@njit
def ask(mailbox):  # type: ignore[no-untyped-def]
    """Ask a server and wait until it is done."""
    mailbox.put(cimba.this_process().pointer)
    cimba.suspend()


@njit
def flush(node):  # type: ignore[no-untyped-def]
    """Wait until LGWR has written what the node has changed."""
    node.asked += 1
    ask(node.lgwr)


@njit
def take_lock(hardware, dictionary, nodes, node):  # type: ignore[no-untyped-def]
    """Take the row cache lock, from the other node if that had it last; the caller releases it."""
    me, lock = node.number, dictionary.row_cache
    if dictionary.lock_home == me and lock.available() == 1:
        lock.acquire(1)
        return
    began = cimba.now()
    if dictionary.lock_home != me:
        cimba.hold(varied(hardware, hardware.message_s))
    lock.acquire(1)
    if dictionary.lock_home != me:
        holder = nodes[dictionary.lock_home]
        ask(holder.lck)
        if holder.changed != holder.on_disk:
            flush(holder)
        dictionary.lock_home = me
        cimba.hold(varied(hardware, hardware.message_s))
    dictionary.waited_s += cimba.now() - began


@njit
def get_block(hardware, dictionary, nodes, node):  # type: ignore[no-untyped-def]
    """Get the SEQ$ block in current mode from the node that has it."""
    me = node.number
    if dictionary.block_home == me:
        return
    holder = nodes[dictionary.block_home]
    busy = holder.changed != holder.on_disk
    cimba.hold(varied(hardware, hardware.message_s))
    ask(holder.lms)
    if busy and holder.changed != holder.on_disk:
        flush(holder)
    cimba.hold(varied(hardware, hardware.message_s))
    cimba.hold(hardware.wire_s)
    dictionary.block_home = me


class Peer:
    """The model of a test case with two nodes, a session on each, and NOCACHE; raises ValueError for another."""

    def __init__(self, case: TestCase) -> None:
        if (case.nodes, case.sessions, case.range_size, case.start_gap_s) != (2, 1, 1, 0.0):
            raise ValueError("the peer in cimba has two nodes with a session each that start together, and NOCACHE")
        self.model, hardware, dictionary = Cluster(), Hardware(), Dictionary()
        self.model.hardware, self.model.dictionary = hardware, dictionary
        for name in ("spread", "quantum_s", "message_s", "wire_s", "lms_cpu_s", "lgwr_cpu_s", "redo_write_s"):
            setattr(hardware, name, getattr(case.hardware, name))
        dictionary.unfinished = case.nodes
        self.model.nodes, self.model.sessions = [Node() for _ in range(case.nodes)], [Session() for _ in range(case.nodes)]
        for number, (node, session) in enumerate(zip(self.model.nodes, self.model.sessions, strict=True)):
            node.number, node.hardware, node.cores = number, hardware, Cores()
            node.cores.pool = cimba.Resource(capacity=case.hardware.cores)
            node.committing = cimba.Array(2 * case.nodes)
            session.node, session.nodes, session.hardware, session.dictionary = node, self.model.nodes, hardware, dictionary
            session.rows, session.commit_every = case.rows, case.commit_every
            for name in ("insert_cpu_s", "insert_other_s", "seq_cpu_s", "seq_other_s"):
                setattr(session, name, getattr(case.costs, name))

    def simulate(self, seed: int, replications: int = 1) -> dict[str, list[float]]:
        """Makespan and the waits for the row cache lock of both sessions together, in each replication."""
        done = run(self.model, seed, replications)[self.model.dictionary]
        return {"makespan (s)": done.makespan_s.values[0].tolist(), "row cache lock (s)": done.waited_s.values[0].tolist()}
