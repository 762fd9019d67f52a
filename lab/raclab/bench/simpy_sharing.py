"""Shared locks, semaphores, links and spinning, twice: as programs for the kernel, and in plain SimPy.

Both draw the same variates in the same order, so every figure must be equal to the last bit.
"""

from collections import deque
from collections.abc import Iterator

import simpy

from raclab.bench.simpy_cores import Steps
from raclab.bench.simpy_peer import Outcome, Pair, Peer, Script, pause
from raclab.bench.spent import Spent
from raclab.sim import Exponential, Label, Model

THINK_S, HOLD_S = 1.0, 0.3


class _SharedLock:
    """Many readers or one writer, in the order of asking."""

    def __init__(self, env: simpy.Environment) -> None:
        self.env, self.readers, self.written = env, 0, False
        self.queue: deque[tuple[bool, simpy.Event]] = deque()

    def take(self, shared: bool) -> simpy.Event:
        """The event happens when the lock is had."""
        mine = self.env.event()
        self.queue.append((shared, mine))
        self._serve()
        return mine

    def give_back(self) -> None:
        """By a reader or the writer."""
        if self.written:
            self.written = False
        else:
            self.readers -= 1
        self._serve()

    def _serve(self) -> None:
        while self.queue and not self.written:
            shared, first = self.queue[0]
            if not shared and self.readers:
                break
            self.queue.popleft()
            if shared:
                self.readers += 1
            else:
                self.written = True
            first.succeed()


def shared_lock(readers: int, writers: int, rounds: int) -> Pair:
    """Readers share a lock, writers have it alone, first come, first served."""
    kinds = [True] * readers + [False] * writers

    def build() -> Model:
        model = Model()
        cpu, lock = model.cpu(1), model.lock()
        for number, shared in enumerate(kinds):
            user = model.process(f"{'reader' if shared else 'writer'} {number}", cpu)
            with user.loop(rounds):
                user.delay(Exponential(THINK_S))
                user.acquire(lock, shared=shared)
                user.delay(Exponential(HOLD_S))
                user.release(lock)
        return model

    def simulate(seed: int) -> Outcome:
        peer = Peer(seed)
        env, lock = peer.env, _SharedLock(peer.env)

        def user_of(shared: bool) -> Script:
            def user(steps: list[Spent], times: Iterator[float]) -> Steps:
                for _ in range(rounds):
                    yield from pause(env, THINK_S * next(times), steps[0])
                    began = env.now
                    yield lock.take(shared)
                    steps[1].add(env.now - began)
                    yield from pause(env, HOLD_S * next(times), steps[2])
                    lock.give_back()

            return user

        for shared in kinds:
            peer.start(3, user_of(shared))
        return peer.run()

    return Pair(f"lock shared by {readers} readers, {writers} writers", build, simulate)


def semaphore(units: int, customers: int, rounds: int) -> Pair:
    """So many may be inside at a time; and each who leaves wakes a follower through a second semaphore, two at a time."""

    def build() -> Model:
        model = Model()
        cpu, room, left = model.cpu(1), model.semaphore(units), model.semaphore()
        for number in range(customers):
            customer = model.process(f"customer {number}", cpu)
            with customer.loop(rounds):
                customer.delay(Exponential(THINK_S))
                customer.wait_for(room)
                customer.delay(Exponential(HOLD_S))
                customer.post(room)
                customer.post(left, 2)
        follower = model.process("follower", cpu)
        with follower.loop(2 * rounds * customers):
            follower.wait_for(left)
            follower.delay(Exponential(HOLD_S / 10))
        return model

    def simulate(seed: int) -> Outcome:
        peer = Peer(seed)
        env, room, left = peer.env, simpy.Container(peer.env, init=units), simpy.Container(peer.env)

        def customer(steps: list[Spent], times: Iterator[float]) -> Steps:
            for _ in range(rounds):
                yield from pause(env, THINK_S * next(times), steps[0])
                began = env.now
                yield room.get(1)
                steps[1].add(env.now - began)
                yield from pause(env, HOLD_S * next(times), steps[2])
                room.put(1)
                left.put(2)

        def follower(steps: list[Spent], times: Iterator[float]) -> Steps:
            for _ in range(2 * rounds * customers):
                began = env.now
                yield left.get(1)
                steps[0].add(env.now - began)
                yield from pause(env, HOLD_S / 10 * next(times), steps[1])

        for _ in range(customers):
            peer.start(3, customer)
        peer.start(2, follower)
        return peer.run()

    return Pair(f"semaphore of {units}, {customers} customers", build, simulate)


