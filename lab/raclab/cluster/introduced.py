"""Which rosters are made while one looks: how whoever has a run simulated again learns whose sessions its processes are."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from raclab.cluster.roster import Roster

_here: "ContextVar[list[Roster] | None]" = ContextVar("rosters made here", default=None)


@contextmanager
def introduced() -> "Iterator[list[Roster]]":
    """The list that every roster made inside, in this thread, is appended to."""
    known: list[Roster] = []
    before = _here.set(known)
    try:
        yield known
    finally:
        _here.reset(before)


def introduce(roster: "Roster") -> None:
    """Tell whoever looks of a new roster."""
    known = _here.get()
    if known is not None:
        known.append(roster)
