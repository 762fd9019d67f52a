"""Programs as the rows that the kernel works on: each process has its own copy of its program's ops, with its own numbers.

A program is made into rows once, and copied by numpy for all its processes; then what differs between them is put in.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np

from raclab.errors import LabError
from raclab.sim.ops import OP
from raclab.sim.program import Label, Process, Program

COLUMNS = ("a", "b", "at", "by", "law", "x", "y")
RAW = np.dtype((np.void, OP.itemsize))  # an op as so many bytes: numpy copies those at once, and records field by field
AT_A_TIME = 64
MOST_ROWS = 12_000_000
"""Ops of all processes together that a model may have: a run needs 72 bytes for each, about 1 GB in all."""


class TooManyOps(LabError):
    """A model of more ops than there is room for."""


@dataclass(frozen=True)
class Where:
    """What an op is part of, for the tallies: the process, the activity, and the event waited for ("" on CPU)."""

    process: int
    activity: str
    event: str


class Places(Sequence[Where]):
    """What each op of a model is part of: one Where an op, and the same in arrays of as many elements."""

    def __init__(self, programs: Sequence[Program], which: np.ndarray) -> None:
        """``which`` is the program of each process, as a place in ``programs``."""
        parts: dict[tuple[str, str], int] = {}
        lines = [[parts.setdefault((line.activity, line.event), len(parts)) for line in program.lines] for program in programs]
        self._lines = [np.array(numbers, dtype=np.min_scalar_type(len(parts))) for numbers in lines]
        self._parts, self._which = list(parts), which
        self._lengths = np.array([len(lines) for lines in self._lines], dtype=np.int64)[which]

    def __len__(self) -> int:
        return int(self._lengths.sum())

    @overload
    def __getitem__(self, row: int) -> Where: ...
    @overload
    def __getitem__(self, row: slice) -> list[Where]: ...
    def __getitem__(self, row: int | slice) -> Where | list[Where]:
        if isinstance(row, slice):
            return [self[number] for number in range(*row.indices(len(self)))]
        return Where(int(self.process[row]), *self._parts[self._part[row]])

    @cached_property
    def process(self) -> np.ndarray:
        """The number of each op's process."""
        return np.repeat(np.arange(len(self._which), dtype=np.uint16), self._lengths)  # up to MOST_PROCESSES, two bytes each

    @cached_property
    def _part(self) -> np.ndarray:
        return np.concatenate([self._lines[which] for which in self._which])

    def _spread(self, of_parts: Sequence[object], dtype: Any = None) -> np.ndarray:
        spread: np.ndarray = np.array(of_parts, dtype=dtype)[self._part]
        return spread

    def activity_is(self, *names: str) -> np.ndarray:
        """Which ops are part of one of these activities."""
        return self._spread([activity in names for activity, _ in self._parts])

    def event_is(self, *names: str) -> np.ndarray:
        """Which ops are part of a wait for one of these events; "" are those that are in no wait."""
        return self._spread([event in names for _, event in self._parts])

    def activity_among(self, names: Sequence[str]) -> np.ndarray:
        """The place in ``names`` of each op's activity, -1 where it is none of them."""
        place = {name: number for number, name in enumerate(names)}
        return self._spread([place.get(activity, -1) for activity, _ in self._parts], np.int16)

    def event_among(self, names: Sequence[str]) -> np.ndarray:
        """The place in ``names`` of the event that each op is a wait for, -1 where it is none of them or in no wait."""
        place = {name: number for number, name in enumerate(names)}
        return self._spread([place.get(event, -1) for _, event in self._parts], np.int16)

    @cached_property
    def activity(self) -> np.ndarray:
        """The name of each op's activity, "" where it has none."""
        return self._spread([activity for activity, _ in self._parts], dtype=object)

    @cached_property
    def event(self) -> np.ndarray:
        """The name of the event that each op is a wait for, None where it is in no wait."""
        return self._spread([event or None for _, event in self._parts], dtype=object)


