"""The queues of closed_forms.py as programs for the kernel, each with its exact answer beside what the kernel measures.

An open queue is built from what the kernel has: a large number of customers who pass a gate one by one (a lock), each
after an exponential time, so that they arrive as a Poisson process; then they are served and go back to the gate. That
is exact as long as somebody is left at the gate, and with so many customers there always is.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean, stdev

import numpy as np

from raclab.bench import closed_forms
from raclab.evidence.student_t import interval_95
from raclab.sim import Constant, Distribution, Exponential, Label, Model, Process, Run, Uniform, ops, run_seeds

SEEDS = range(1, 21)
STANDARD_ERRORS = 3.0


@dataclass(frozen=True)
class Queue:
    """A queue with a known answer.

    figure    what is compared, with its unit
    formula   the function of closed_forms.py that knows the answer
    exact     the answer
    model     what the kernel runs; ``measure`` reads the figure from a run of it
    """

    name: str
    figure: str
    formula: Callable[..., object]
    exact: float
    model: Model
    measure: Callable[[Model, Run], float]

    def simulate(self, seeds: Sequence[int] = SEEDS) -> "Estimate":
        """Independent replications, one a seed."""
        return Estimate(tuple(self.measure(self.model, run) for run in run_seeds(self.model, seeds)))


@dataclass(frozen=True)
class Estimate:
    """The figure in each replication."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean of the replications."""
        return fmean(self.values)

    @property
    def standard_error(self) -> float:
        """Of the mean."""
        return stdev(self.values) / math.sqrt(len(self.values))

    @property
    def interval(self) -> tuple[float, float]:
        """The two-sided 95 % interval of the mean, by Student's t."""
        return interval_95(self.values)

    def agrees_with(self, exact: float) -> bool:
        """Whether the exact answer is within three standard errors."""
        return abs(self.mean - exact) <= STANDARD_ERRORS * self.standard_error


def all_queues() -> list[Queue]:
    """Every queue that the kernel is checked with."""
    return [
        one_core(),
        _cores(),
        _service("M/D/1: constant service", Constant(1.0), 1.0),
        _service("M/G/1: service of 0.5 to 1.5 s", Uniform(0.5, 1.5), 1.0 + 1 / 12),
        *_classes(),
        *_without_preemption(),
        _time_slices(),
        _servers(),
        _repair(),
        _network(),
        _group_commit(),
    ]


def _open_arrivals(model: Model, cpu: int, rate: float, customers: int, priority: int = 1) -> Iterator[Process]:
    """Customers at a gate; write into each what it does after it has arrived. Together they arrive at ``rate`` a second."""
    gate = model.lock()
    for number in range(customers):
        customer = model.process(f"customer {number} of class {priority}", cpu, priority)
        with customer.forever():
            customer.acquire(gate)
            customer.delay(Exponential(1 / rate))
            customer.release(gate)
            yield customer


def _mean(model: Model, run: Run, *, code: int, what: str = "time", priority: int | None = None) -> float:
    """Mean time, or wait (time less CPU), of an op over all processes of a class."""
    priorities = np.array([process.priority for process in model.processes])
    mine = np.array([op[0] == code for op in model.program])
    if priority is not None:
        mine &= priorities[[where.process for where in model.where]] == priority
    tally = run.tally[mine]
    total = tally["time"].sum() - (tally["cpu"].sum() if what == "wait" else 0.0)
    return float(total / tally["hits"].sum())


_cpu_wait = partial(_mean, code=ops.RUN, what="wait")
_cpu_time = partial(_mean, code=ops.RUN)
_call_time = partial(_mean, code=ops.CALL)


def one_core(rate: float = 0.7, mean: float = 1.0) -> Queue:
    """M/M/1: customers arrive at ``rate`` a second for bursts of ``mean`` seconds on one core."""
    model = Model(horizon=500_000)
    for customer in _open_arrivals(model, model.cpu(1), rate, 200):
        customer.run(Exponential(mean))
    exact = closed_forms.wait_with_servers(rate, mean, 1)
    return Queue("M/M/1: one core", "wait for CPU (s)", closed_forms.wait_with_servers, exact, model, _cpu_wait)


def _cores() -> Queue:
    rate, mean, cores = 2.4, 1.0, 3
    model = Model(horizon=300_000)
    for customer in _open_arrivals(model, model.cpu(cores), rate, 300):
        customer.run(Exponential(mean))
    exact = closed_forms.wait_with_servers(rate, mean, cores)
    return Queue("M/M/3: three cores", "wait for CPU (s)", closed_forms.wait_with_servers, exact, model, _cpu_wait)


def _service(name: str, service: Distribution, square: float) -> Queue:
    rate, mean = 0.7, 1.0
    model = Model(horizon=300_000)
    for customer in _open_arrivals(model, model.cpu(1), rate, 200):
        customer.run(service)
    exact = closed_forms.wait_with_any_service(rate, mean, square)
    return Queue(name, "wait for CPU (s)", closed_forms.wait_with_any_service, exact, model, _cpu_wait)


def _classes() -> list[Queue]:
    names, rates, means = ("the better", "the other"), (0.3, 0.3), (0.5, 1.5)
    model = Model(horizon=500_000)
    cpu = model.cpu(1)
    for priority, (rate, mean) in enumerate(zip(rates, means, strict=True)):
        for customer in _open_arrivals(model, cpu, rate, 200, priority):
            customer.run(Exponential(mean))
    exact = closed_forms.times_with_preemption([(rate, mean, 2 * mean**2) for rate, mean in zip(rates, means, strict=True)])
    figure, formula = "time for a burst (s)", closed_forms.times_with_preemption
    return [
        Queue(f"two classes with preemption: {name}", figure, formula, exact[priority], model, partial(_cpu_time, priority=priority))
        for priority, name in enumerate(names)
    ]


