"""What must hold for any program: Hypothesis writes random ones."""

import math
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from raclab.sim import Constant, Distribution, Exponential, Label, Model, Process, Run, Uniform, ops, run, run_seeds
from raclab.sim.run import MOST_SEED, SimulationError

TIMED = (ops.RUN, ops.DELAY, ops.ACQUIRE, ops.CALL, ops.TAKE, ops.SPIN, ops.SEND, ops.WAIT)
LOCKS, BOXES, CPUS = 3, 2, 2
SEMAPHORE = LOCKS  # comes after the locks in the order in which things are taken
ALONE = 1000  # what one who holds a lock exclusively adds to the count of those inside
ROUNDING = 1e-9

often = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])

times = st.one_of(
    st.sampled_from([0.0, 0.5, 1.0, 2.0]).map(Constant),
    st.floats(0.01, 3.0).map(Exponential),
    st.tuples(st.floats(0, 1), st.floats(1, 3)).map(lambda ends: Uniform(*ends)),
)


@dataclass
class Step:
    """One thing that a process does; ``hold``, ``share``, ``spin``, ``enter`` and ``loop`` have steps inside."""

    kind: str
    times: Distribution = field(default_factory=lambda: Constant(1.0))
    number: int = 0
    inside: list["Step"] = field(default_factory=list)


def steps(depth: int, ordered: bool) -> st.SearchStrategy[list[Step]]:
    simple = [
        st.builds(Step, st.sampled_from(["delay", "run", "waiting"]), times),
        st.builds(Step, st.just("call"), number=st.integers(0, BOXES - 1)),
        st.builds(Step, st.sampled_from(["send", "perhaps", "read"]), times),
    ]
    if not depth:
        return st.lists(st.one_of(*simple), min_size=1, max_size=3)
    nested = [
        st.builds(Step, st.sampled_from(["hold", "share", "spin"]), times, st.integers(0, LOCKS - 1), steps(depth - 1, ordered)),
        st.builds(Step, st.just("enter"), number=st.just(SEMAPHORE), inside=steps(depth - 1, ordered)),
        st.builds(Step, st.just("loop"), number=st.integers(1, 3), inside=steps(depth - 1, ordered)),
    ]
    return st.lists(st.one_of(*simple, *nested), min_size=1, max_size=4)


@dataclass
class Program:
    """A random model: what its CPUs, servers and clients are."""

    cpus: list[tuple[int, float]]
    servers: list[tuple[int, int, int, int, Distribution]]  # mailbox, how many to take, cpu, priority, time of service
    clients: list[tuple[int, int, list[Step]]]  # cpu, priority, what it does
    ordered: bool
    units: int = 1

    def build(self, sampling: float = math.inf, horizon: float = math.inf, locks: bool = True) -> Model:
        model = Model(notes=20_000, sampling=sampling, horizon=horizon)
        for cores, quantum in self.cpus:
            model.cpu(cores, quantum)
        for _ in range(LOCKS):
            model.lock()
        for _ in range(BOXES):
            model.mailbox()
        model.link(10.0)
        model.semaphore(self.units)
        model.cache(3, 6)
        inside = [model.cell() for _ in range(LOCKS + 1)]
        for number, (box, most, cpu, priority, service) in enumerate(self.servers):
            server = model.process(f"server {number}", cpu, priority, essential=False)
            with server.forever():
                server.take(box, most)
                server.run(service)
                server.done()
        for number, (cpu, priority, todo) in enumerate(self.clients):
            client = model.process(f"client {number}", cpu, priority)
            self._write(client, todo, inside, [], locks)
            client.end()
        return model

    def _write(self, client: Process, todo: list[Step], inside: list[int], held: list[int], locks: bool) -> None:
        for step in todo:
            if step.kind == "delay":
                client.delay(step.times)
            elif step.kind == "run":
                client.run(step.times)
            elif step.kind == "waiting":
                with client.wait("something"):
                    client.delay(step.times)
            elif step.kind == "call":
                client.call(step.number)
            elif step.kind == "send":
                client.send(0, step.times)
            elif step.kind == "perhaps":
                skip = Label()
                client.jump_by_chance(0.5, skip)
                client.delay(step.times)
                client.place(skip)
            elif step.kind == "read":
                hit, key = Label(), client.model.cell()
                client.draw(key, 6)
                client.jump_if_cached(0, key, hit)
                client.delay(step.times)
                client.place(hit)
            elif step.kind == "loop":
                with client.loop(step.number):
                    self._write(client, step.inside, inside, held, locks)
            elif step.number in held or (self.ordered and any(step.number < lock for lock in held)):
                self._write(client, step.inside, inside, held, locks)  # holds it already, or might deadlock
            else:
                self._hold(client, step, inside, [*held, step.number], locks)

    def _hold(self, client: Process, step: Step, inside: list[int], held: list[int], locks: bool) -> None:
        """Take what the step names, note how many are inside, do the steps inside, note again, and give it back."""
        given_up = Label()
        if step.kind == "spin" and locks:
            client.spin(step.number, step.times, given_up)
        elif step.kind == "enter":
            client.wait_for(0)
        elif locks:
            client.acquire(step.number, shared=step.kind == "share")
        counts = 1 if step.kind in ("share", "enter") else ALONE
        client.add(inside[step.number], counts)
        client.note(inside[step.number])
        self._write(client, step.inside, inside, held, locks)
        client.note(inside[step.number])
        client.add(inside[step.number], -counts)
        if step.kind == "enter":
            client.post(0)
        elif locks:
            client.release(step.number)
        client.place(given_up)


