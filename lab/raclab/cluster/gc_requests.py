"""Sessions that ask other nodes for blocks, CR and current, and the parts that each wait is made of.

A request travels to the node that has the block (by way of the block's master, where that is a third node), waits there
for LMS to get a core, LMS builds a copy or pins the block, LGWR writes first if the block is busy, the block travels back,
and the wait ends when the session is on a core again. A busy block costs LMS one turn here, not a second one after the flush.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raclab.cluster import nodes
from raclab.cluster.nodes import NodeSetup
from raclab.cluster.parameters import Hardware
from raclab.sim import Exponential, Label, Model, Process, Program, Run, run_seeds

KINDS = ("cr", "current")
MESSAGE, LMS, FLUSH, WIRE, RECEIVER = "message", "LMS", "log flush", "wire", "receiver's CPU"
PARTS = (MESSAGE, LMS, FLUSH, WIRE, RECEIVER)
"""The parts of a wait in the order of time; ``LMS`` is the wait for it and its service together."""

SENDERS = 32


@dataclass(frozen=True)
class Workload:
    """Who asks whom for what. Times in seconds, sizes in bytes, shares from 0 to 1.

    asks            (requester, server) of each flow, nodes from 0; each flow has ``sessions`` sessions on the requester
    setups          the nodes' own settings, in order; see nodes.NodeSetup
    blocks          that each session asks for
    think_s         mean time between two requests of a session, of which think_cpu_s is CPU. Assumed
    cr_share        share of CR blocks among them; the others are current. Assumed
    busy_cr         share of CR blocks whose last change is not in the redo log on disk yet, so that a flush comes first
    busy_current    the same for current blocks
    bandwidth_used  share of each node's link that other traffic takes
    other_bytes     one burst of that traffic. Assumed
    """

    hardware: Hardware
    asks: tuple[tuple[int, int], ...]
    setups: tuple[NodeSetup, ...] = ()
    nodes: int = 2
    sessions: int = 4
    blocks: int = 400
    think_s: float = 5e-3
    think_cpu_s: float = 0.5e-3
    cr_share: float = 0.5
    busy_cr: float = 0.0
    busy_current: float = 0.0
    bandwidth_used: float = 0.0
    other_bytes: int = 65_536


@dataclass(frozen=True)
class Built:
    """A workload as a model. sessions: (requester, server, number within its node, process) of each, flow by flow."""

    load: Workload
    model: Model
    cluster: nodes.Cluster
    sessions: tuple[tuple[int, int, int, Process], ...]


def activity(kind: str, part: str) -> str:
    """The activity that a part of a wait for a kind of block is counted under."""
    return f"{kind}: {part}"


def event(kind: str, hops: int, busy: bool) -> str:
    """Oracle's name of the wait. ``hops`` is 2, or 3 by way of a master on a third node; a busy block is called so either way."""
    return f"gc {kind} block busy" if busy else f"gc {kind} block {hops}-way"


def build(load: Workload, sampling_s: float = float("inf")) -> Built:
    """The model of a workload. Every log flush is noted twice by its session, at its begin and at its end, with its kind's number."""
    sessions_in_all = load.sessions * len(load.asks)
    model = Model(notes=2 * load.blocks * sessions_in_all, sampling=sampling_s)
    cluster = nodes.build(model, load.nodes, load.hardware, load.setups)
    kinds = {kind: model.cell(number) for number, kind in enumerate(KINDS)}
    sessions = []
    numbers = dict.fromkeys(range(load.nodes), 0)
    for requester, server in load.asks:
        for _ in range(load.sessions):
            numbers[requester] += 1
            process = model.process(f"session {numbers[requester]} on node {requester + 1}", cluster.cpus[requester], nodes.TIME_SHARE)
            sessions.append((requester, server, numbers[requester], process))
    if sessions:
        requesters, servers = (np.array([session[place] for session in sessions]) for place in range(2))
        together = model.together([process for *_, process in sessions])
        _Writer(load, cluster, together, requesters, servers, kinds).write()
    if load.bandwidth_used:
        _other_traffic(load, model, cluster)
    return Built(load, model, cluster, tuple(sessions))