@dataclass(frozen=True)
class Rows:
    """The ops of all processes, one process after the other: program (dtype OP), where each process's begin, and what they are part of."""

    program: np.ndarray
    first: np.ndarray
    where: Places


def rows_of(processes: Sequence[Process]) -> Rows:
    """The rows of all processes.

    Raises ValueError for a process without a program and for a jump that leads nowhere, TooManyOps for too large a model.
    """
    programs = list(dict.fromkeys(process.program for process in processes))
    for program in programs:
        if not program.lines:
            raise ValueError(f"{program.title} has no program")
        program.finish()
    place = {program: number for number, program in enumerate(programs)}
    which = np.array([place[process.program] for process in processes], dtype=np.int64)
    lengths = np.array([len(program.lines) for program in programs], dtype=np.int64)[which]
    if lengths.sum() > MOST_ROWS:
        raise TooManyOps(
            f"This model would have {lengths.sum():,} ops in {len(processes):,} processes; there is room for {MOST_ROWS:,}. "
            "Take fewer nodes or sessions."
        )
    first = np.cumsum(lengths) - lengths
    rows = np.empty(int(lengths.sum()), dtype=OP)
    raw = rows.view(RAW)
    for program in programs:
        text, numbers = _text_of(program).view(RAW), _Own.of(program)
        begins = first[[process.number for process in program.processes]]
        for some in range(0, len(begins), AT_A_TIME):  # a piece that stays in the CPU's cache while it is filled in
            for begin in begins[some : some + AT_A_TIME]:
                raw[begin : begin + len(text)] = text
            numbers.fill_in(rows, begins[some : some + AT_A_TIME], some)
    return Rows(rows, first, Places(programs, which))


def _text_of(program: Program) -> np.ndarray:
    """A program's ops, with nothing in the places of what differs between its processes and of where jumps lead."""
    return np.array(
        [(line.code, *(0 if isinstance(n, np.ndarray) else n for n in (line.a, line.b, line.at, line.by)), -1,
          *(0 if isinstance(n, np.ndarray) else n for n in (line.law, line.x, line.y))) for line in program.lines],
        dtype=OP,
    )  # fmt: skip


@dataclass(frozen=True)
class _Own:
    """What differs between a program's processes.

    jumps, to   the lines that jump, and the lines that they jump to
    numbers     by column: the lines whose number differs, and an array of lines x processes with the numbers
    """

    jumps: np.ndarray
    to: np.ndarray
    numbers: dict[str, tuple[np.ndarray, np.ndarray]]

    @staticmethod
    def of(program: Program) -> "_Own":
        jumps = [(row, _lead(program, line.to)) for row, line in enumerate(program.lines) if line.to is not None]
        numbers = {}
        for column in COLUMNS:
            own = [(row, value) for row, line in enumerate(program.lines) if isinstance(value := getattr(line, column), np.ndarray)]
            if own:
                values = np.array([value for _, value in own])
                stored = values.astype(OP[column])
                if (stored != values).any():
                    raise OverflowError(f"{program.title} and others use a number that is too large")
                numbers[column] = np.array([row for row, _ in own]), stored
        at, to = np.array(jumps, dtype=np.int64).reshape(-1, 2).T
        return _Own(at, to, numbers)

    def fill_in(self, rows: np.ndarray, begins: np.ndarray, some: int) -> None:
        """Put it into the rows of the processes from the ``some``-th on, whose ops begin at the rows ``begins``."""
        begin = begins[:, None]
        rows["to"][begin + self.jumps] = begin + self.to
        for column, (at, values) in self.numbers.items():
            rows[column][begin + at] = values[:, some : some + len(begins)].T


def _lead(program: Program, label: Label) -> int:
    """The line that a label of a program names."""
    if label.program is None:
        raise ValueError(f"{program.title} jumps to a label that was never placed")
    if label.program is not program:
        raise ValueError(f"{program.title} jumps into the program of {label.program.title}")
    return label.line
