"""What a run's processes did, op by op; for trace files and for looking at one run closely."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import numpy as np

from raclab.sim.model import Model

LIMIT = 1_000_000
"""Lines of a run unless another limit is asked for: 40 MB."""


@dataclass(frozen=True)
class Trace:
    """One run's finished ops and whole waits, in the order in which they ended.

    lines   ended, took, cpu (s); process; op (row of ``model.program`` and of ``model.where``); event (of ``model.events`` for a whole
            wait, -1 for an op; dtype TRACED). A whole wait comes after the ops in it, as they end at the same instant.
    cut     how many more lines there would have been without the limit
    """

    model: Model
    seed: int
    lines: np.ndarray
    cut: int


@dataclass
class Tracing:
    """Traces of the runs begun while it was on: call by call, within a call in the order of the seeds. Up to ``limit`` lines a run."""

    limit: int
    traces: list[Trace] = field(default_factory=list)


_tracing: ContextVar[Tracing | None] = ContextVar("tracing of the runs begun here", default=None)


@contextmanager
def tracing(limit: int = LIMIT) -> Iterator[Tracing]:
    """Trace every run that this thread begins inside."""
    if limit < 1:
        raise ValueError(f"a trace has room for one line or more, not {limit}")
    here = Tracing(limit)
    before = _tracing.set(here)
    try:
        yield here
    finally:
        _tracing.reset(before)


def traced_here() -> Tracing | None:
    """Where the traces of a run begun here go; None if nobody wants them."""
    return _tracing.get()


def of_run(model: Model, seed: int, lines: np.ndarray, count: int) -> Trace:
    """The kernel's lines, of ``count`` that there were, as a trace: each op's CPU is what its op's tally grew by."""
    kept = lines[:count].copy()
    for op in np.unique(kept["op"][kept["event"] < 0]):
        rows = np.flatnonzero((kept["op"] == op) & (kept["event"] < 0))
        kept["cpu"][rows] = np.diff(kept["cpu"][rows], prepend=0.0)
    return Trace(model, seed, kept, max(0, count - len(lines)))