def link(senders: int, rounds: int) -> Pair:
    """A link carries one message after the other, each as long as its bytes take."""
    bandwidth, bytes_mean = 1000.0, 250.0

    def build() -> Model:
        model = Model()
        cpu, wire = model.cpu(1), model.link(bandwidth)
        for number in range(senders):
            sender = model.process(f"sender {number}", cpu)
            with sender.loop(rounds):
                sender.delay(Exponential(THINK_S))
                sender.send(wire, Exponential(bytes_mean))
        return model

    def simulate(seed: int) -> Outcome:
        peer = Peer(seed)
        env, wire = peer.env, simpy.Resource(peer.env)

        def sender(steps: list[Spent], times: Iterator[float]) -> Steps:
            for _ in range(rounds):
                yield from pause(env, THINK_S * next(times), steps[0])
                began = env.now
                with wire.request() as turn:
                    yield turn
                    yield env.timeout(bytes_mean * next(times) / bandwidth)
                steps[1].add(env.now - began)

        for _ in range(senders):
            peer.start(2, sender)
        return peer.run()

    return Pair(f"link, {senders} senders", build, simulate)


class _Latch:
    """A lock that some spin for and others sleep for; sleepers come first, then who has been at it longest."""

    def __init__(self, env: simpy.Environment) -> None:
        self.env, self.held = env, False
        self.sleepers: deque[simpy.Event] = deque()
        self.spinners: list[tuple[float, simpy.Event]] = []

    def spin(self, since: float) -> simpy.Event:
        """For one who is on a core now; the event happens when the latch is had."""
        mine = self.env.event()
        if self.held:
            self.spinners.append((since, mine))
        else:
            self.held = True
            mine.succeed()
        return mine

    def give_up(self, mine: simpy.Event) -> None:
        """Spin no longer."""
        self.spinners = [entry for entry in self.spinners if entry[1] is not mine]

    def sleep(self) -> simpy.Event:
        """The event happens when the latch is had."""
        mine = self.env.event()
        if self.held:
            self.sleepers.append(mine)
        else:
            self.held = True
            mine.succeed()
        return mine

    def free(self) -> None:
        """Hand it on."""
        if self.sleepers:
            self.sleepers.popleft().succeed()
        elif self.spinners:
            first = min(self.spinners, key=lambda entry: entry[0])
            self.spinners.remove(first)
            first[1].succeed()
        else:
            self.held = False


def spinning(cores: int, sessions: int, rounds: int, most_s: float = 0.4) -> Pair:
    """Sessions spin for a latch, using a core, and go to sleep for it if they don't get it in time."""

    def build() -> Model:
        model = Model()
        cpu, latch = model.cpu(cores), model.lock()
        for number in range(sessions):
            session = model.process(f"session {number}", cpu)
            with session.loop(rounds):
                asleep, have = Label(), Label()
                session.delay(Exponential(THINK_S))
                session.spin(latch, Exponential(most_s), asleep)
                session.jump(have)
                session.place(asleep)
                session.acquire(latch)
                session.place(have)
                session.delay(Exponential(HOLD_S))
                session.release(latch)
        return model

    def simulate(seed: int) -> Outcome:
        peer = Peer(seed)
        env, cpu, latch = peer.env, simpy.Resource(peer.env, capacity=cores), _Latch(peer.env)

        def session(steps: list[Spent], times: Iterator[float]) -> Steps:
            thinking, spinning, sleeping, holding = steps
            for _ in range(rounds):
                yield from pause(env, THINK_S * next(times), thinking)
                began, most = env.now, most_s * next(times)
                with cpu.request() as core:
                    yield core
                    started, mine = env.now, latch.spin(began)
                    if not mine.triggered:
                        yield mine | env.timeout(most)
                    got = mine.triggered
                    spinning.cpu += env.now - started if got else most
                spinning.add(env.now - began)
                if not got:
                    latch.give_up(mine)
                    began = env.now
                    yield latch.sleep()
                    sleeping.add(env.now - began)
                yield from pause(env, HOLD_S * next(times), holding)
                latch.free()

        for _ in range(sessions):
            peer.start(4, session)
        return peer.run()

    return Pair(f"latch, {sessions} sessions on {cores} core{'s' if cores > 1 else ''}", build, simulate)
