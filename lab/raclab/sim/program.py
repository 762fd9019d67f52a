"""What processes do, written in words: one program for one process, or one for many that do the same with other numbers.

Wherever a program names a lock, a cell, a mailbox and so on, it may give one number for all its processes, or one for each of them
(a numpy array in the order of the processes). So the cost of writing does not grow with the number of processes (rows.py copies the text).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from raclab.sim import ops
from raclab.sim.times import Constant, Distribution

if TYPE_CHECKING:
    from raclab.sim.model import Model

Number = int | NDArray[np.int64]
"""A number of something, or a value: the same for all processes of a program, or one for each of them."""

Times = Distribution | Sequence[Distribution]
"""A distribution: the same for all processes of a program, or one for each of them."""


def is_given(number: Number) -> bool:
    """Whether an ``at`` or ``by`` names anything: -1, which stands for nothing, does not."""
    return isinstance(number, np.ndarray) or number != -1


@dataclass(eq=False)
class Label:
    """A place in a program that jumps can name before it is placed: the line of the program that comes next."""

    program: "Program | None" = None
    line: int = -1


class Line(NamedTuple):
    """One op of a program; ops.py says what its numbers mean. Any but ``code`` may be an array of one number a process."""

    code: int
    a: Number
    b: Number
    at: Number
    by: Number
    law: Number
    x: float | NDArray[np.float64]
    y: float | NDArray[np.float64]
    to: Label | None
    activity: str
    event: str


class Program:
    """The program of one or several processes. Each method appends one op; ops.py says what it does."""

    __slots__ = ("_activity", "_event", "finished", "lines", "model", "processes")

    def __init__(self, model: "Model", processes: "Sequence[Process]") -> None:
        self.model = model
        self.processes = processes
        self.lines: list[Line] = []
        self.finished = False
        self._activity = ""
        self._event = ""

    @property
    def title(self) -> str:
        """How messages name it: by the first of its processes."""
        return self.processes[0].name

    def _add(
        self,
        code: int,
        a: Number = 0,
        b: Number = 0,
        *,
        at: Number = -1,
        by: Number = -1,
        to: Label | None = None,
        times: Times | None = None,
    ) -> None:
        self._may_go_on()
        law, x, y = self._numbers_of(times) if times is not None else (0, 0.0, 0.0)
        self.model.check_numbers(code, a, b, at, by)
        for number in (a, b, at, by):
            if isinstance(number, np.ndarray) and number.shape != (len(self.processes),):
                raise ValueError(f"{self.title} and others need one number each, not an array of shape {number.shape}")
        self.lines.append(Line(code, a, b, at, by, law, x, y, to, self._activity, self._event))

    def _may_go_on(self) -> None:
        if self.finished:
            raise ValueError(f"the program of {self.title} is finished: its model has been run or looked at")

    def _numbers_of(self, times: Times) -> tuple[Number, float | NDArray[np.float64], float | NDArray[np.float64]]:
        if isinstance(times, Distribution):
            return self.model.numbers_of(times)
        if len(times) != len(self.processes):
            raise ValueError(f"{self.title} and others need one distribution each, not {len(times)}")
        laws, xs, ys = zip(*map(self.model.numbers_of, times), strict=True)
        return np.array(laws), np.array(xs), np.array(ys)

    def finish(self) -> None:
        """Nothing is added from now on; the last op is an END, even after a jump: a label may have been placed behind it."""
        if not self.finished:
            self.end()
            self.finished = True

    def cell(self, value: Number = 0) -> Number:
        """A new cell, one for each process."""
        if len(self.processes) == 1 and not isinstance(value, np.ndarray):
            return self.model.cell(value)
        count = len(self.processes)
        return self.model.cell_row(np.broadcast_to(value, count).tolist()) + np.arange(count)

    @contextmanager
    def activity(self, name: str) -> Iterator[None]:
        """Ops written inside count towards this activity (a statement, say)."""
        before, self._activity = self._activity, name
        yield
        self._activity = before

    @contextmanager
    def wait(self, event: str) -> Iterator[None]:
        """Ops written inside are, together, one wait for this event. No jump may lead in or out; waits don't nest."""
        self._event = event
        self._add(ops.MARK)
        yield
        self._add(ops.WAITED, self.model.event(event))
        self._event = ""

    @contextmanager
    def loop(self, times: Number) -> Iterator[None]:
        """Ops written inside are done so many times (at least once)."""
        if np.min(times) < 1:
            raise ValueError(f"a loop runs at least once, not {np.min(times)} times")
        count, top = self.cell(), Label()
        self.set(count, times)
        self.place(top)
        yield
        self._add(ops.LOOP, count, to=top)

    @contextmanager
    def forever(self) -> Iterator[None]:
        """Ops written inside are done until the run ends."""
        top = Label()
        self.place(top)
        yield
        self.jump(top)

    def place(self, label: Label) -> None:
        """The next op is where jumps to this label lead."""
        self._may_go_on()
        if label.program is not None:
            raise ValueError(f"{self.title} places a label that has a place already")
        label.program, label.line = self, len(self.lines)

    def run(self, times: Times) -> None:
        """Use a core for a drawn time."""
        self._add(ops.RUN, times=times)

    def delay(self, times: Times) -> None:
        """Wait for a drawn time."""
        self._add(ops.DELAY, times=times)

    def acquire(self, lock: Number, *, shared: bool = False, by: Number = -1) -> None:
        """Take a lock, exclusively or shared, in the order of asking."""
        self._add(ops.ACQUIRE, lock, int(shared), by=by)

    def release(self, lock: Number, *, by: Number = -1) -> None:
        """Give a lock back."""
        self._add(ops.RELEASE, lock, by=by)

    def spin(self, lock: Number, most: Times, otherwise: Label, *, by: Number = -1) -> None:
        """Use a core until the lock is free and then take it; after ``most`` seconds of CPU give up and go to ``otherwise``."""
        self._add(ops.SPIN, lock, by=by, to=otherwise, times=most)

    def call(self, mailbox: Number, *, at: Number = -1, by: Number = -1) -> None:
        """Ask a server and wait for it; with ``at``, the server so many mailboxes on as the home of that lock says."""
        self._add(ops.CALL, mailbox, at=at, by=by)

    def take(self, mailbox: Number, most: int = 0) -> None:
        """As a server, wait for callers and take up to ``most`` of them (0: all)."""
        self._add(ops.TAKE, mailbox, most)

    def done(self) -> None:
        """As a server, let the callers taken go on."""
        self._add(ops.DONE)

    def send(self, link: Number, sizes: Times, *, at: Number = -1, by: Number = -1) -> None:
        """Put a drawn number of bytes on a link and wait until they have left; behind those that are on it already."""
        self._add(ops.SEND, link, at=at, by=by, times=sizes)

    def wait_for(self, semaphore: Number, *, by: Number = -1) -> None:
        """Take one unit of a semaphore, in the order of asking."""
        self._add(ops.WAIT, semaphore, by=by)

    def post(self, semaphore: Number, units: int = 1, *, by: Number = -1) -> None:
        """Give units to a semaphore."""
        self._add(ops.POST, semaphore, units, by=by)

    def jump_if_cached(self, cache: Number, key: Number, to: Label, *, by: Number = -1) -> None:
        """Go to a label if a cache has the key in cell ``key``; if not, it has it from now on, and the least recently used may go."""
        self._add(ops.LOOKUP, cache, key, by=by, to=to)

    def drop(self, cache: Number, key: Number, *, by: Number = -1) -> None:
        """Make a cache forget the key in cell ``key``."""
        self._add(ops.DROP, cache, key, by=by)

    def set_home(self, lock: Number, home: Number, *, by: Number = -1) -> None:
        """Move a lock's home."""
        self._add(ops.SET_HOME, lock, home, by=by)

    def jump(self, to: Label) -> None:
        """Go to a label."""
        self._add(ops.JUMP, to=to)

    def jump_by_chance(self, probability: float, to: Label) -> None:
        """Go to a label with a probability."""
        if not 0 <= probability <= 1:
            raise ValueError(f"a probability is 0 to 1, not {probability}")
        self._add(ops.CHANCE, to=to, times=Constant(probability))

    def jump_if_home(self, lock: Number, home: Number, to: Label, *, by: Number = -1) -> None:
        """Go to a label if the lock's home is ``home``."""
        self._add(ops.JUMP_IF_HOME, lock, home, by=by, to=to)

    def jump_if_free(self, lock: Number, home: Number, to: Label, *, by: Number = -1) -> None:
        """Go to a label if the lock's home is ``home`` and nobody holds it."""
        self._add(ops.JUMP_IF_FREE, lock, home, by=by, to=to)

    def jump_if_same(self, a: Number, b: Number, to: Label, *, at: Number = -1, by: Number = -1) -> None:
        """Go to a label if two cells hold the same."""
        self._add(ops.JUMP_IF_SAME, a, b, at=at, by=by, to=to)

    def jump_if_positive(self, cell: Number, to: Label, *, by: Number = -1) -> None:
        """Go to a label if a cell is above 0."""
        self._add(ops.JUMP_IF_POSITIVE, cell, by=by, to=to)

    def draw(self, cell: Number, count: int) -> None:
        """Set a cell to a whole number from 0 to count - 1, each as likely."""
        if count < 1:
            raise ValueError(f"there is nothing to draw from {count} numbers")
        self._add(ops.DRAW, cell, count)

    def set(self, cell: Number, value: Number, *, by: Number = -1) -> None:
        """Set a cell."""
        self._add(ops.SET, cell, value, by=by)

    def add(self, cell: Number, value: Number, *, by: Number = -1) -> None:
        """Add to a cell."""
        self._add(ops.ADD, cell, value, by=by)

    def copy(self, to: Number, source: Number, *, by: Number = -1) -> None:
        """Copy a cell's value into another."""
        self._add(ops.COPY, to, source, by=by)

    def fetch(self, to: Number, source: Number, *, by: Number) -> None:
        """Copy one of many cells, ``source`` plus what cell ``by`` holds, into another."""
        self._add(ops.FETCH, to, source, by=by)

    def subtract(self, cell: Number, other: Number) -> None:
        """Subtract what another cell holds."""
        self._add(ops.SUBTRACT, cell, other)

    def note(self, cell: Number) -> None:
        """Write down a cell's value with the time; kept if the model has room for notes."""
        self._add(ops.NOTE, cell)

    def end(self) -> None:
        """End the process."""
        self._add(ops.END)


class Process(Program):
    """One process, and the program that it has for itself unless it shares one with others (Model.together).

    cpu, priority  the CPU that it runs on, and its class there; essential: the run ends when all essential processes have ended
    """

    __slots__ = ("cpu", "essential", "name", "number", "priority", "program")

    def __init__(self, model: "Model", number: int, name: str, cpu: int, priority: int = 1, essential: bool = True) -> None:
        super().__init__(model, ())
        self.number, self.name, self.cpu, self.priority, self.essential = number, name, cpu, priority, essential
        self.processes = (self,)
        self.program: Program = self

    def _may_go_on(self) -> None:
        if self.program is not self:
            raise ValueError(f"{self.name} has its program together with others")
        super()._may_go_on()
