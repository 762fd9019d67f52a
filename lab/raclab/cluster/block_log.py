"""What happens to blocks, written down step by step, so that a check outside the kernel can follow it.

Each step is two or three of the kernel's notes: what it was, which block, and for a read the version that it saw, counted
in changes committed.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from raclab.cluster.block_directory import first_of
from raclab.sim import Label, Model, Process, Run

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

    filled: int
    blocks: int
    block: int
    version: int


@dataclass
class BlockLog:
    """Writes the steps; ``kinds`` are cells that hold the number of each kind of step."""

    model: Model
    kinds: dict[str, int]
    _of: dict[int, _Transaction] = field(default_factory=lambda: defaultdict(lambda: _Transaction(-1, -1, -1, -1)))

    @staticmethod
    def of(model: Model) -> "BlockLog":
        """A log in a model, which must have been made with room for notes."""
        if not model.notes:
            raise ValueError("a log of blocks needs a model with room for notes")
        return BlockLog(model, {what: model.cell(number) for number, what in enumerate(STEPS)})

    def note(self, process: Process, what: str, block: int, committed: int) -> None:
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

    def committed(self, process: Process, committed: int) -> None:
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

    def _transaction(self, process: Process) -> _Transaction:
        mine = self._of[process.number]
        if mine.filled < 0:
            cell = self.model.cell
            mine.filled, mine.block, mine.version = cell(), cell(), cell()
            mine.blocks = first_of(cell() for _ in range(MOST_CHANGES))
        return mine


def steps(run: Run) -> Iterator[Step]:
    """The steps of a run, in order of time."""
    notes = iter(run.notes)
    for note in notes:
        what = STEPS[note["value"]]
        block = next(notes)["value"]
        version = next(notes)["value"] if what in ("read", "copy") else -1
        yield Step(float(note["time"]), int(note["process"]), what, int(block), int(version))
