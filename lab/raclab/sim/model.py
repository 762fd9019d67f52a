"""The builder: processes, CPUs, locks, mailboxes and cells, written in words; nobody writes row numbers.

A model is built once and run as often as wanted (run.py); building draws no random number.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from raclab.sim import ops
from raclab.sim.ops import CPU, LOCK, MAILBOX, OP, PRIORITIES, PROCESS


@dataclass(frozen=True)
class Distribution:
    """A distribution of times in seconds; make one with Constant, Exponential or Uniform."""

    shape: int
    x: float
    y: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.x) and math.isfinite(self.y) and self.x >= 0 and self.y >= 0):
            raise ValueError(f"a time can't be negative or infinite: {self}")


def Constant(seconds: float) -> Distribution:
    """Always the same time."""
    return Distribution(ops.CONSTANT, seconds)


def Exponential(mean: float) -> Distribution:
    """Exponential times with the given mean in seconds."""
    return Distribution(ops.EXPONENTIAL, mean)


def Uniform(low: float, high: float) -> Distribution:
    """Times spread evenly from low to high, in seconds."""
    return Distribution(ops.UNIFORM, low, high)


@dataclass(eq=False)
class Label:
    """A place in a program that jumps can name before it is placed."""

    index: int = -1


@dataclass(frozen=True)
class Where:
    """What an op is part of, for the tallies: the process, the activity, and the event waited for ("" on CPU)."""

    process: int
    activity: str
    event: str


@dataclass
class Process:
    """The program of one process. Each method appends one op; ops.py says what it does."""

    model: "Model"
    number: int
    name: str
    cpu: int
    priority: int
    essential: bool
    first: int = -1
    _activity: str = ""
    _event: str = ""

    def _add(self, code: int, a: int = 0, b: int = 0, at: int = -1, to: Label | None = None, times: Distribution | None = None) -> None:
        model = self.model
        if model._writing is not self:
            if self.first >= 0:
                raise ValueError(f"the program of {self.name} is finished; each program is written in one piece")
            model._finish_writing()
            model._writing = self
            self.first = len(model.program)
        shape, x, y = (times.shape, times.x, times.y) if times else (0, 0.0, 0.0)
        model.program.append((code, a, b, at, -1, shape, x, y))
        model.targets.append(to)
        model.where.append(Where(self.number, self._activity, self._event))

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
    def loop(self, times: int) -> Iterator[None]:
        """Ops written inside are done so many times (at least once)."""
        if times < 1:
            raise ValueError(f"a loop runs at least once, not {times} times")
        count, top = self.model.cell(), Label()
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
        label.index = len(self.model.program) if self.model._writing is self else -2 - self.number

    def run(self, times: Distribution) -> None:
        """Use a core for a drawn time."""
        self._add(ops.RUN, times=times)

    def delay(self, times: Distribution) -> None:
        """Wait for a drawn time."""
        self._add(ops.DELAY, times=times)

    def acquire(self, lock: int) -> None:
        """Take a lock exclusively, in the order of asking."""
        self._add(ops.ACQUIRE, lock)

    def release(self, lock: int) -> None:
        """Give a lock back."""
        self._add(ops.RELEASE, lock)

    def call(self, mailbox: int, at: int = -1) -> None:
        """Ask a server and wait for it; with ``at``, the server so many mailboxes on as the home of that lock says."""
        self._add(ops.CALL, mailbox, at=at)

    def take(self, mailbox: int, most: int = 0) -> None:
        """As a server, wait for callers and take up to ``most`` of them (0: all)."""
        self._add(ops.TAKE, mailbox, most)

    def done(self) -> None:
        """As a server, let the callers taken go on."""
        self._add(ops.DONE)

    def set_home(self, lock: int, home: int) -> None:
        """Move a lock's home."""
        self._add(ops.SET_HOME, lock, home)

    def jump(self, to: Label) -> None:
        """Go to a label."""
        self._add(ops.JUMP, to=to)

    def jump_if_home(self, lock: int, home: int, to: Label) -> None:
        """Go to a label if the lock's home is ``home``."""
        self._add(ops.JUMP_IF_HOME, lock, home, to=to)

    def jump_if_free(self, lock: int, home: int, to: Label) -> None:
        """Go to a label if the lock's home is ``home`` and nobody holds it."""
        self._add(ops.JUMP_IF_FREE, lock, home, to=to)

    def jump_if_same(self, a: int, b: int, to: Label, at: int = -1) -> None:
        """Go to a label if two cells hold the same."""
        self._add(ops.JUMP_IF_SAME, a, b, at, to)

    def jump_if_positive(self, cell: int, to: Label) -> None:
        """Go to a label if a cell is above 0."""
        self._add(ops.JUMP_IF_POSITIVE, cell, to=to)

    def set(self, cell: int, value: int) -> None:
        """Set a cell."""
        self._add(ops.SET, cell, value)

    def add(self, cell: int, value: int) -> None:
        """Add to a cell."""
        self._add(ops.ADD, cell, value)

    def copy(self, to: int, source: int) -> None:
        """Copy a cell's value into another."""
        self._add(ops.COPY, to, source)

    def note(self, cell: int) -> None:
        """Write down a cell's value with the time; kept if the model has room for notes."""
        self._add(ops.NOTE, cell)

    def end(self) -> None:
        """End the process."""
        self._add(ops.END)


