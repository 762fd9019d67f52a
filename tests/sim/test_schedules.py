"""Small programs whose schedule can be worked out on paper: each op does what ops.py says, to the instant."""

import math

import numpy as np
import pytest

from raclab.sim import Constant, Exponential, Label, Model, Process, Run, ops, run
from raclab.sim.run import MOST_SAMPLES


class Bench:
    """A model with one CPU, whose processes write down what they like and when."""

    def __init__(self, cores: int = 1, quantum: float = math.inf, horizon: float = math.inf, sampling: float = math.inf) -> None:
        self.model = Model(notes=100, horizon=horizon, sampling=sampling)
        self.cpu = self.model.cpu(cores, quantum)

    def process(self, name: str, after: float = 0.0, priority: int = 1, essential: bool = True) -> Process:
        process = self.model.process(name, self.cpu, priority, essential)
        if after:
            process.delay(Constant(after))
        return process

    def ends(self) -> dict[str, float]:
        outcome = run(self.model)
        return {process.name: float(outcome.ended[process.number]) for process in self.model.processes}


def values(outcome: Run) -> list[tuple[float, int]]:
    return [(float(note["time"]), int(note["value"])) for note in outcome.notes]


class TestCpu:
    def test_first_come_first_served(self) -> None:
        bench = Bench()
        for name, after in (("a", 0.0), ("b", 1.0), ("c", 0.5)):
            bench.process(name, after).run(Constant(3))
        assert bench.ends() == {"a": 3, "c": 6, "b": 9}

    def test_as_many_at_a_time_as_there_are_cores(self) -> None:
        bench = Bench(cores=2)
        for name in "abc":
            bench.process(name).run(Constant(3))
        assert bench.ends() == {"a": 3, "b": 3, "c": 6}

    def test_time_slices_go_round(self) -> None:
        bench = Bench(quantum=1)
        bench.process("long").run(Constant(3))
        bench.process("short").run(Constant(1))
        bench.process("late", after=2.5).run(Constant(2))
        # long 0-1, short 1-2, long 2-3, late 3-4, long 4-5, late 5-6
        assert bench.ends() == {"short": 2, "long": 5, "late": 6}

    def test_who_is_preempted_keeps_the_rest_of_its_slice(self) -> None:
        bench = Bench(quantum=1)
        bench.process("preempted").run(Constant(2))
        bench.process("next").run(Constant(1))
        bench.process("better", after=0.75, priority=0).run(Constant(0.5))
        # preempted 0-0.75 and, with the quarter of its slice that is left, 1.25-1.5; next 1.5-2.5; preempted 2.5-3.5
        assert bench.ends() == {"better": 1.25, "next": 2.5, "preempted": 3.5}

    def test_however_often_it_is_preempted_its_turn_comes_to_an_end(self) -> None:
        bench = Bench(quantum=1)
        bench.process("long").run(Constant(4))
        bench.process("next").run(Constant(1))
        often = bench.process("often", priority=0)
        with often.loop(10):
            often.delay(Constant(0.5))
            often.run(Constant(0.25))
        # half a second of every 0.75 s is left to the others: long has used up its second at 1.25 s, next its own at 2.75 s
        assert bench.ends()["next"] == 2.75

    def test_a_burst_of_exactly_one_slice_is_over(self) -> None:
        bench = Bench(quantum=1)
        bench.process("a").run(Constant(1))
        bench.process("b").run(Constant(1))
        assert bench.ends() == {"a": 1, "b": 2}

    def test_alone_a_slice_follows_a_slice(self) -> None:
        bench = Bench(quantum=0.25)
        bench.process("a").run(Constant(3))
        bench.process("other", after=10).delay(Constant(1))
        assert bench.ends() == {"a": 3, "other": 11}

    def test_the_better_class_preempts_and_the_rest_is_done_afterwards(self) -> None:
        bench = Bench()
        bench.process("low").run(Constant(10))
        bench.process("high", after=2, priority=0).run(Constant(3))
        assert bench.ends() == {"high": 5, "low": 13}
        assert run(bench.model).used.tolist() == [13]

    def test_the_same_class_does_not_preempt(self) -> None:
        bench = Bench()
        bench.process("first").run(Constant(10))
        bench.process("second", after=2).run(Constant(3))
        assert bench.ends() == {"first": 10, "second": 13}

    def test_who_is_preempted_goes_on_before_its_class(self) -> None:
        bench = Bench()
        bench.process("running").run(Constant(4))
        bench.process("queued").run(Constant(4))
        bench.process("high", after=1, priority=0).run(Constant(1))
        assert bench.ends() == {"high": 2, "running": 5, "queued": 9}

    def test_of_two_the_worse_class_gives_way(self) -> None:
        bench = Bench(cores=2)
        bench.process("worst", priority=3).run(Constant(10))
        bench.process("middle", after=1, priority=2).run(Constant(10))
        bench.process("high", after=2, priority=0).run(Constant(5))
        assert bench.ends() == {"high": 7, "middle": 11, "worst": 15}

    def test_of_one_class_the_one_whose_slice_began_last_gives_way(self) -> None:
        bench = Bench(cores=2)
        bench.process("early").run(Constant(10))
        bench.process("late", after=1).run(Constant(10))
        bench.process("high", after=2, priority=0).run(Constant(5))
        assert bench.ends() == {"high": 7, "early": 10, "late": 16}

    def test_a_class_waits_until_the_better_ones_want_nothing(self) -> None:
        bench = Bench(quantum=1)
        bench.process("high", priority=0).run(Constant(1))
        bench.process("other high", priority=0).run(Constant(3))
        bench.process("low").run(Constant(2))
        assert bench.ends() == {"high": 1, "other high": 4, "low": 6}

    def test_cpus_do_not_disturb_each_other(self) -> None:
        bench = Bench()
        other = bench.model.cpu(1)
        bench.process("here").run(Constant(3))
        bench.model.process("there", other, 0).run(Constant(3))
        assert bench.ends() == {"here": 3, "there": 3}

    def test_preempted_at_the_very_end_of_a_burst_the_clock_stands_still(self) -> None:
        """What is left is below zero by rounding: (1.02 + 5.31) - 1.02 is more than 5.31."""
        bench = Bench()
        low, high = bench.process("low", after=1.02, priority=2), bench.process("high", priority=0)
        zero = bench.model.cell()
        low_first = bench.model.processes[0]
        assert low_first is low
        low.run(Constant(5.31))
        low.note(zero)
        high.delay(Constant(1.02 + 5.31))
        high.run(Constant(0.0))
        high.note(zero)
        outcome = run(bench.model)
        assert [time for time, _ in values(outcome)] == [1.02 + 5.31] * 2
        assert outcome.clock == 1.02 + 5.31


