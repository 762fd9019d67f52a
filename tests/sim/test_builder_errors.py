"""What a model's author does wrong is said where it is done, in a sentence."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from raclab.errors import LabError
from raclab.sim import Constant, Empirical, Exponential, Label, Model, Process, Uniform, kernel, run, run_seeds
from raclab.sim.ops import CALL
from raclab.sim.run import SimulationError


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def process(model: Model) -> Process:
    return model.process("writer", model.cpu(1))


def test_a_label_that_is_never_placed(model: Model, process: Process) -> None:
    process.jump(Label())
    with pytest.raises(ValueError, match=r"^writer jumps to a label that was never placed$"):
        run(model)


def test_a_label_placed_twice(model: Model, process: Process) -> None:
    label = Label()
    process.place(label)
    process.delay(Constant(1))
    with pytest.raises(ValueError, match=r"^writer places a label that has a place already$"):
        process.place(label)


def test_a_label_in_another_program(model: Model, process: Process) -> None:
    label = Label()
    process.jump(label)
    reader = model.process("reader", 0)
    reader.delay(Constant(1))
    reader.place(label)
    reader.delay(Constant(1))
    with pytest.raises(ValueError, match=r"^writer jumps into the program of reader$"):
        run(model)


def test_programs_may_be_written_in_turns(model: Model, process: Process) -> None:
    reader, label = model.process("reader", 0), Label()
    process.jump(label)
    reader.delay(Constant(1))
    process.delay(Constant(4))
    reader.delay(Constant(2))
    process.place(label)
    assert run(model).ended.tolist() == [0, 3]


@pytest.mark.parametrize(
    "write", [lambda process: process.delay(Constant(1)), lambda process: process.place(Label()), lambda process: process.end()]
)
@pytest.mark.parametrize("look", [run, lambda model: model.program, lambda model: model.where])
def test_a_program_continued_after_a_run(
    model: Model, process: Process, write: Callable[[Process], None], look: Callable[[Model], object]
) -> None:
    """Rows of a result would mean other ops afterwards."""
    process.delay(Constant(1))
    look(model)
    with pytest.raises(ValueError, match=r"^the program of writer is finished: its model has been run or looked at$"):
        write(process)
    assert run(model).clock == 1


def test_another_process_after_a_run(model: Model, process: Process) -> None:
    process.delay(Constant(1))
    assert len(run(model).tally) == 2
    model.process("reader", 0).delay(Constant(3))
    assert run(model).ended.tolist() == [1, 3]


def test_a_process_without_a_program(model: Model, process: Process) -> None:
    with pytest.raises(ValueError, match=r"^writer has no program$"):
        run(model)


@pytest.mark.parametrize(
    "make", [lambda: Constant(-1.0), lambda: Exponential(math.inf), lambda: Uniform(0.0, math.nan), lambda: Uniform(-0.1, 1.0)]
)
def test_a_time_that_is_none(make: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="a time can't be negative or infinite"):
        make()


def test_a_loop_that_never_runs(process: Process) -> None:
    with pytest.raises(ValueError, match="a loop runs at least once, not 0 times"), process.loop(0):
        pass


@pytest.mark.parametrize(("cores", "quantum"), [(0, 1.0), (1, 0.0), (1, -1.0), (1, math.nan)])
def test_a_cpu_that_is_none(model: Model, cores: int, quantum: float) -> None:
    with pytest.raises(ValueError, match="a CPU has at least one core and a quantum above 0"):
        model.cpu(cores, quantum)


@pytest.mark.parametrize("priority", [-1, 4])
def test_a_priority_that_is_none(model: Model, priority: int) -> None:
    with pytest.raises(ValueError, match=f"priority is 0 to 3, not {priority}"):
        model.process("writer", model.cpu(1), priority)


def test_a_cpu_that_is_not_there(model: Model) -> None:
    with pytest.raises(ValueError, match=r"^there is no CPU 0 in this model$"):
        model.process("writer", 0)


@pytest.mark.parametrize(
    ("write", "kind"),
    [
        (lambda process: process.acquire(1), "lock 1"),
        (lambda process: process.release(-1), "lock -1"),
        (lambda process: process.set_home(2, 0), "lock 2"),
        (lambda process: process.jump_if_home(1, 0, Label()), "lock 1"),
        (lambda process: process.jump_if_free(1, 0, Label()), "lock 1"),
        (lambda process: process.call(1), "mailbox 1"),
        (lambda process: process.call(0, at=1), "lock 1"),
        (lambda process: process.take(-1), "mailbox -1"),
        (lambda process: process.set(1, 5), "cell 1"),
        (lambda process: process.add(1, 5), "cell 1"),
        (lambda process: process.copy(0, 1), "cell 1"),
        (lambda process: process.jump_if_same(1, 0, Label()), "cell 1"),
        (lambda process: process.jump_if_same(0, 0, Label(), at=-2), "lock -2"),
        (lambda process: process.jump_if_positive(1, Label()), "cell 1"),
        (lambda process: process.note(1), "cell 1"),
        (lambda process: process.spin(1, Constant(1), Label()), "lock 1"),
        (lambda process: process.send(0, Constant(1)), "link 0"),
        (lambda process: process.wait_for(0), "semaphore 0"),
        (lambda process: process.post(-1), "semaphore -1"),
        (lambda process: process.jump_if_cached(0, 0, Label()), "cache 0"),
        (lambda process: process.drop(0, 0), "cache 0"),
        (lambda process: process.draw(1, 5), "cell 1"),
        (lambda process: process.acquire(0, by=1), "cell 1"),
        (lambda process: process.fetch(0, 1, by=0), "cell 1"),
        (lambda process: process.subtract(0, 1), "cell 1"),
    ],
)
def test_a_number_of_nothing(model: Model, process: Process, write: Callable[[Process], None], kind: str) -> None:
    """The kernel checks no bounds; without this a slip would damage memory."""
    model.lock(), model.mailbox(), model.cell()
    with pytest.raises(ValueError, match=f"^there is no {kind} in this model$"):
        write(process)


def test_a_home_where_nobody_serves(model: Model, process: Process) -> None:
    lock, box = model.lock(), model.mailbox()
    process.call(box, at=lock)
    process.set_home(lock, 1)
    with pytest.raises(ValueError, match=r"^writer asks at the home of lock 0, which can lead where there is nothing to ask$"):
        run(model)
    assert model.program[0][0] == CALL


def test_a_home_that_some_lock_may_get(model: Model, process: Process) -> None:
    """Which lock is moved is known only when the program runs: it may be the one that is asked at."""
    locks, boxes, which = [model.lock(), model.lock()], [model.mailbox(), model.mailbox()], model.cell()
    process.set_home(locks[0], 2, by=which)
    process.call(boxes[0], at=locks[1])
    with pytest.raises(ValueError, match="writer asks at the home of lock 1, which can lead where there is nothing to ask"):
        run(model)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda model: model.link(0), "a link carries something, not 0 bytes a second"),
        (lambda model: model.semaphore(-1), "a semaphore has 0 units or more, not -1"),
        (lambda model: model.cache(0, 5), "a cache has room for one key or more, not 0 of 5"),
    ],
)
def test_parts_that_are_none(model: Model, make: Callable[[Model], int], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        make(model)


@pytest.mark.parametrize("probability", [-0.1, 1.1, math.nan])
def test_a_probability_that_is_none(process: Process, probability: float) -> None:
    with pytest.raises(ValueError, match="a probability is 0 to 1, not "):
        process.jump_by_chance(probability, Label())


def test_nothing_to_draw_from(model: Model, process: Process) -> None:
    with pytest.raises(ValueError, match="there is nothing to draw from 0 numbers"):
        process.draw(model.cell(), 0)


@pytest.mark.parametrize("quantiles", [[], [1.0], [2.0, 1.0], [-1.0, 1.0], [0.0, math.nan, 1.0], [0.0, math.inf]])
def test_an_empirical_distribution_that_is_none(quantiles: list[float]) -> None:
    with pytest.raises(ValueError, match="an empirical distribution needs two quantiles or more, from 0 up and in ascending order"):
        Empirical(quantiles)


def test_homes_below_zero(model: Model, process: Process) -> None:
    with pytest.raises(ValueError, match="a home is 0 or above, not -1"):
        model.lock(home=-1)
    lock = model.lock()
    with pytest.raises(ValueError, match="a home is 0 or above, not -3"):
        process.set_home(lock, -3)


def test_a_stuck_simulation_names_the_first_five(model: Model) -> None:
    cpu, box = model.cpu(1), model.mailbox()
    for number in range(1, 8):
        model.process(f"session {number}", cpu).call(box)
    with pytest.raises(SimulationError) as error:
        run(model)
    assert str(error.value) == (
        "The simulation is stuck: nothing more can happen and session 1, session 2, session 3, session 4, session 5 have not ended."
    )
    assert isinstance(error.value, LabError)


def test_a_stuck_simulation_with_a_horizon_just_ends_there() -> None:
    model = Model(horizon=7)
    model.process("session", model.cpu(1)).call(model.mailbox())
    outcome = run(model)
    assert outcome.clock == 7
    assert math.isnan(outcome.ended[0])


def test_too_many_processes(model: Model) -> None:
    cpu = model.cpu(1)
    model.processes = [Process(model, number, "one", cpu, 1, True) for number in range(kernel.MOST_PROCESSES + 1)]
    with pytest.raises(SimulationError, match=r"^A model has at most 65,536 processes, not 65,537\.$"):
        run(model)


def test_as_many_processes_as_there_may_be() -> None:
    """The last process number uses all bits that an event has for it."""
    model = Model()
    cpu, lock = model.cpu(2), model.lock()
    all_of_them = model.together([model.process(str(number), cpu) for number in range(kernel.MOST_PROCESSES)])
    all_of_them.delay(Constant(1.0))
    all_of_them.acquire(lock)
    all_of_them.release(lock)
    all_of_them.run(Constant(0.5))
    outcome = run(model)
    assert outcome.clock == 1.0 + 0.5 * kernel.MOST_PROCESSES / 2
    assert (outcome.ended == 1.5 + 0.5 * (np.arange(kernel.MOST_PROCESSES) // 2)).all()


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "1"])
def test_a_seed_that_is_none(model: Model, process: Process, seed: int) -> None:
    process.delay(Exponential(1))
    with pytest.raises(SimulationError, match=r"^A seed is a whole number from 0 to 9223372036854775807, not "):
        run_seeds(model, [1, seed])
