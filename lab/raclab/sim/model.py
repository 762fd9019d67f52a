"""The builder: processes, CPUs, locks, mailboxes and cells, written in words; nobody writes row numbers.

A model is built once and run as often as wanted (run.py); building draws no random number. What processes do is written in program.py.
"""

import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np

from raclab.errors import LabError
from raclab.sim import ops
from raclab.sim.kernel import MOST_PROCESSES
from raclab.sim.ops import CACHE, CPU, LINK, LOCK, MAILBOX, PLACE, PRIORITIES, PROCESS, SEMAPHORE
from raclab.sim.program import Number, Process, Program, is_given
from raclab.sim.rows import Places, Rows, rows_of
from raclab.sim.times import Distribution


class TooManyProcesses(LabError):
    """More processes than a model has room for."""


@dataclass
class Model:
    """All that a run needs. Times in seconds.

    horizon   the run stops here at the latest
    notes     room for so many notes; 0 keeps none
    sampling  seconds between two samples of what every process is doing; infinite takes none

    Homes and cells are machine integers from the start: there may be a hundred thousand, copied at every move of a lever.
    """

    horizon: float = math.inf
    notes: int = 0
    sampling: float = math.inf
    processes: list[Process] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    cpus: list[tuple[int, float]] = field(default_factory=list)
    homes: "array[int]" = field(default_factory=lambda: array("q"))
    cells: "array[int]" = field(default_factory=lambda: array("q"))
    mailboxes: int = 0
    links: list[float] = field(default_factory=list)
    semaphores: list[int] = field(default_factory=list)
    caches: list[tuple[int, int]] = field(default_factory=list)
    table: list[float] = field(default_factory=list)
    _first_quantile: dict[tuple[float, ...], int] = field(default_factory=dict)
    _rows: Rows | None = None

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

    def lock_row(self, homes: Iterable[int]) -> int:
        """Locks with these homes, numbered one after the other; the first one's number."""
        first = len(self.homes)
        self.homes.extend(homes)
        if min(self.homes[first:], default=0) < 0:
            raise ValueError(f"a home is 0 or above, not {min(self.homes[first:])}")
        return first

    def mailbox(self) -> int:
        """A mailbox for callers; any number of processes may serve it."""
        self.mailboxes += 1
        return self.mailboxes - 1

    def cell(self, value: int = 0) -> int:
        """A whole number that programs can read and change."""
        self.cells.append(value)
        return len(self.cells) - 1

    def cell_row(self, values: Iterable[int]) -> int:
        """Cells with these values, numbered one after the other; the first one's number."""
        first = len(self.cells)
        self.cells.extend(values)
        return first

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
        if len(self.processes) >= MOST_PROCESSES:
            raise TooManyProcesses(f"A model has at most {MOST_PROCESSES:,} processes. Take fewer nodes or sessions.")
        made = Process(self, len(self.processes), name, cpu, priority, essential)
        self.processes.append(made)
        self._rows = None
        return made

    def together(self, processes: Sequence[Process]) -> Program:
        """One program for several processes that have none yet. Its numbers are those of all, or arrays of one for each of them."""
        for process in processes:
            if process.lines or process.program is not process:
                raise ValueError(f"{process.name} has a program already")
        if not processes:
            raise ValueError("a program needs a process to do it")
        program = Program(self, tuple(processes))
        for process in processes:
            process.program = program
        return program

    @property
    def program(self) -> np.ndarray:
        """The ops of all processes, one process after the other (dtype OP). Asking for them finishes the programs."""
        return self._as_rows().program

    @property
    def where(self) -> Places:
        """What each op of ``program`` is part of."""
        return self._as_rows().where

    def _as_rows(self) -> Rows:
        if self._rows is None:
            self._rows = rows_of(self.processes)
        return self._rows

    def numbers_of(self, times: Distribution) -> tuple[int, float, float]:
        """A distribution as an op carries it: law, x, y (variates.py)."""
        if not times.quantiles:
            return times.law, times.x, times.y
        first = self._first_quantile.setdefault(times.quantiles, len(self.table))
        if first == len(self.table):
            self.table.extend(times.quantiles)
        return times.law, float(first), float(len(times.quantiles))

    def check_numbers(self, code: int, a: Number, b: Number, at: Number, by: Number) -> None:
        """The kernel checks no bounds: a number that is none of this model's would damage memory."""
        kind_a, kind_b = ops.KIND_OF_A.get(code), ops.KIND_OF_B.get(code)
        if kind_a:
            self._check(kind_a, a)
        if kind_b:
            self._check(kind_b, b)
        if is_given(at):
            self._check("lock", at)
        if is_given(by):
            self._check("cell", by)
        if code == ops.SET_HOME and np.min(b) < 0:
            raise ValueError(f"a home is 0 or above, not {np.min(b)}")

    def _check(self, kind: str, numbers: Number) -> None:
        there = self._count(kind)
        if isinstance(numbers, np.ndarray):
            wrong = numbers[(numbers < 0) | (numbers >= there)]
            number = int(wrong[0]) if len(wrong) else 0
            if not len(wrong):
                return
        elif 0 <= numbers < there:
            return
        else:
            number = numbers
        raise ValueError(f"there is no {kind} {number} in this model")

    def _count(self, kind: str) -> int:
        """How many locks, cells ... there are."""
        match kind:
            case "lock":
                return len(self.homes)
            case "cell":
                return len(self.cells)
            case "mailbox":
                return self.mailboxes
            case "link":
                return len(self.links)
            case "semaphore":
                return len(self.semaphores)
            case _:
                return len(self.caches)

    def _check_homes(self) -> None:
        """No lock can have a home that leads behind the last mailbox, link or cell."""
        lines = [(program, line) for program in dict.fromkeys(p.program for p in self.processes) for line in program.lines]
        farthest = np.array(self.homes, dtype=np.int64)
        of_any = 0
        for _, line in lines:
            if line.code == ops.SET_HOME:
                np.maximum.at(farthest, *np.broadcast_arrays(line.a, line.b))
                if is_given(line.by):  # which lock that moves is not known before
                    of_any = max(of_any, int(np.max(line.b)))
        farthest = np.maximum(farthest, of_any)
        for program, line in lines:
            if not is_given(line.at):
                continue
            last = np.maximum(line.a, line.b) + (farthest.max(initial=0) if is_given(line.by) else farthest[line.at])
            there = self._count({ops.CALL: "mailbox", ops.SEND: "link"}.get(line.code, "cell"))
            if np.any(last >= there):
                asked = np.broadcast_to(line.at, last.shape)[last >= there].flat[0]
                raise ValueError(f"{program.title} asks at the home of lock {asked}, which can lead where there is nothing to ask")

    def arrays(self) -> "Arrays":
        """The model as the kernel wants it."""
        rows = self._as_rows()
        self._check_homes()
        process = np.zeros(len(self.processes), dtype=PROCESS)
        process["pc"] = rows.first
        for name in ("cpu", "priority", "essential"):
            process[name] = [getattr(one, name) for one in self.processes]
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
        return Arrays(rows.program, process, cpu, lock, mailbox, cells, link, semaphore, cache, place, table)


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