class TestLocks:
    def test_first_come_first_served(self) -> None:
        bench = Bench()
        lock, order = bench.model.lock(), bench.model.cell()
        for name, after in (("a", 0.0), ("b", 2.0), ("c", 1.0)):
            process = bench.process(name, after)
            process.acquire(lock)
            process.delay(Constant(5))
            process.add(order, 1)
            process.note(order)
            process.release(lock)
        assert bench.ends() == {"a": 5, "c": 10, "b": 15}

    def test_free_means_at_home_and_held_by_nobody(self) -> None:
        bench = Bench()
        lock, seen = bench.model.lock(home=1), bench.model.cell()

        def look(process: Process, home: int) -> None:
            free, after = Label(), Label()
            process.jump_if_free(lock, home, free)
            process.set(seen, 0)
            process.jump(after)
            process.place(free)
            process.set(seen, 1)
            process.place(after)
            process.note(seen)

        holder, watcher = bench.process("holder", after=1), bench.process("watcher")
        holder.acquire(lock)
        holder.delay(Constant(2))
        holder.release(lock)
        look(watcher, 1)
        look(watcher, 0)
        watcher.delay(Constant(2))
        look(watcher, 1)
        watcher.delay(Constant(2))
        look(watcher, 1)
        watcher.set_home(lock, 0)
        look(watcher, 1)
        look(watcher, 0)
        assert values(run(bench.model)) == [(0, 1), (0, 0), (2, 0), (4, 1), (4, 0), (4, 1)]
        assert run(bench.model).homes.tolist() == [0]