@dataclass
class Model:
    """All that a run needs. Times in seconds.

    horizon   the run stops here at the latest
    notes     room for so many notes; 0 keeps none
    sampling  seconds between two samples of what every process is doing; infinite takes none
    """

    horizon: float = math.inf
    notes: int = 0
    sampling: float = math.inf
    program: list[tuple[int, int, int, int, int, int, float, float]] = field(default_factory=list)
    targets: list[Label | None] = field(default_factory=list)
    where: list[Where] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    cpus: list[tuple[int, float]] = field(default_factory=list)
    homes: list[int] = field(default_factory=list)
    cells: list[int] = field(default_factory=list)
    mailboxes: int = 0
    _writing: Process | None = None

    def cpu(self, cores: int, quantum: float = math.inf) -> int:
        """A CPU with so many cores; a burst longer than ``quantum`` seconds goes to the back of its class's queue."""
        if cores < 1 or not quantum > 0:
            raise ValueError(f"a CPU has at least one core and a quantum above 0, not {cores} and {quantum}")
        self.cpus.append((cores, quantum))
        return len(self.cpus) - 1

    def lock(self, home: int = 0) -> int:
        """An exclusive lock, free; ``home`` is whatever the model wants to remember with it (the node that owns it)."""
        self.homes.append(home)
        return len(self.homes) - 1

    def mailbox(self) -> int:
        """A mailbox for callers; any number of processes may serve it."""
        self.mailboxes += 1
        return self.mailboxes - 1

    def cell(self, value: int = 0) -> int:
        """A whole number that programs can read and change."""
        self.cells.append(value)
        return len(self.cells) - 1

    def event(self, name: str) -> int:
        """The number of an event name."""
        if name not in self.events:
            self.events.append(name)
        return self.events.index(name)

    def process(self, name: str, cpu: int, priority: int = 1, essential: bool = True) -> Process:
        """A process without a program yet; processes start at time 0 in the order in which they are made."""
        if not 0 <= priority < PRIORITIES:
            raise ValueError(f"priority is 0 to {PRIORITIES - 1}, not {priority}")
        made = Process(self, len(self.processes), name, cpu, priority, essential)
        self.processes.append(made)
        return made

    def _finish_writing(self) -> None:
        if self._writing is not None and self.program[-1][0] not in (ops.END, ops.JUMP):
            self._writing.end()
        self._writing = None

    def arrays(self) -> "Arrays":
        """The model as the kernel wants it."""
        self._finish_writing()
        program = np.array(self.program, dtype=OP)
        for row, label in enumerate(self.targets):
            if label is not None:
                owner = self.processes[self.where[row].process]
                to = owner.first if label.index == -2 - owner.number else label.index
                if to < 0:
                    raise ValueError(f"{owner.name} jumps to a label that was never placed")
                program["to"][row] = to
        process = np.zeros(len(self.processes), dtype=PROCESS)
        for p in self.processes:
            if p.first < 0:
                raise ValueError(f"{p.name} has no program")
            process[p.number]["pc"] = p.first
            process[p.number]["cpu"] = p.cpu
            process[p.number]["priority"] = p.priority
            process[p.number]["essential"] = p.essential
        process["next"] = process["core"] = process["taken"] = -1
        process["ended"] = math.nan
        cpu = np.zeros(len(self.cpus), dtype=CPU)
        for number, (cores, quantum) in enumerate(self.cpus):
            cpu[number]["cores"], cpu[number]["quantum"] = cores, quantum
        lock = np.full(len(self.homes), -1, dtype=LOCK)
        lock["home"] = self.homes
        mailbox = np.full(self.mailboxes, -1, dtype=MAILBOX)
        mailbox["count"] = 0
        return Arrays(program, process, cpu, lock, mailbox, np.array(self.cells, dtype=np.int64))


@dataclass(frozen=True)
class Arrays:
    """A model's structured arrays (dtypes in ops.py); the kernel changes all but ``program``."""

    program: np.ndarray
    process: np.ndarray
    cpu: np.ndarray
    lock: np.ndarray
    mailbox: np.ndarray
    cell: np.ndarray

    def copy(self) -> "Arrays":
        """A fresh copy to run on; the program is shared."""
        return Arrays(self.program, self.process.copy(), self.cpu.copy(), self.lock.copy(), self.mailbox.copy(), self.cell.copy())