def programs(ordered: bool = True) -> st.SearchStrategy[Program]:
    cpu = st.tuples(st.integers(1, 3), st.sampled_from([math.inf, 0.3, 0.05]))
    on, priority = st.integers(0, CPUS - 1), st.integers(0, ops.PRIORITIES - 1)
    some_servers = [
        st.lists(st.tuples(st.just(box), st.integers(0, 2), on, priority, times), min_size=1, max_size=2) for box in range(BOXES)
    ]
    return st.builds(
        lambda cpus, servers, clients, units: Program(cpus, [one for box in servers for one in box], clients, ordered, units),
        st.lists(cpu, min_size=CPUS, max_size=CPUS),
        st.tuples(*some_servers),
        st.lists(st.tuples(on, priority, steps(2, ordered)), min_size=1, max_size=5),
        st.integers(1, 2),
    )


seeds = st.integers(0, MOST_SEED)


def owner(model: Model) -> np.ndarray:
    return np.array([where.process for where in model.where])


def same(one: Run, other: Run, *, samples: bool = True) -> bool:
    names = ["clock", "ended", "tally", "waits", "cells", "homes", "used", "notes", "events", *(["sampled", "samples"] if samples else [])]
    return all(_bytes(getattr(one, name)) == _bytes(getattr(other, name)) for name in names)


def _bytes(value: object) -> bytes:
    return np.asarray(value).tobytes()


@often
@given(programs(), seeds)
def test_every_process_ends_and_its_whole_time_is_accounted_for(program: Program, seed: int) -> None:
    model = program.build()
    outcome = run(model, seed)
    mine = owner(model)
    for process in model.processes:
        rows = mine == process.number
        if process.essential:
            spent = outcome.tally["time"][rows].sum()
            assert outcome.ended[process.number] <= outcome.clock
            assert spent == pytest.approx(outcome.ended[process.number], rel=ROUNDING, abs=ROUNDING)
        else:
            assert math.isnan(outcome.ended[process.number])
            assert outcome.tally["time"][rows].sum() <= outcome.clock * (1 + ROUNDING)
    assert outcome.clock == max(outcome.ended[p.number] for p in model.processes if p.essential)


@often
@given(programs(), seeds)
def test_cpu_time_is_what_was_asked_for_and_never_more_than_the_cores_have(program: Program, seed: int) -> None:
    model = program.build()
    outcome = run(model, seed)
    on = np.array([process.cpu for process in model.processes])[owner(model)]
    for cpu, (cores, _) in enumerate(program.cpus):
        used = outcome.used[cpu]
        assert 0 <= used <= cores * outcome.clock * (1 + ROUNDING)
        assert used == pytest.approx(outcome.tally["cpu"][on == cpu].sum(), rel=ROUNDING, abs=ROUNDING)
    for row, (code, *_, law, x, _) in enumerate(model.program):
        tally = outcome.tally[row]
        assert tally["time"] >= tally["longest"] >= 0
        assert tally["time"] >= tally["cpu"] * (1 - ROUNDING)
        essential = model.processes[model.where[row].process].essential
        if code == ops.RUN and law == ops.CONSTANT and essential:
            assert tally["cpu"] == pytest.approx(tally["hits"] * x, rel=ROUNDING, abs=ROUNDING)
        if code == ops.DELAY and law == ops.CONSTANT:
            assert tally["time"] == pytest.approx(tally["hits"] * x, rel=ROUNDING, abs=ROUNDING)
        if code not in (ops.RUN, ops.SPIN):
            assert tally["cpu"] == 0
        if code not in TIMED:
            assert tally.tolist() == (0, 0.0, 0.0, 0.0)


@often
@given(programs(), seeds)
def test_a_lock_never_has_two_holders_and_time_never_runs_backwards(program: Program, seed: int) -> None:
    """Inside is one alone, or sharers alone; and inside the semaphore no more than it has units."""
    outcome = run(program.build(), seed)
    assert set(outcome.notes["value"].tolist()) <= {*range(1, len(program.clients) + 1), ALONE}
    assert (np.diff(outcome.notes["time"]) >= 0).all()
    assert (outcome.notes["time"] <= outcome.clock).all()
    assert not outcome.cells[: LOCKS + 1].any()


def test_without_the_lock_there_are_two_holders() -> None:
    """The check above can fail: the same program with its locks left out."""
    both = [(0, 1, [Step("hold", number=0, inside=[Step("delay")])])] * 2
    program = Program([(1, math.inf)] * 2, [], both, ordered=True)
    assert run(program.build(locks=False)).notes["value"].max() == 2 * ALONE
    assert run(program.build()).notes["value"].max() == ALONE