class TestSharedLocks:
    def reader_or_writer(self, bench: Bench, lock: int, name: str, after: float, *, shared: bool) -> None:
        process = bench.process(name, after)
        process.acquire(lock, shared=shared)
        process.delay(Constant(10))
        process.release(lock)

    def test_readers_together_a_writer_alone_nobody_overtakes(self) -> None:
        bench = Bench()
        lock = bench.model.lock()
        for name, after, shared in (("r1", 0, True), ("r2", 1, True), ("w", 2, False), ("r3", 3, True), ("r4", 4, True)):
            self.reader_or_writer(bench, lock, name, after, shared=shared)
        # the writer waits for both readers; the later readers, for the writer, though a reader is inside when they ask
        assert bench.ends() == {"r1": 10, "r2": 11, "w": 21, "r3": 31, "r4": 31}

    def test_a_shared_lock_is_not_free(self) -> None:
        bench = Bench()
        lock, seen = bench.model.lock(), bench.model.cell()
        self.reader_or_writer(bench, lock, "reader", 0, shared=True)
        watcher, free, end = bench.process("watcher", 5), Label(), Label()
        watcher.jump_if_free(lock, 0, free)
        watcher.jump(end)
        watcher.place(free)
        watcher.set(seen, 1)
        watcher.place(end)
        watcher.note(seen)
        assert values(run(bench.model)) == [(5, 0)]

    def test_giving_back_what_one_has_not_is_refused(self) -> None:
        bench = Bench()
        bench.process("a").release(bench.model.lock())
        with pytest.raises(ValueError, match="gives back a lock that it does not have"):
            run(bench.model)


class TestSpinning:
    def spinner(self, bench: Bench, lock: int, name: str, after: float, most: float, hold: float = 1, priority: int = 1) -> None:
        """Spins for the lock, at most so long, and holds it; or ends a hundred seconds later."""
        process, otherwise, end = bench.process(name, after, priority), Label(), Label()
        process.spin(lock, Constant(most), otherwise)
        process.delay(Constant(hold))
        process.release(lock)
        process.jump(end)
        process.place(otherwise)
        process.delay(Constant(100))
        process.place(end)

    def holder(self, bench: Bench, lock: int, seconds: float) -> None:
        holder = bench.process("holder")
        holder.acquire(lock)
        holder.delay(Constant(seconds))
        holder.release(lock)

    def test_a_free_lock_is_got_at_once_and_costs_no_cpu(self) -> None:
        bench = Bench()
        self.spinner(bench, bench.model.lock(), "a", 2, 5)
        assert bench.ends() == {"a": 3}
        assert run(bench.model).used[0] == 0

    def test_it_burns_cpu_until_the_lock_is_given_back(self) -> None:
        bench = Bench()
        lock = bench.model.lock()
        self.holder(bench, lock, 4)
        self.spinner(bench, lock, "a", 1, 50)
        assert bench.ends() == {"holder": 4, "a": 5}
        assert run(bench.model).used[0] == 3

    def test_in_vain_it_ends_after_its_time(self) -> None:
        bench = Bench()
        lock = bench.model.lock()
        self.holder(bench, lock, 4)
        self.spinner(bench, lock, "a", 1, 2)
        assert bench.ends() == {"holder": 4, "a": 103}
        assert run(bench.model).used[0] == 2

    def test_who_began_first_gets_it(self) -> None:
        bench = Bench(cores=2)
        lock = bench.model.lock()
        self.holder(bench, lock, 4)
        self.spinner(bench, lock, "later", 2, 50)
        self.spinner(bench, lock, "sooner", 1, 50)
        assert bench.ends() == {"holder": 4, "sooner": 5, "later": 6}

    def test_who_sleeps_for_it_comes_before_who_spins(self) -> None:
        bench = Bench()
        lock = bench.model.lock()
        self.holder(bench, lock, 4)
        self.spinner(bench, lock, "spins", 1, 50)
        sleeper = bench.process("sleeps", 2)
        sleeper.acquire(lock)
        sleeper.delay(Constant(1))
        sleeper.release(lock)
        assert bench.ends() == {"holder": 4, "sleeps": 5, "spins": 6}

    def test_without_a_core_nobody_gets_it(self) -> None:
        """The lock is given back while the spinner queues for CPU: it takes it when it is on the core."""
        bench = Bench()
        lock = bench.model.lock()
        self.holder(bench, lock, 4)
        bench.process("busy").run(Constant(10))
        self.spinner(bench, lock, "a", 1, 50)
        assert bench.ends() == {"holder": 4, "busy": 10, "a": 11}
        assert run(bench.model).used[0] == 10

    def test_preempted_it_spins_on_afterwards_for_what_is_left(self) -> None:
        bench = Bench()
        lock = bench.model.lock()
        self.holder(bench, lock, 40)
        self.spinner(bench, lock, "a", 1, 5)
        bench.process("high", 2, priority=0).run(Constant(3))
        # spins 1-2 and 5-9
        assert bench.ends() == {"high": 5, "holder": 40, "a": 109}
        assert run(bench.model).used[0] == 8

    def test_given_the_lock_while_preempted_it_does_not_get_it(self) -> None:
        bench = Bench()
        lock = bench.model.lock()
        self.holder(bench, lock, 3)
        self.spinner(bench, lock, "a", 1, 5)
        bench.process("high", 2, priority=0).run(Constant(3))
        assert bench.ends() == {"holder": 3, "high": 5, "a": 6}
        assert run(bench.model).used[0] == 4


