"""Queues for CPU, locks and servers, twice: as programs for the kernel, and in plain SimPy.

Both draw the same variates in the same order, so every figure must be equal to the last bit.
"""

import math
from collections.abc import Iterable, Iterator

import simpy

from raclab.bench.simpy_cores import Cores, Steps
from raclab.bench.simpy_peer import Outcome, Pair, Peer, Script, pause
from raclab.bench.spent import Spent
from raclab.sim import Exponential, Label, Model

THINK_S, BURST_S = 1.0, 0.2


def first_come(cores: int, customers: int, rounds: int, quantum: float = math.inf) -> Pair:
    """Customers think, then queue for a core, first come, first served; with a quantum, in turns (round robin)."""

    def build() -> Model:
        model = Model()
        cpu = model.cpu(cores, quantum)
        for number in range(customers):
            customer = model.process(f"customer {number}", cpu)
            with customer.loop(rounds):
                customer.delay(Exponential(THINK_S))
                customer.run(Exponential(BURST_S))
        return model

    def simulate(seed: int) -> Outcome:
        peer = Peer(seed)
        env, cpu = peer.env, simpy.Resource(peer.env, capacity=cores)

        def customer(steps: list[Spent], times: Iterator[float]) -> Steps:
            thinking, running = steps
            for _ in range(rounds):
                yield from pause(env, THINK_S * next(times), thinking)
                began, left = env.now, BURST_S * next(times)
                while left > 0:
                    with cpu.request() as core:
                        yield core
                        part = min(left, quantum)
                        yield env.timeout(part)
                    running.cpu += part
                    left -= part
                running.add(env.now - began)

        for _ in range(customers):
            peer.start(2, customer)
        return peer.run()

    turns = "" if math.isinf(quantum) else f", turns of {quantum:g} s"
    return Pair(f"{customers} customers, {cores} core{'s' if cores > 1 else ''}{turns}", build, simulate)


def classes(cores: int, priorities: Iterable[int], rounds: int, quantum: float = math.inf) -> Pair:
    """Priority classes with preemption: a process for each of ``priorities``; 0 preempts 1 and so on."""
    ranks = list(priorities)

    def build() -> Model:
        model = Model()
        cpu = model.cpu(cores, quantum)
        for number, rank in enumerate(ranks):
            process = model.process(f"process {number}", cpu, rank)
            with process.loop(rounds):
                process.delay(Exponential(THINK_S))
                process.run(Exponential(BURST_S * (1 + rank)))
        return model

    def simulate(seed: int) -> Outcome:
        peer = Peer(seed)
        env, cpu = peer.env, Cores(peer.env, cores, quantum)

        def of_class(rank: int) -> Script:
            def process(steps: list[Spent], times: Iterator[float]) -> Steps:
                for _ in range(rounds):
                    yield from pause(env, THINK_S * next(times), steps[0])
                    yield from cpu.use(BURST_S * (1 + rank) * next(times), rank, steps[1])

            return process

        for rank in ranks:
            peer.start(2, of_class(rank))
        return peer.run()

    turns = "" if math.isinf(quantum) else f", turns of {quantum:g} s"
    return Pair(
        f"{len(set(ranks))} priority classes, {len(ranks)} processes, {cores} core{'s' if cores > 1 else ''}{turns}", build, simulate
    )


def lock(customers: int, rounds: int) -> Pair:
    """An exclusive lock, first come, first served."""

    def build() -> Model:
        model = Model()
        cpu, one = model.cpu(1), model.lock()
        for number in range(customers):
            customer = model.process(f"customer {number}", cpu)
            with customer.loop(rounds):
                customer.delay(Exponential(THINK_S))
                customer.acquire(one)
                customer.delay(Exponential(BURST_S))
                customer.release(one)
        return model

    def simulate(seed: int) -> Outcome:
        peer = Peer(seed)
        env, one = peer.env, simpy.Resource(peer.env)

        def customer(steps: list[Spent], times: Iterator[float]) -> Steps:
            thinking, queueing, holding = steps
            for _ in range(rounds):
                yield from pause(env, THINK_S * next(times), thinking)
                began = env.now
                with one.request() as turn:
                    yield turn
                    queueing.add(env.now - began)
                    yield from pause(env, BURST_S * next(times), holding)

        for _ in range(customers):
            peer.start(3, customer)
        return peer.run()

    return Pair(f"lock, {customers} customers", build, simulate)