def _without_preemption() -> list[Queue]:
    """A server that looks after each customer whether one of the better class has come; whom it serves it does not interrupt."""
    names, rates, services, squares = ("the better", "the other"), (0.3, 0.3), (Exponential(0.5), Uniform(0.5, 1.5)), (0.5, 1 + 1 / 12)
    means = (0.5, 1.0)
    model = Model(horizon=300_000)
    cpu, boxes, arrived, better = model.cpu(1), (model.mailbox(), model.mailbox()), model.semaphore(), model.cell()
    server = model.process("server", cpu, essential=False)
    with server.forever():
        first, served = Label(), Label()
        server.wait_for(arrived)
        server.jump_if_positive(better, first)
        _serve(server, boxes[1], services[1])
        server.jump(served)
        server.place(first)
        server.add(better, -1)
        _serve(server, boxes[0], services[0])
        server.place(served)
    for priority, rate in enumerate(rates):
        for customer in _open_arrivals(model, cpu, rate, 200, priority):
            if priority == 0:
                customer.add(better, 1)
            customer.post(arrived)
            customer.call(boxes[priority])
    waits = closed_forms.waits_without_preemption(list(zip(rates, means, squares, strict=True)))
    figure, formula = "time of a call (s)", closed_forms.waits_without_preemption
    return [
        Queue(
            f"two classes, nobody interrupted: {name}", figure, formula, waits[priority] + means[priority], model,
            partial(_call_time, priority=priority),
        )
        for priority, name in enumerate(names)
    ]  # fmt: skip


def _serve(server: Process, box: int, service: Distribution) -> None:
    server.take(box, 1)
    server.delay(service)
    server.done()


def _time_slices() -> Queue:
    """Who is served when must not matter to the mean, as long as nobody looks at exponential bursts to decide it."""
    rate, mean = 0.7, 1.0
    model = Model(horizon=500_000)
    for customer in _open_arrivals(model, model.cpu(1, quantum=0.25), rate, 200):
        customer.run(Exponential(mean))
    exact = closed_forms.wait_with_servers(rate, mean, 1)
    return Queue("M/M/1 in time slices of 0.25 s", "wait for CPU (s)", closed_forms.wait_with_servers, exact, model, _cpu_wait)


def _servers() -> Queue:
    rate, mean, servers = 1.5, 1.0, 2
    model = Model(horizon=100_000)
    cpu, box = model.cpu(1), model.mailbox()
    for number in range(servers):
        server = model.process(f"server {number}", cpu, essential=False)
        with server.forever():
            server.take(box, 1)
            server.delay(Exponential(mean))
            server.done()
    for customer in _open_arrivals(model, cpu, rate, 300):
        customer.call(box)
    exact = closed_forms.wait_with_servers(rate, mean, servers) + mean
    return Queue("M/M/2: two servers of a mailbox", "time of a call (s)", closed_forms.wait_with_servers, exact, model, _call_time)


def _repair() -> Queue:
    machines, repairers, up, repair = 10, 2, 4.0, 1.0
    model = Model(horizon=150_000)
    cpu = model.cpu(repairers)
    for number in range(machines):
        machine = model.process(f"machine {number}", cpu)
        with machine.forever():
            machine.delay(Exponential(up))
            machine.run(Exponential(repair))
    exact = closed_forms.wait_for_repair(machines, repairers, up, repair)
    return Queue("machine repair: 10 machines, 2 repairers", "wait for repair (s)", closed_forms.wait_for_repair, exact, model, _cpu_wait)


def _network() -> Queue:
    burst, hold, customers = 1.0, 0.8, 6
    model = Model(horizon=20_000)
    cpu, lock = model.cpu(1), model.lock()
    for number in range(customers):
        customer = model.process(f"customer {number}", cpu)
        with customer.forever():
            customer.run(Exponential(burst))
            customer.acquire(lock)
            customer.delay(Exponential(hold))
            customer.release(lock)
    exact = closed_forms.rounds_of_a_closed_network((burst, hold), customers)
    name, formula = "closed network: a core and a lock, 6 customers", closed_forms.rounds_of_a_closed_network
    return Queue(name, "rounds a second", formula, exact, model, _rounds)


def _rounds(model: Model, run: Run) -> float:
    mine = [op[0] == ops.RUN for op in model.program]
    return float(run.tally["hits"][mine].sum() / run.clock)


def _group_commit() -> Queue:
    sessions, think, write = 8, 4.0, 1.0
    model = Model(horizon=30_000)
    cpu, box = model.cpu(1), model.mailbox()
    writer = model.process("writer", cpu, essential=False)
    with writer.forever():
        writer.take(box)
        writer.delay(Exponential(write))
        writer.done()
    for number in range(sessions):
        session = model.process(f"session {number}", cpu)
        with session.forever():
            session.delay(Exponential(think))
            session.call(box)
    exact = closed_forms.time_of_a_group_commit(sessions, think, write)
    return Queue(
        "group commit: 8 sessions, one writer", "time of a commit (s)", closed_forms.time_of_a_group_commit, exact, model, _call_time
    )
