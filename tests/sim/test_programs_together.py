"""One program for many processes is, op for op, what one program each would be."""

from collections.abc import Callable

import numpy as np
import pytest

from raclab.sim import Constant, Distribution, Empirical, Exponential, Label, Model, Number, Process, Program, Run, Uniform, run

PROCESSES = 5


def built(together: bool, stride: int = 1) -> Model:
    """Processes with locks, cells, mailboxes, times and loops of their own, written once for all or once each.

    With a stride of 2, another process stands between any two, so that the copies don't stand next to each other.
    """
    model = Model(sampling=0.5)
    cpus = [model.cpu(1) for _ in range(2)]
    locks, boxes, shared = model.lock_row(range(PROCESSES)), [model.mailbox() for _ in range(2)], model.cell()
    for box in boxes:
        server = model.process("server", cpus[0], 0, essential=False)
        with server.forever():
            server.take(box, 1)
            server.run(Uniform(0.01, 0.03))
            server.done()
    made = [model.process(f"client {number}", cpus[number % 2]) for number in range(PROCESSES * stride)]
    clients = made[::stride]
    for other in made:
        if other not in clients:
            other.delay(Exponential(0.3))
            other.add(shared, 1)

    def write(client: Program, number: Number, pauses: list[Distribution]) -> None:
        count, mine = client.cell(), client.cell(number)
        elsewhere, done = Label(), Label()
        client.delay(pauses)
        with client.loop(3 + number), client.activity("work"):
            client.run(Exponential(0.1))
            client.acquire(locks, by=mine)
            client.add(count, 1)
            client.jump_by_chance(0.4, elsewhere)
            with client.wait("call"):
                client.call(boxes[0] + number % 2)
            client.jump(done)
            client.place(elsewhere)
            client.set_home(locks + number, number)
            with client.wait("pause"):
                client.delay(Uniform(0.0, 0.2))
            client.place(done)
            client.release(locks, by=mine)
        client.add(shared, number)

    pauses = [Constant(0.1 * number) for number in range(PROCESSES)]
    if together:
        write(model.together(clients), np.arange(PROCESSES), pauses)
    else:
        for number, client in enumerate(clients):
            write(client, number, pauses[number : number + 1])
    return model


def digest(outcome: Run) -> dict[str, bytes]:
    names = ("clock", "ended", "tally", "waits", "homes", "used", "sampled", "samples", "events")
    return {name: np.asarray(getattr(outcome, name)).tobytes() for name in names}


@pytest.mark.parametrize("stride", [1, 2])
def test_a_shared_program_gives_the_same_run(stride: int) -> None:
    once, each = built(True, stride), built(False, stride)
    for seed in (1, 2, 3):
        one, other = run(once, seed), run(each, seed)
        assert digest(one) == digest(other)
        assert sorted(one.cells) == sorted(other.cells)
    assert list(once.where) == list(each.where)
    for name in ("code", "to", "law", "x", "y", "at"):
        assert (once.program[name] == each.program[name]).all()


def test_where_as_arrays() -> None:
    model = built(True)
    where = model.where
    assert where.process.tolist() == [place.process for place in where]
    assert where.activity.tolist() == [place.activity for place in where]
    assert where.event.tolist() == [place.event or None for place in where]
    assert where.activity_is("work").tolist() == [place.activity == "work" for place in where]
    assert where.event_is("call", "pause").tolist() == [place.event in ("call", "pause") for place in where]
    events = ["pause", "call"]
    assert where.event_among(events).tolist() == [events.index(p.event) if p.event else -1 for p in where]
    assert where.activity_among(["work"]).tolist() == [0 if place.activity == "work" else -1 for place in where]
    assert [where[row] for row in range(3)] == where[:3]
    assert where[-1] == list(where)[-1]


def a_model() -> tuple[Model, list[Process]]:
    model = Model()
    cpu = model.cpu(1)
    model.lock(), model.cell()
    return model, [model.process(name, cpu) for name in ("first", "second")]


@pytest.mark.parametrize(
    ("write", "sentence"),
    [
        (lambda program: program.acquire(np.array([0, 1])), "there is no lock 1 in this model"),
        (lambda program: program.acquire(np.array([-1, 0])), "there is no lock -1 in this model"),
        (lambda program: program.add(np.array([0]), 1), r"first and others need one number each, not an array of shape \(1,\)"),
        (lambda program: program.delay([Constant(1)]), "first and others need one distribution each, not 1"),
        (lambda program: program.set_home(0, np.array([0, -3])), "a home is 0 or above, not -3"),
        (lambda program: program.processes[1].delay(Constant(1)), "second has its program together with others"),
        (lambda program: program.model.together(program.processes), "first has a program already"),
        (lambda program: program.model.together([]), "a program needs a process to do it"),
    ],
)
def test_what_is_wrong_is_said(write: Callable[[Program], object], sentence: str) -> None:
    model, processes = a_model()
    program = model.together(processes)
    with pytest.raises(ValueError, match=f"^{sentence}$"), program.loop(np.array([1, 2])):
        write(program)


def test_a_loop_that_never_runs_for_one_of_them() -> None:
    model, processes = a_model()
    program = model.together(processes)
    with pytest.raises(ValueError, match="a loop runs at least once, not 0 times"), program.loop(np.array([2, 0])):
        pass


def test_a_number_that_no_op_has_room_for() -> None:
    model, processes = a_model()
    model.together(processes).set(0, np.array([0, 2**40]))
    with pytest.raises(OverflowError, match="first and others use a number that is too large"):
        run(model)


def test_a_label_of_another_program() -> None:
    model, processes = a_model()
    third, label = model.process("third", 0), Label()
    third.place(label)
    third.delay(Constant(1))
    model.together(processes).jump(label)
    with pytest.raises(ValueError, match=r"^first jumps into the program of third$"):
        run(model)


def test_measured_times_are_kept_once() -> None:
    model, processes = a_model()
    program = model.together(processes)
    program.delay(Empirical([1.0, 2.0]))
    program.delay([Empirical([1.0, 2.0]), Empirical([3.0, 4.0])])
    assert model.table == [1.0, 2.0, 3.0, 4.0]
    assert all(4.0 <= end <= 6.0 or 2.0 <= end <= 4.0 for end in run(model).ended)