class TestSemaphores:
    def test_units_are_taken_in_the_order_of_asking(self) -> None:
        bench = Bench()
        semaphore = bench.model.semaphore(1)
        for name, after in (("a", 0.0), ("b", 2.0), ("c", 1.0)):
            process = bench.process(name, after)
            process.wait_for(semaphore)
            process.delay(Constant(5))
            process.post(semaphore)
        assert bench.ends() == {"a": 5, "c": 10, "b": 15}

    def test_several_units_wake_several_and_the_rest_is_kept(self) -> None:
        bench = Bench()
        semaphore = bench.model.semaphore()
        for name, after in (("a", 1.0), ("b", 2.0), ("late", 8.0)):
            bench.process(name, after).wait_for(semaphore)
        poster = bench.process("poster", 5)
        poster.post(semaphore, 3)
        assert bench.ends() == {"a": 5, "b": 5, "poster": 5, "late": 8}


class TestLinks:
    def test_one_message_after_the_other(self) -> None:
        bench = Bench()
        link = bench.model.link(bandwidth=100)
        for name, after, size in (("a", 0.0, 500), ("b", 1.0, 100), ("c", 20.0, 300)):
            bench.process(name, after).send(link, Constant(size))
        assert bench.ends() == {"a": 5, "b": 6, "c": 23}
        assert run(bench.model).sent.tolist() == [900]

    def test_the_home_of_a_lock_leads_to_the_link(self) -> None:
        bench = Bench()
        lock, links = bench.model.lock(home=1), [bench.model.link(bandwidth) for bandwidth in (1, 10, 100)]
        sender = bench.process("sender")
        sender.send(links[0], Constant(100), at=lock)
        sender.set_home(lock, 2)
        sender.send(links[0], Constant(100), at=lock)
        assert bench.ends() == {"sender": 10 + 1}
        assert run(bench.model).sent.tolist() == [0, 100, 100]


class TestCaches:
    def test_the_least_recently_used_leaves(self) -> None:
        bench = Bench()
        cache, key, hit = bench.model.cache(size=2, keys=5), bench.model.cell(), bench.model.cell()
        reader = bench.process("reader")
        for wanted in (1, 2, 1, 3, 1, 2, 3):
            found, after = Label(), Label()
            reader.set(key, wanted)
            reader.jump_if_cached(cache, key, found)
            reader.set(hit, 0)
            reader.jump(after)
            reader.place(found)
            reader.set(hit, 1)
            reader.place(after)
            reader.note(hit)
        reader.set(key, 3)
        reader.drop(cache, key)
        reader.drop(cache, key)
        outcome = run(bench.model)
        # 1 and 2 come in, 1 is used, 3 throws 2 out, 1 is used, 2 throws 3 out, 3 throws 1 out; then 3 is dropped
        assert [value for _, value in values(outcome)] == [0, 0, 1, 0, 1, 0, 0]
        assert (outcome.caches["hits"][0], outcome.caches["misses"][0], outcome.caches["used"][0]) == (2, 5, 1)


