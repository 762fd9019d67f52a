"""A parallel statement as a model: coordinator, servers, and a link out of each instance."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from raclab.cluster import nodes
from raclab.cluster.parallel import COORDINATOR, DONE, SET_1, SET_2, START, Stage, Statement
from raclab.sim import Constant, Distribution, Model, Process, Program, Run, Uniform, run_seeds

WORK = "CPU"
COORDINATORS_INSTANCE = 0
SPREAD = 0.5
TABLE_QUEUE, SEND_BLOCKED = "PX Deq: Table Q Normal", "PX Deq Credit: send blkd"
EXECUTION, REPLY = "PX Deq: Execution Msg", "PX Deq: Execute Reply"


@dataclass(frozen=True)
class Server:
    """The coordinator (set 0) or a parallel server: set, number within the set, instance from 0, process, place among its set's there."""

    set: int
    number: int
    instance: int
    process: Process
    place: int = 0


@dataclass(frozen=True)
class Built:
    """A statement as a model; the coordinator stands first."""

    statement: Statement
    model: Model
    servers: tuple[Server, ...]


def build(statement: Statement, sampling_s: float = math.inf) -> Built:
    """The model of a statement."""
    model = Model(sampling=sampling_s)
    cpus = [model.cpu(statement.cores, statement.hardware.quantum_s) for _ in range(statement.nodes)]
    links = [model.link(statement.bandwidth) for _ in range(statement.nodes)]
    servers = [Server(COORDINATOR, 0, COORDINATORS_INSTANCE, model.process("QC", cpus[COORDINATORS_INSTANCE]))]
    for of_set in (SET_1, SET_2)[: statement.sets]:
        places = Counter[int]()
        for number in range(statement.actual_dop):
            instance = statement.instance_of(number)
            process = model.process(f"set {of_set} server {number + 1}", cpus[instance])
            servers.append(Server(of_set, number, instance, process, places[instance]))
            places[instance] += 1
    begin, done = model.semaphore(), model.semaphore()
    queues = [[model.semaphore() for _ in range(statement.nodes)] for _ in statement.stages()]
    on = Counter((server.set, server.instance) for server in servers)
    for group in nodes.alike(servers, lambda one: (one.set, one.instance, _pieces_taken(statement, one, on))):
        together = model.together([server.process for server in group])
        _Writer(statement, together, group[0], on, links[group[0].instance], begin, done, queues).write()
    return Built(statement, model, tuple(servers))


def _pieces_of(statement: Statement, stage: Stage) -> int:
    """Pieces that come to each instance in a stage."""
    return statement.actual_dop * (1 if stage.at_once else statement.hardware.pieces)


def _share(pieces: int, receivers: int, server: Server) -> int:
    """How many of the pieces that come to an instance one of its receivers takes: they share them evenly."""
    mine, more = divmod(pieces, receivers)
    return mine + (server.place < more)


def _pieces_taken(statement: Statement, server: Server, on: Counter[tuple[int, int]]) -> tuple[int, ...]:
    """How many pieces a server takes in each of the stages in which it receives."""
    here = on[server.set, server.instance]
    return tuple(_share(_pieces_of(statement, stage), here, server) for stage in statement.stages() if stage.receiver == server.set)


def _varied(mean: float) -> Distribution:
    return Uniform(mean * (1 - SPREAD), mean * (1 + SPREAD))


@dataclass(frozen=True)
class _Writer:
    """Writes the program of servers that do the same as ``server``, and stand on its instance.

    on      how many servers a set and instance have
    queues  a semaphore a stage and instance: pieces that have come in there
    """

    statement: Statement
    process: Program
    server: Server
    on: Counter[tuple[int, int]]
    link: int
    begin: int
    done: int
    queues: list[list[int]]

    def write(self) -> None:
        """The coordinator starts the servers and takes the result; a server takes part in its stages, in order."""
        process, hardware = self.process, self.statement.hardware
        others = sum(self.on.values()) - 1
        stages = list(enumerate(self.statement.stages()))
        if self.server.set == COORDINATOR:
            remote = sum(count for (_, instance), count in self.on.items() if instance != self.server.instance)
            self._send(START, remote * hardware.buffer_bytes)
            process.post(self.begin, others)
            for number, stage in stages:
                if stage.receiver == COORDINATOR:
                    self._take(number, stage)
            with process.loop(others), process.wait(REPLY):
                process.wait_for(self.done)
            return
        with process.wait(EXECUTION):
            process.wait_for(self.begin)
            process.delay(_varied(hardware.message_s))
        for number, stage in stages:
            if stage.receiver == self.server.set:
                self._take(number, stage)
            if stage.sender == self.server.set:
                self._work(number, stage)
        if self.server.instance != COORDINATORS_INSTANCE:
            self._send(DONE, hardware.message_bytes)
        process.post(self.done)

    def _work(self, number: int, stage: Stage) -> None:
        """Work on this server's share piece by piece and send each piece, or all at the end."""
        pieces = self.statement.hardware.pieces
        share = stage.work_s / self.statement.actual_dop / pieces
        with self.process.loop(pieces):
            self._run(share)
            if not stage.at_once:
                self._send_rows(number, stage, pieces)
        if stage.at_once:
            self._send_rows(number, stage, 1)

    def _send_rows(self, number: int, stage: Stage, pieces: int) -> None:
        hardware, count = self.statement.hardware, 1 if stage.receiver == COORDINATOR else self.statement.actual_dop
        size = stage.rows * stage.row_bytes / self.statement.actual_dop / pieces
        for instance, queue in enumerate(self.queues[number]):
            receivers = self.on[stage.receiver, instance]
            if receivers and instance != self.server.instance:
                part = size * receivers / count
                self._run(part / hardware.buffer_bytes * hardware.message_cpu_s)
                self._send(stage.name, part)
            if receivers:
                self.process.post(queue)

    def _take(self, number: int, stage: Stage) -> None:
        """Take a receiver's share of the pieces that come to its instance."""
        statement, process = self.statement, self.process
        hardware = statement.hardware
        here = self.on[stage.receiver, self.server.instance]
        everywhere = 1 if stage.receiver == COORDINATOR else statement.actual_dop
        pieces = _pieces_of(statement, stage)
        mine = _share(pieces, here, self.server)
        remote = 1 - statement.servers_on(self.server.instance) / statement.actual_dop
        messages = remote * stage.rows * stage.row_bytes / hardware.buffer_bytes
        cpu = (stage.take_s + messages * hardware.message_cpu_s) / everywhere * here / pieces
        if not mine:
            return
        with process.loop(mine):
            with process.wait(REPLY if stage.receiver == COORDINATOR else TABLE_QUEUE):
                process.wait_for(self.queues[number][self.server.instance])
            self._run(cpu)

    def _run(self, seconds: float) -> None:
        if seconds > 0:
            with self.process.activity(WORK):
                self.process.run(_varied(seconds))

    def _send(self, what: str, size: float) -> None:
        """So many bytes leave the instance. The wait is an event only from the link's queue on, as the sender is blocked there."""
        if size > 0:
            with self.process.activity(what), self.process.wait(SEND_BLOCKED):
                self.process.send(self.link, Constant(size))


def simulate(built: Built, seeds: Sequence[int]) -> list[Run]:
    """Run a built statement once a seed."""
    return run_seeds(built.model, seeds)