def simulate(built: Built, seeds: Sequence[int]) -> list[Run]:
    """Run a built workload once a seed."""
    return run_seeds(built.model, seeds)


@dataclass
class _Writer:
    """Writes the program of sessions, a requester and a server each. ``kinds`` are the cells that are noted at a flush."""

    load: Workload
    cluster: nodes.Cluster
    session: Program
    requester: NDArray[np.int64]
    server: NDArray[np.int64]
    kinds: dict[str, int]

    def write(self) -> None:
        load, session = self.load, self.session
        with session.loop(load.blocks):
            current, done = Label(), Label()
            with session.activity("think"):
                session.run(load.hardware.varied(load.think_cpu_s))
                with session.wait("SQL*Net message from client"):
                    session.delay(Exponential(load.think_s - load.think_cpu_s))
            session.jump_by_chance(1 - load.cr_share, current)
            self._get("cr", load.busy_cr)
            session.jump(done)
            session.place(current)
            self._get("current", load.busy_current)
            session.place(done)
        session.end()

    def _get(self, kind: str, busy: float) -> None:
        """One block: with a third node as its master as often as a hash over all nodes would have it."""
        session, nodes_ = self.session, self.load.nodes
        flushed, got = Label(), Label()
        session.jump_by_chance(busy, flushed)
        for is_busy in (False, True):
            three, end = Label(), Label()
            if is_busy:
                session.place(flushed)
            if nodes_ > 2:
                session.jump_by_chance((nodes_ - 2) / nodes_, three)
            self._wait(kind, 2, is_busy)
            session.jump(end)
            session.place(three)
            if nodes_ > 2:
                self._wait(kind, 3, is_busy)
            session.place(end)
            if not is_busy:
                session.jump(got)
        session.place(got)

    def _wait(self, kind: str, hops: int, busy: bool) -> None:
        session, cluster, hardware = self.session, self.cluster, self.load.hardware
        with session.wait(event(kind, hops, busy)):
            with session.activity(activity(kind, MESSAGE)):
                self._message(self.requester)
                if hops == 3:
                    master = self._third_node()
                    cluster.ask_lms(session, master)
                    self._message(master)
            with session.activity(activity(kind, LMS)):
                cluster.ask_lms(session, self.server)
            if busy:
                with session.activity(activity(kind, FLUSH)):
                    session.note(self.kinds[kind])
                    session.call(cluster.lgwr + self.server)
                    session.note(self.kinds[kind])
            with session.activity(activity(kind, WIRE)):
                cluster.transmit(session, self.server, hardware.block_bytes)
                cluster.travel(session)
            with session.activity(activity(kind, RECEIVER)):
                session.run(hardware.varied(hardware.receive_cpu_s))

    def _message(self, sender: NDArray[np.int64]) -> None:
        self.cluster.transmit(self.session, sender, self.load.hardware.message_bytes)
        self.cluster.travel(self.session)

    def _third_node(self) -> NDArray[np.int64]:
        """The next node that neither asks nor serves: over all sessions each third node comes as often."""
        candidate = (self.requester + 1) % self.load.nodes
        while (taken := (candidate == self.requester) | (candidate == self.server)).any():
            candidate[taken] = (candidate[taken] + 1) % self.load.nodes
        return candidate


def _other_traffic(load: Workload, model: Model, cluster: nodes.Cluster) -> None:
    """Bursts that come at random to each link, whether or not earlier ones have left; SENDERS can be on a link at a time."""
    burst_s = load.other_bytes / load.hardware.bandwidth
    due = np.array([model.semaphore() for _ in range(load.nodes)])
    sources, senders = [], []
    for node, cpu in enumerate(cluster.cpus):
        sources.append(model.process(f"other traffic of node {node + 1}", cpu, essential=False))
        for number in range(1, SENDERS + 1):
            senders.append(model.process(f"other burst {number} of node {node + 1}", cpu, essential=False))
    source, sender = model.together(sources), model.together(senders)
    with source.forever():
        source.delay(Exponential(burst_s / load.bandwidth_used))
        source.post(due)
    on = np.repeat(np.arange(load.nodes), SENDERS)
    with sender.forever():
        sender.wait_for(due[on])
        cluster.transmit(sender, on, load.other_bytes)