class TestComputedNumbers:
    def test_a_cell_says_which_lock_cell_link_or_semaphore_is_meant(self) -> None:
        bench = Bench()
        locks, cells = [bench.model.lock() for _ in range(3)], [bench.model.cell(value) for value in (10, 20, 30)]
        links, semaphores = [bench.model.link(10.0) for _ in range(3)], [bench.model.semaphore() for _ in range(3)]
        which, seen = bench.model.cell(2), bench.model.cell()
        process = bench.process("a")
        process.acquire(locks[0], by=which)
        process.set_home(locks[0], 7, by=which)
        process.add(cells[0], 5, by=which)
        process.copy(seen, cells[2])
        process.note(seen)
        process.send(links[0], Constant(100), by=which)
        process.post(semaphores[0], by=which)
        process.wait_for(semaphores[2])
        process.release(locks[0], by=which)
        other = bench.process("other")
        other.acquire(locks[2])
        outcome = run(bench.model)
        assert values(outcome) == [(0, 35)]
        assert outcome.homes.tolist() == [0, 0, 7]
        assert outcome.sent.tolist() == [0, 0, 100]
        assert outcome.ended.tolist() == [10, 10]

    def test_reading_one_of_many_cells_and_taking_it_off(self) -> None:
        bench = Bench()
        which, to, *many = [bench.model.cell(value) for value in (2, 0, 10, 20, 30)]
        process = bench.process("a")
        process.fetch(to, many[0], by=which)
        process.note(to)
        process.subtract(to, many[1])
        process.note(to)
        assert values(run(bench.model)) == [(0, 30), (0, 10)]

    @pytest.mark.parametrize("number", [-1, 3])
    def test_a_number_that_leads_nowhere_is_refused(self, number: int) -> None:
        bench = Bench()
        locks = [bench.model.lock() for _ in range(3)]
        which = bench.model.cell(number)
        bench.process("a").acquire(locks[0], by=which)
        with pytest.raises(IndexError, match="has computed the number of something that isn't in the model"):
            run(bench.model)


class TestChance:
    def test_never_and_always(self) -> None:
        bench = Bench()
        process, count = bench.process("a"), bench.model.cell()
        with process.loop(1_000):
            never, always = Label(), Label()
            process.jump_by_chance(0.0, never)
            process.jump_by_chance(1.0, always)
            process.place(never)
            process.add(count, 1)
            process.place(always)
        process.note(count)
        assert values(run(bench.model)) == [(0, 0)]

    def test_draws_are_even(self) -> None:
        model = Model()
        process = model.process("a", model.cpu(1))
        key, counts = model.cell(), [model.cell() for _ in range(5)]
        with process.loop(10_000):
            process.draw(key, 5)
            process.add(counts[0], 1, by=key)
        drawn = run(model).cells[counts]
        assert drawn.sum() == 10_000
        assert (abs(drawn - 2_000) < 4 * (10_000 * 0.2 * 0.8) ** 0.5).all()


class TestMailboxes:
    def callers(self, bench: Bench, box: int, at: list[float]) -> None:
        for number, after in enumerate(at):
            bench.process(f"caller {number}", after).call(box)

    def server(self, bench: Bench, box: int, most: int, seconds: float = 10) -> Process:
        server = bench.process("server", essential=False)
        with server.forever():
            server.take(box, most)
            server.delay(Constant(seconds))
            server.done()
        return server

    @pytest.mark.parametrize(
        ("most", "ends"),
        [(1, [10, 20, 30, 40]), (2, [10, 20, 20, 30]), (3, [10, 20, 20, 20]), (0, [10, 20, 20, 20])],
    )
    def test_a_server_takes_so_many_in_the_order_of_asking(self, most: int, ends: list[float]) -> None:
        bench = Bench()
        box = bench.model.mailbox()
        self.server(bench, box, most)
        self.callers(bench, box, [0, 1, 2, 3])
        assert [bench.ends()[f"caller {number}"] for number in range(4)] == ends

    def test_several_servers_share_a_mailbox(self) -> None:
        bench = Bench()
        box = bench.model.mailbox()
        self.server(bench, box, 1)
        self.server(bench, box, 1)
        self.callers(bench, box, [0, 1, 2, 3])
        assert [bench.ends()[f"caller {number}"] for number in range(4)] == [10, 11, 20, 21]

    def test_the_home_of_a_lock_leads_to_the_server(self) -> None:
        bench = Bench()
        lock, boxes = bench.model.lock(home=2), [bench.model.mailbox() for _ in range(3)]
        for seconds, box in zip((1, 10, 100), boxes, strict=True):
            self.server(bench, box, 1, seconds)
        caller = bench.process("caller")
        for home in (None, 0, 1):
            if home is not None:
                caller.set_home(lock, home)
            caller.call(boxes[0], at=lock)
        assert bench.ends()["caller"] == 100 + 1 + 10

    def test_the_server_goes_on_in_its_own_program_after_the_callers(self) -> None:
        bench = Bench()
        box, cell = bench.model.mailbox(), bench.model.cell()
        server = bench.process("server")
        server.take(box, 0)
        server.done()
        server.delay(Constant(1))
        server.set(cell, 5)
        server.note(cell)
        caller = bench.process("caller", after=2)
        caller.call(box)
        caller.note(cell)
        assert values(run(bench.model)) == [(2, 0), (3, 5)]