def mailbox(customers: int, rounds: int, servers: int, most: int) -> Pair:
    """Servers that take up to ``most`` callers at a time; 0: all that are there, as LGWR does for a group commit."""

    def build() -> Model:
        model = Model()
        cpu, box = model.cpu(1), model.mailbox()
        for number in range(servers):
            server = model.process(f"server {number}", cpu, essential=False)
            with server.forever():
                server.take(box, most)
                server.delay(Exponential(BURST_S))
                server.done()
        for number in range(customers):
            customer = model.process(f"customer {number}", cpu)
            with customer.loop(rounds):
                customer.delay(Exponential(THINK_S))
                customer.call(box)
        return model

    def simulate(seed: int) -> Outcome:
        peer = Peer(seed)
        env, box = peer.env, simpy.Store(peer.env)

        def server(steps: list[Spent], times: Iterator[float]) -> Steps:
            idling, serving = steps
            while True:
                began = env.now
                callers = [(yield box.get())]
                while box.items and len(callers) != most:
                    callers.append(box.items.pop(0))
                idling.add(env.now - began)
                yield from pause(env, BURST_S * next(times), serving)
                for caller in callers:
                    caller.succeed()

        def customer(steps: list[Spent], times: Iterator[float]) -> Steps:
            thinking, asking = steps
            for _ in range(rounds):
                yield from pause(env, THINK_S * next(times), thinking)
                began, done = env.now, env.event()
                box.put(done)
                yield done
                asking.add(env.now - began)

        for _ in range(servers):
            peer.start(2, server, essential=False)
        for _ in range(customers):
            peer.start(2, customer)
        return peer.run()

    return Pair(f"{servers} server{'s' if servers > 1 else ''}, batches of {most or 'all'}, {customers} customers", build, simulate)


def moving_home(nodes: int, rounds: int) -> Pair:
    """A lock that remembers who had it last: whoever had it goes on at once, others ask the server at its home."""

    def build() -> Model:
        model = Model()
        cpu, one = model.cpu(1), model.lock()
        boxes = [model.mailbox() for _ in range(nodes)]
        for number in range(nodes):
            server = model.process(f"server {number}", cpu, essential=False)
            with server.forever():
                server.take(boxes[number], 1)
                server.delay(Exponential(BURST_S / 2))
                server.done()
        for number in range(nodes):
            user = model.process(f"user {number}", cpu)
            with user.loop(rounds):
                user.delay(Exponential(BURST_S))
                user.acquire(one)
                here = Label()
                user.jump_if_home(one, number, here)
                user.call(boxes[0], at=one)
                user.set_home(one, number)
                user.place(here)
                user.delay(Exponential(BURST_S / 4))
                user.release(one)
        return model

    def simulate(seed: int) -> Outcome:
        peer = Peer(seed)
        env, one = peer.env, simpy.Resource(peer.env)
        boxes = [simpy.Store(env) for _ in range(nodes)]
        home = 0

        def server_of(box: simpy.Store) -> Script:
            def server(steps: list[Spent], times: Iterator[float]) -> Steps:
                while True:
                    began = env.now
                    caller = yield box.get()
                    steps[0].add(env.now - began)
                    yield from pause(env, BURST_S / 2 * next(times), steps[1])
                    caller.succeed()

            return server

        def user_of(number: int) -> Script:
            def user(steps: list[Spent], times: Iterator[float]) -> Steps:
                nonlocal home
                thinking, queueing, asking, holding = steps
                for _ in range(rounds):
                    yield from pause(env, BURST_S * next(times), thinking)
                    began = env.now
                    with one.request() as turn:
                        yield turn
                        queueing.add(env.now - began)
                        if home != number:
                            began, done = env.now, env.event()
                            boxes[home].put(done)
                            yield done
                            asking.add(env.now - began)
                            home = number
                        yield from pause(env, BURST_S / 4 * next(times), holding)

            return user

        for box in boxes:
            peer.start(2, server_of(box), essential=False)
        for number in range(nodes):
            peer.start(4, user_of(number))
        return peer.run()

    return Pair(f"lock that moves between {nodes} nodes", build, simulate)
