"""Who held the lock that a sampled session was waiting for.

A program says which lock it takes, and where it gives it back: at a sample, the session that is between the two holds it, and a
session in a wait in which it takes that lock waits for it. That goes for locks that a program names by their number (a row cache lock, a
sequence's own lock); which of many rows or blocks a session has drawn is in a cell that the samples do not show.
"""

import numpy as np

from raclab.cluster.ledger import Ledger
from raclab.sim import ops

NOBODY = -1


def blockers_of(ledger: Ledger, then: np.ndarray, sample: np.ndarray, session: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By row: the place among the sessions of who held what the row's session was waiting for, NOBODY if no session did; and whether it
    was waiting for such a lock at all.

    ``then[k, s]`` is the op at which session s was at sample k, -1 after its end; the rows are ``then[sample, session]``, none of them -1.
    """
    at = then[sample, session]
    blocker, waiting = np.full(len(at), NOBODY), np.zeros(len(at), dtype=bool)
    program = ledger.roster.model.program
    takes, gives = _steps(ledger)
    for lock in np.unique(program["a"][takes]).tolist():
        mine = program["a"] == lock
        held, wanted = _held(ledger, takes & mine, gives & mine), _wanted(ledger, takes & mine)
        waits = wanted[at] & ~held[at]
        if waits.any():
            blocker[waits] = _holders(held, then)[sample[waits]]
            waiting |= waits
    return blocker, waiting


def _holders(held: np.ndarray, then: np.ndarray) -> np.ndarray:
    """By sample: the place of the session that is at an op at which it has the lock, or NOBODY. A few samples at a time, to save memory."""
    parts = []
    for some in np.array_split(then, max(1, len(then) // 64)):
        holds = held[some] & (some >= 0)
        parts.append(np.where(holds.any(axis=1), holds.argmax(axis=1), NOBODY))
    return np.concatenate(parts)


def _steps(ledger: Ledger) -> tuple[np.ndarray, np.ndarray]:
    """Per op: whether it takes a lock exclusively that it names by its number, and whether it gives one back."""
    program = ledger.roster.model.program
    named = program["by"] < 0
    return named & (ledger.code == ops.ACQUIRE) & (program["b"] == 0), named & (ledger.code == ops.RELEASE)


def _held(ledger: Ledger, takes: np.ndarray, gives: np.ndarray) -> np.ndarray:
    """Per op: whether a process that is at it has the lock that ``takes`` take and ``gives`` give back, and is not about to take it."""
    steps = takes | gives
    last = np.cumsum(steps, dtype=np.int32)
    last -= steps
    last -= 1  # the step before each op
    step = np.flatnonzero(steps).astype(np.int32)[np.maximum(last, 0)]
    held: np.ndarray = (last >= 0) & takes[step] & (ledger.owner[step] == ledger.owner) & ~takes
    return held


def _wanted(ledger: Ledger, takes: np.ndarray) -> np.ndarray:
    """Per op: whether it is a part of a wait in which the lock is taken, which ``takes`` do."""
    code = ledger.code
    begins, ends = np.flatnonzero(code == ops.MARK), np.flatnonzero(code == ops.WAITED)
    wanted = np.zeros(len(code) + 1, dtype=np.int16)
    taken = np.flatnonzero(takes & (ledger.event >= 0))
    of_wait = np.unique(np.searchsorted(begins, taken) - 1)
    np.add.at(wanted, begins[of_wait], 1)
    np.add.at(wanted, ends[of_wait] + 1, -1)
    inside: np.ndarray = np.cumsum(wanted, dtype=np.int16)[:-1] > 0
    return inside