@often
@given(programs(), seeds)
def test_no_more_enter_than_a_semaphore_has_units_and_no_more_is_cached_than_there_is_room(program: Program, seed: int) -> None:
    """Only the semaphore's notes: the same program with everything else taken out of what is noted."""
    only = Program(program.cpus, program.servers, [(cpu, p, _entering(todo)) for cpu, p, todo in program.clients], True, program.units)
    outcome = run(only.build(), seed)
    assert outcome.notes["value"].max(initial=0) <= program.units
    assert (outcome.caches["used"] <= 3).all()
    reads = outcome.caches["hits"] + outcome.caches["misses"]
    assert (reads >= outcome.caches["used"]).all()


def _entering(todo: list[Step]) -> list[Step]:
    """The steps with every lock replaced by a delay."""
    return [
        Step("delay") if step.kind in ("hold", "share", "spin") else Step(step.kind, step.times, step.number, _entering(step.inside))
        for step in todo
    ]


def test_a_semaphore_of_two_lets_two_enter() -> None:
    both = [(0, 1, [Step("enter", number=SEMAPHORE, inside=[Step("delay")])])] * 3
    for units in (1, 2, 3):
        assert run(Program([(1, math.inf)] * 2, [], both, True, units).build()).notes["value"].max() == units


@often
@given(programs(), seeds)
def test_a_link_carries_no_more_than_its_bandwidth(program: Program, seed: int) -> None:
    model = program.build()
    outcome = run(model, seed)
    assert outcome.sent[0] <= 10.0 * outcome.clock * (1 + ROUNDING)
    sends = [row for row, op in enumerate(model.program) if op[0] == ops.SEND]
    assert outcome.tally["time"][sends].sum() >= outcome.sent[0] / 10.0 * (1 - ROUNDING)


@often
@given(programs(), seeds)
def test_a_wait_is_the_sum_of_the_ops_in_it(program: Program, seed: int) -> None:
    model = program.build()
    assume("something" in model.events)
    outcome = run(model, seed)
    rows = np.array([where.event == "something" for where in model.where]) & np.isin([op[0] for op in model.program], TIMED)
    mine = owner(model)
    for process in model.processes:
        wait, tally = outcome.waits[process.number, 0], outcome.tally[rows & (mine == process.number)]
        assert wait["hits"] == tally["hits"].sum()
        assert wait["time"] == pytest.approx(tally["time"].sum(), rel=ROUNDING, abs=ROUNDING)
        assert wait["longest"] == tally["longest"].max(initial=0.0) == pytest.approx(tally["longest"].max(initial=0.0))


@often
@given(programs(), seeds)
def test_the_same_seed_gives_the_same_run_on_any_thread_and_leaves_the_model_alone(program: Program, seed: int) -> None:
    some = [seed, seed // 2, 7, seed]
    model = program.build()
    together = run_seeds(model, some)
    assert all(same(one, run(program.build(), number)) for one, number in zip(together, some, strict=True))
    assert same(together[0], together[3])


@often
@given(programs(), seeds, st.sampled_from([0.01, 0.3, 5.0]))
def test_looking_at_the_processes_changes_nothing(program: Program, seed: int, sampling: float) -> None:
    model = program.build(sampling=sampling)
    watched, alone = run(model, seed), run(program.build(), seed)
    assert same(watched, alone, samples=False)
    assert len(alone.sampled) == 0
    assert (np.diff(watched.sampled) > 0).all()
    assert (watched.sampled <= watched.clock).all()
    codes = np.array([op[0] for op in model.program])
    for process in model.processes:
        seen = watched.samples[:, process.number]
        at = seen[seen >= 0]
        assert np.isin(codes[at], TIMED).all()
        assert (owner(model)[at] == process.number).all()
        if process.essential:
            assert ((seen >= 0) == (watched.sampled <= watched.ended[process.number])).all()


@often
@given(programs(ordered=False), seeds)
def test_a_run_ends_or_says_who_is_stuck(program: Program, seed: int) -> None:
    """Locks taken in any order: some programs deadlock. With a horizon the same run shows who has not ended."""
    late = run(program.build(horizon=1e6), seed)
    clients = [process for process in program.build().processes if process.essential]
    stuck = [process.name for process in clients if math.isnan(late.ended[process.number])]
    if not stuck:
        assert run(program.build(), seed).clock == late.clock < 1e6
        return
    with pytest.raises(SimulationError) as error:
        run(program.build(), seed)
    assert str(error.value) == f"The simulation is stuck: nothing more can happen and {', '.join(stuck)} have not ended."
    assert late.clock == 1e6
    assert len(stuck) > 1


def test_a_deadlock_happens() -> None:
    """The test above sees both ends of its choice."""
    crossed = [
        (0, 1, [Step("hold", number=first, inside=[Step("delay"), Step("hold", number=1 - first, inside=[Step("delay")])])])
        for first in (0, 1)
    ]
    program = Program([(1, math.inf)] * 2, [], crossed, ordered=False)
    with pytest.raises(SimulationError, match="client 0, client 1 have not ended"):
        run(program.build())
