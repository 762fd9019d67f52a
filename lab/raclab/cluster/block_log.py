"""What happens to blocks, written down step by step, so that a check outside the kernel can follow it.

Each step is two or three of the kernel's notes: what it was, which block, and for a read the version that it saw, counted
in changes committed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from raclab.sim import Label, Model, Number, Program, Run

STEPS = ("exclusive", "shared", "change", "commit", "read", "copy")
MOST_CHANGES = 256  # of one transaction


@dataclass(frozen=True)
class Step:
    """One step: exclusive or shared (a mode was got), change, commit, read (from the own cache), copy (shipped by the holder).

    ``version`` is how many changes of the block were committed when it was read; -1 for steps that read nothing.
    """

    time_s: float
    process: int
    what: str
    block: int
    version: int


@dataclass
class _Transaction:
    """The blocks that a process has changed since its last commit, in cells."""

    filled: Number
    blocks: Number
    block: Number
    version: Number


@dataclass
class BlockLog:
    """Writes the steps; ``kinds`` are cells that hold the number of each kind of step."""

    model: Model
    kinds: dict[str, int]
    _of: dict[Program, _Transaction] = field(default_factory=dict)

    @staticmethod
    def of(model: Model) -> "BlockLog":
        """A log in a model, which must have been made with room for notes."""
        if not model.notes:
            raise ValueError("a log of blocks needs a model with room for notes")
        return BlockLog(model, {what: model.cell(number) for number, what in enumerate(STEPS)})

    def note(self, process: Program, what: str, block: Number, committed: int) -> None:
        """One step of a block; ``committed`` is the first of the cells that count committed changes."""
        mine = self._transaction(process)
        process.note(self.kinds[what])
        process.note(block)
        if what in ("read", "copy"):
            process.fetch(mine.version, committed, by=block)
            process.note(mine.version)
        if what == "change":
            process.copy(mine.blocks, block, by=mine.filled)
            process.add(mine.filled, 1)

    def committed(self, process: Program, committed: int) -> None:
        """All that the process has changed is committed, the last change first."""
        mine = self._transaction(process)
        more, none = Label(), Label()
        process.place(more)
        some = Label()
        process.jump_if_positive(mine.filled, some)
        process.jump(none)
        process.place(some)
        process.add(mine.filled, -1)
        process.fetch(mine.block, mine.blocks, by=mine.filled)
        process.add(committed, 1, by=mine.block)
        process.note(self.kinds["commit"])
        process.note(mine.block)
        process.jump(more)
        process.place(none)

    def _transaction(self, process: Program) -> _Transaction:
        if process not in self._of:
            count = len(process.processes)
            blocks = self.model.cell_row([0] * (MOST_CHANGES * count)) + MOST_CHANGES * np.arange(count)
            self._of[process] = _Transaction(process.cell(), blocks, process.cell(), process.cell())
        return self._of[process]


def steps(run: Run) -> Iterator[Step]:
    """The steps of a run, in order of time."""
    notes = iter(run.notes)
    for note in notes:
        what = STEPS[note["value"]]
        block = next(notes)["value"]
        version = next(notes)["value"] if what in ("read", "copy") else -1
        yield Step(float(note["time"]), int(note["process"]), what, int(block), int(version))
