"""Small programs whose schedule can be worked out on paper: each op does what ops.py says, to the instant."""

import math

import numpy as np
import pytest

from raclab.sim import Constant, Exponential, Label, Model, Process, Run, run
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

    def test_a_better_class_that_waits_is_served_at_the_end_of_the_slice(self) -> None:
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
            ("insert", ""), ("update", "log file sync"), ("update", "log file sync"), ("update", "log file sync"), ("insert", ""), ("", "")
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

    def test_an_event_at_the_horizon_still_happens(self) -> None:
        bench = Bench(horizon=9)
        bench.process("a", after=9)
        assert bench.ends() == {"a": 9}

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
    assert outcome.events > 100_000
    assert outcome.used[0] <= outcome.clock
