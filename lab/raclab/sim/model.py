"""The builder: processes, CPUs, locks, mailboxes and cells, written in words; nobody writes row numbers.

A model is built once and run as often as wanted (run.py); building draws no random number.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise

import numpy as np

from raclab.sim import ops
from raclab.sim.ops import CACHE, CPU, LINK, LOCK, MAILBOX, OP, PLACE, PRIORITIES, PROCESS, SEMAPHORE


@dataclass(frozen=True)
class Distribution:
    """A distribution of times in seconds; make one with Constant, Exponential, Uniform or Empirical."""

    law: int
    x: float
    y: float = 0.0
    quantiles: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not (math.isfinite(self.x) and math.isfinite(self.y) and self.x >= 0 and self.y >= 0):
            raise ValueError(f"a time can't be negative or infinite: {self}")


def Constant(seconds: float) -> Distribution:
    """Always the same time (or number of bytes)."""
    return Distribution(ops.CONSTANT, seconds)


def Exponential(mean: float) -> Distribution:
    """Exponential times with the given mean in seconds."""
    return Distribution(ops.EXPONENTIAL, mean)


def Empirical(quantiles: Sequence[float]) -> Distribution:
    """Times whose quantiles were measured: evenly spaced from the smallest to the largest time, in seconds; linear between them."""
    if len(quantiles) < 2 or not all(0 <= earlier <= later < math.inf for earlier, later in pairwise(quantiles)):
        raise ValueError("an empirical distribution needs two quantiles or more, from 0 up and in ascending order")
    return Distribution(ops.EMPIRICAL, quantiles[0], quantiles[-1], tuple(quantiles))


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

    def _add(
        self,
        code: int,
        a: int = 0,
        b: int = 0,
        *,
        at: int = -1,
        by: int = -1,
        to: Label | None = None,
        times: Distribution | None = None,
    ) -> None:
        model = self.model
        if model._writing is not self:
            if self.first >= 0:
                raise ValueError(f"the program of {self.name} is finished; each program is written in one piece")
            model._finish_writing()
            model._writing = self
            self.first = len(model.program)
        law, x, y = model._numbers_of(times) if times else (0, 0.0, 0.0)
        model._check_numbers(code, a, b, at, by)
        model.program.append((code, a, b, at, by, -1, law, x, y))
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
        if self.first >= 0 and self.model._writing is not self:
            raise ValueError(f"the program of {self.name} is finished; no label can be placed in it any more")
        if label.index != -1:
            raise ValueError(f"{self.name} places a label that has a place already")
        label.index = len(self.model.program) if self.model._writing is self else -2 - self.number

    def run(self, times: Distribution) -> None:
        """Use a core for a drawn time."""
        self._add(ops.RUN, times=times)

    def delay(self, times: Distribution) -> None:
        """Wait for a drawn time."""
        self._add(ops.DELAY, times=times)

    def acquire(self, lock: int, *, shared: bool = False, by: int = -1) -> None:
        """Take a lock, exclusively or shared, in the order of asking."""
        self._add(ops.ACQUIRE, lock, int(shared), by=by)

    def release(self, lock: int, *, by: int = -1) -> None:
        """Give a lock back."""
        self._add(ops.RELEASE, lock, by=by)

    def spin(self, lock: int, most: Distribution, otherwise: Label, *, by: int = -1) -> None:
        """Use a core until the lock is free and then take it; after ``most`` seconds of CPU give up and go to ``otherwise``."""
        self._add(ops.SPIN, lock, by=by, to=otherwise, times=most)

    def call(self, mailbox: int, *, at: int = -1, by: int = -1) -> None:
        """Ask a server and wait for it; with ``at``, the server so many mailboxes on as the home of that lock says."""
        self._add(ops.CALL, mailbox, at=at, by=by)

    def take(self, mailbox: int, most: int = 0) -> None:
        """As a server, wait for callers and take up to ``most`` of them (0: all)."""
        self._add(ops.TAKE, mailbox, most)

    def done(self) -> None:
        """As a server, let the callers taken go on."""
        self._add(ops.DONE)

    def send(self, link: int, sizes: Distribution, *, at: int = -1, by: int = -1) -> None:
        """Put a drawn number of bytes on a link and wait until they have left; behind those that are on it already."""
        self._add(ops.SEND, link, at=at, by=by, times=sizes)

    def wait_for(self, semaphore: int, *, by: int = -1) -> None:
        """Take one unit of a semaphore, in the order of asking."""
        self._add(ops.WAIT, semaphore, by=by)

    def post(self, semaphore: int, units: int = 1, *, by: int = -1) -> None:
        """Give units to a semaphore."""
        self._add(ops.POST, semaphore, units, by=by)

    def jump_if_cached(self, cache: int, key: int, to: Label, *, by: int = -1) -> None:
        """Go to a label if a cache has the key in cell ``key``; if not, it has it from now on, and the least recently used may go."""
        self._add(ops.LOOKUP, cache, key, by=by, to=to)

    def drop(self, cache: int, key: int, *, by: int = -1) -> None:
        """Make a cache forget the key in cell ``key``."""
        self._add(ops.DROP, cache, key, by=by)

    def set_home(self, lock: int, home: int, *, by: int = -1) -> None:
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

    def jump_if_home(self, lock: int, home: int, to: Label, *, by: int = -1) -> None:
        """Go to a label if the lock's home is ``home``."""
        self._add(ops.JUMP_IF_HOME, lock, home, by=by, to=to)

    def jump_if_free(self, lock: int, home: int, to: Label, *, by: int = -1) -> None:
        """Go to a label if the lock's home is ``home`` and nobody holds it."""
        self._add(ops.JUMP_IF_FREE, lock, home, by=by, to=to)

    def jump_if_same(self, a: int, b: int, to: Label, *, at: int = -1, by: int = -1) -> None:
        """Go to a label if two cells hold the same."""
        self._add(ops.JUMP_IF_SAME, a, b, at=at, by=by, to=to)

    def jump_if_positive(self, cell: int, to: Label, *, by: int = -1) -> None:
        """Go to a label if a cell is above 0."""
        self._add(ops.JUMP_IF_POSITIVE, cell, by=by, to=to)

    def draw(self, cell: int, count: int) -> None:
        """Set a cell to a whole number from 0 to count - 1, each as likely."""
        if count < 1:
            raise ValueError(f"there is nothing to draw from {count} numbers")
        self._add(ops.DRAW, cell, count)

    def set(self, cell: int, value: int, *, by: int = -1) -> None:
        """Set a cell."""
        self._add(ops.SET, cell, value, by=by)

    def add(self, cell: int, value: int, *, by: int = -1) -> None:
        """Add to a cell."""
        self._add(ops.ADD, cell, value, by=by)

    def copy(self, to: int, source: int, *, by: int = -1) -> None:
        """Copy a cell's value into another."""
        self._add(ops.COPY, to, source, by=by)

    def fetch(self, to: int, source: int, *, by: int) -> None:
        """Copy one of many cells, ``source`` plus what cell ``by`` holds, into another."""
        self._add(ops.FETCH, to, source, by=by)

    def subtract(self, cell: int, other: int) -> None:
        """Subtract what another cell holds."""
        self._add(ops.SUBTRACT, cell, other)

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
    program: list[tuple[int, int, int, int, int, int, int, float, float]] = field(default_factory=list)
    targets: list[Label | None] = field(default_factory=list)
    where: list[Where] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    cpus: list[tuple[int, float]] = field(default_factory=list)
    homes: list[int] = field(default_factory=list)
    cells: list[int] = field(default_factory=list)
    mailboxes: int = 0
    links: list[float] = field(default_factory=list)
    semaphores: list[int] = field(default_factory=list)
    caches: list[tuple[int, int]] = field(default_factory=list)
    table: list[float] = field(default_factory=list)
    _writing: Process | None = None

    def cpu(self, cores: int, quantum: float = math.inf) -> int:
        """A CPU with so many cores; a burst longer than ``quantum`` seconds goes to the back of its class's queue."""
        if cores < 1 or not quantum > 0:
            raise ValueError(f"a CPU has at least one core and a quantum above 0, not {cores} and {quantum}")
        self.cpus.append((cores, quantum))
        return len(self.cpus) - 1

    def lock(self, home: int = 0) -> int:
        """An exclusive lock, free; ``home`` is whatever the model wants to remember with it (the node that owns it)."""
        if home < 0:
            raise ValueError(f"a home is 0 or above, not {home}")
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

    def link(self, bandwidth: float) -> int:
        """A link that carries so many bytes a second, one after the other."""
        if not bandwidth > 0:
            raise ValueError(f"a link carries something, not {bandwidth} bytes a second")
        self.links.append(bandwidth)
        return len(self.links) - 1

    def semaphore(self, units: int = 0) -> int:
        """A counting semaphore with so many units at the start."""
        if units < 0:
            raise ValueError(f"a semaphore has 0 units or more, not {units}")
        self.semaphores.append(units)
        return len(self.semaphores) - 1

    def cache(self, size: int, keys: int) -> int:
        """An empty cache with room for ``size`` of the keys 0 to keys - 1; the least recently used leaves first."""
        if size < 1 or keys < 1:
            raise ValueError(f"a cache has room for one key or more, not {size} of {keys}")
        self.caches.append((size, keys))
        return len(self.caches) - 1

    def event(self, name: str) -> int:
        """The number of an event name."""
        if name not in self.events:
            self.events.append(name)
        return self.events.index(name)

    def process(self, name: str, cpu: int, priority: int = 1, essential: bool = True) -> Process:
        """A process without a program yet; processes start at time 0 in the order in which they are made."""
        if not 0 <= priority < PRIORITIES:
            raise ValueError(f"priority is 0 to {PRIORITIES - 1}, not {priority}")
        if not 0 <= cpu < len(self.cpus):
            raise ValueError(f"there is no CPU {cpu} in this model")
        made = Process(self, len(self.processes), name, cpu, priority, essential)
        self.processes.append(made)
        return made

    def _numbers_of(self, times: Distribution) -> tuple[int, float, float]:
        """A distribution as an op carries it: law, x, y (variates.py)."""
        if not times.quantiles:
            return times.law, times.x, times.y
        first = len(self.table)
        self.table.extend(times.quantiles)
        return times.law, float(first), float(len(times.quantiles))

    def _check_numbers(self, code: int, a: int, b: int, at: int, by: int) -> None:
        """The kernel checks no bounds: a number that is none of this model's would damage memory."""
        counts = {
            "lock": len(self.homes),
            "mailbox": self.mailboxes,
            "cell": len(self.cells),
            "link": len(self.links),
            "semaphore": len(self.semaphores),
            "cache": len(self.caches),
        }
        kinds = ((a, ops.KIND_OF_A.get(code)), (b, ops.KIND_OF_B.get(code)), (at, at != -1 and "lock"), (by, by != -1 and "cell"))
        for number, kind in kinds:
            if kind and not 0 <= number < counts[kind]:
                raise ValueError(f"there is no {kind} {number} in this model")
        if code == ops.SET_HOME and b < 0:
            raise ValueError(f"a home is 0 or above, not {b}")

    def _check_homes(self, program: np.ndarray) -> None:
        """No lock can have a home that leads behind the last mailbox or cell."""
        farthest = np.array(self.homes, dtype=np.int64)
        moves = program[program["code"] == ops.SET_HOME]
        np.maximum.at(farthest, moves["a"], moves["b"])
        farthest = np.maximum(farthest, moves["b"][moves["by"] >= 0].max(initial=0))  # which lock those move is not known before
        rows = np.flatnonzero(program["at"] >= 0)
        asks = program[rows]
        last = np.maximum(asks["a"], asks["b"]) + np.where(asks["by"] < 0, farthest[asks["at"]], farthest.max(initial=0))
        there = np.select([asks["code"] == ops.CALL, asks["code"] == ops.SEND], [self.mailboxes, len(self.links)], len(self.cells))
        for row in rows[last >= there]:
            name = self.processes[self.where[row].process].name
            raise ValueError(f"{name} asks at the home of lock {program[row]['at']}, which can lead where there is nothing to ask")

    def _finish_writing(self) -> None:
        if self._writing is not None:
            self._writing.end()  # even after a jump: a label may have been placed behind it
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
                if self.where[to].process != owner.number:
                    raise ValueError(f"{owner.name} jumps into the program of {self.processes[self.where[to].process].name}")
                program["to"][row] = to
        self._check_homes(program)
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
        lock["sharers"] = lock["spinners"] = 0
        mailbox = np.full(self.mailboxes, -1, dtype=MAILBOX)
        mailbox["count"] = 0
        link = np.zeros(len(self.links), dtype=LINK)
        link["bandwidth"] = self.links
        semaphore = np.full(len(self.semaphores), -1, dtype=SEMAPHORE)
        semaphore["units"] = self.semaphores
        cache = np.zeros(len(self.caches), dtype=CACHE)
        cache["newest"] = cache["oldest"] = -1
        for number, (size, keys) in enumerate(self.caches):
            cache[number]["room"], cache[number]["keys"] = size, keys
        cache["first"] = np.cumsum(cache["keys"]) - cache["keys"]
        place = np.zeros(int(cache["keys"].sum()), dtype=PLACE)
        cells, table = np.array(self.cells, dtype=np.int64), np.array(self.table, dtype=np.float64)
        return Arrays(program, process, cpu, lock, mailbox, cells, link, semaphore, cache, place, table)


@dataclass(frozen=True)
class Arrays:
    """A model's structured arrays (dtypes in ops.py); the kernel changes all but ``program`` and ``table``."""

    program: np.ndarray
    process: np.ndarray
    cpu: np.ndarray
    lock: np.ndarray
    mailbox: np.ndarray
    cell: np.ndarray
    link: np.ndarray
    semaphore: np.ndarray
    cache: np.ndarray
    place: np.ndarray
    table: np.ndarray

    def copy(self) -> "Arrays":
        """A fresh copy to run on; what the kernel does not change is shared."""
        changed = {f.name: getattr(self, f.name).copy() for f in fields(self) if f.name not in ("program", "table")}
        return replace(self, **changed)