class TestCells:
    def test_arithmetic_and_jumps(self) -> None:
        bench = Bench()
        process = bench.process("a")
        one, two = bench.model.cell(3), bench.model.cell(-1)
        same, positive, end = Label(), Label(), Label()
        process.add(one, 4)
        process.note(one)
        process.copy(two, one)
        process.jump_if_same(one, two, same)
        process.end()
        process.place(same)
        process.set(two, 0)
        process.jump_if_positive(two, end)
        process.add(two, -2)
        process.jump_if_positive(two, end)
        process.jump_if_same(one, two, end)
        process.add(two, 3)
        process.jump_if_positive(two, positive)
        process.end()
        process.place(positive)
        process.note(two)
        process.place(end)
        outcome = run(bench.model)
        assert values(outcome) == [(0, 7), (0, 1)]
        assert outcome.cells.tolist() == [7, 1]

    def test_cells_by_home(self) -> None:
        bench = Bench()
        process = bench.process("a")
        first, other = [bench.model.cell(value) for value in (1, 2, 3)], [bench.model.cell(value) for value in (9, 2, 9)]
        lock, found, end, count = bench.model.lock(), Label(), Label(), bench.model.cell()
        process.jump_if_same(first[0], other[0], end, at=lock)
        process.set_home(lock, 1)
        process.jump_if_same(first[0], other[0], found, at=lock)
        process.jump(end)
        process.place(found)
        process.set(count, 1)
        process.place(end)
        process.note(count)
        assert values(run(bench.model)) == [(0, 1)]

    def test_loops_within_loops(self) -> None:
        bench = Bench()
        process, count = bench.process("a"), bench.model.cell()
        with process.loop(3), process.loop(4):
            process.add(count, 1)
            process.delay(Constant(1))
        process.note(count)
        assert values(run(bench.model)) == [(12, 12)]


def test_a_label_behind_the_last_jump_is_the_end_of_the_process() -> None:
    bench = Bench()
    process, count, top, done = bench.process("counts"), bench.model.cell(), Label(), Label()
    process.place(top)
    process.delay(Constant(1))
    process.add(count, 1)
    process.jump_if_positive(count, done)
    process.jump(top)
    process.place(done)
    bench.process("next in memory", essential=False).delay(Constant(100))
    outcome = run(bench.model)
    assert outcome.clock == 1
    assert outcome.tally["hits"].sum() == 2


def test_processes_start_in_the_order_of_making_and_go_on_in_the_order_of_waking() -> None:
    bench = Bench()
    lock, cell = bench.model.lock(), bench.model.cell()
    for number in range(4):
        process = bench.process(str(number))
        process.acquire(lock)
        process.set(cell, number)
        process.note(cell)
        process.release(lock)
        process.delay(Constant(5))
        process.set(cell, 10 + number)
        process.note(cell)
    assert values(run(bench.model)) == [(0, 0), (0, 1), (0, 2), (0, 3), (5, 10), (5, 11), (5, 12), (5, 13)]


class TestTallies:
    def test_each_op_and_each_wait(self) -> None:
        bench = Bench()
        lock = bench.model.lock()
        for name, after in (("a", 0.0), ("b", 1.0)):
            process = bench.process(name, after)
            with process.loop(2):
                with process.wait("enq: XX - contention"):
                    process.acquire(lock)
                    process.delay(Constant(0.5))
                process.run(Constant(3))
                process.release(lock)
        outcome = run(bench.model)
        # a holds 0-3.5 and, behind b, 7-10.5; b holds 3.5-7 and 10.5-14
        assert outcome.ended.tolist() == [10.5, 14]
        waits = {name: outcome.waits[number, 0].tolist() for number, name in enumerate("ab")}
        assert waits == {"a": (2, 0.5 + 4.0, 0.0, 4.0), "b": (2, 3.0 + 4.0, 0.0, 4.0)}
        bursts = [row for row, op in enumerate(bench.model.program) if op[0] == 0]
        assert outcome.tally[bursts].tolist() == [(2, 6.0, 6.0, 3.0)] * 2

    def test_where_says_what_an_op_is_part_of(self) -> None:
        model = Model()
        process = model.process("a", model.cpu(1))
        with process.activity("insert"):
            process.run(Constant(1))
            with process.activity("update"), process.wait("log file sync"):
                process.delay(Constant(1))
            process.run(Constant(1))
        process.delay(Constant(1))
        told = [(where.activity, where.event) for where in model.where]
        assert told == [
            ("insert", ""), ("update", "log file sync"), ("update", "log file sync"), ("update", "log file sync"), ("insert", ""), ("", ""),
            ("", ""),  # END
        ]  # fmt: skip


class TestHorizon:
    def test_the_run_stops_there(self) -> None:
        bench = Bench(horizon=10)
        process, count = bench.process("a"), bench.model.cell()
        with process.forever():
            process.delay(Constant(3))
            process.add(count, 1)
            process.note(count)
        outcome = run(bench.model)
        assert values(outcome) == [(3, 1), (6, 2), (9, 3)]
        assert outcome.clock == 10
        assert math.isnan(outcome.ended[0])

    def test_events_at_the_horizon_still_happen(self) -> None:
        bench = Bench(horizon=9)
        for name in "ab":
            bench.process(name, after=9)
        bench.process("later", after=9.5)
        ends = bench.ends()
        assert (ends["a"], ends["b"]) == (9, 9)
        assert math.isnan(ends["later"])

    def test_it_ends_sooner_with_its_essential_processes(self) -> None:
        bench = Bench(horizon=100)
        bench.process("a", after=4)
        with (background := bench.process("background", essential=False)).forever():
            background.delay(Constant(1))
        assert run(bench.model).clock == 4


class TestNotes:
    def test_there_is_room_for_so_many(self) -> None:
        bench = Bench()
        bench.model.notes = 5
        process, count = bench.process("a"), bench.model.cell()
        with process.loop(50):
            process.add(count, 1)
            process.note(count)
        outcome = run(bench.model)
        assert outcome.notes["value"].tolist() == [1, 2, 3, 4, 5]
        assert outcome.cells[count] == 50

    def test_none_are_kept_without_room(self) -> None:
        bench = Bench()
        bench.model.notes = 0
        process = bench.process("a")
        process.note(bench.model.cell())
        assert len(run(bench.model).notes) == 0


class TestSamples:
    def model(self, rounds: int, sampling: float) -> Model:
        bench = Bench(sampling=sampling)
        process = bench.process("a")
        with process.loop(rounds):
            process.delay(Constant(1))
            process.run(Constant(3))
        return bench.model

    def test_each_op_is_seen_as_long_as_it_takes(self) -> None:
        model = self.model(20, 0.5)
        outcome = run(model)
        assert outcome.sampled.tolist() == (np.arange(1, 161) * 0.5).tolist()
        seen = np.bincount(outcome.samples[:, 0], minlength=len(model.program))
        assert seen[outcome.tally["hits"] > 0].tolist() == [40, 120]

    def test_when_the_room_is_used_up_samples_are_thinned_out(self) -> None:
        model = self.model(1_000, 1.0)
        outcome = run(model)
        assert MOST_SAMPLES / 2 <= len(outcome.sampled) <= MOST_SAMPLES
        assert outcome.sampled.tolist() == (np.arange(1, 1_001) * 4.0).tolist()

    def test_a_process_that_has_ended_is_not_seen(self) -> None:
        bench = Bench(sampling=1.0)
        bench.process("a", after=2.5)
        bench.process("b", after=4.5)
        assert (run(bench.model).samples >= 0).tolist() == [[True, True], [True, True], [False, True], [False, True]]


def test_exponential_bursts_of_many_processes_do_not_overflow_the_heap() -> None:
    """Preemptions leave stale events behind; their room is used again."""
    model = Model()
    cpu = model.cpu(1)
    low = model.process("low", cpu, 3)
    with low.loop(50):
        low.run(Exponential(100))
    for number in range(3):
        high = model.process(f"high {number}", cpu, number, essential=False)
        with high.forever():
            high.delay(Exponential(0.1))
            high.run(Exponential(0.01))
    outcome = run(model)
    delays = [row for row, op in enumerate(model.program) if op[0] == ops.DELAY]
    assert (outcome.tally["hits"][delays] > 7 * outcome.clock).all()  # a round takes 0.1 s, 0.01 s of CPU and some queueing
    assert 4_000 < outcome.clock < 12_000
    assert outcome.used[0] == pytest.approx(outcome.clock, rel=0.001)  # the low one wants CPU all the time
