"""Watching runs while they go on, and stopping them, from any thread."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np


class Watch:
    """How far the runs are that were begun under it. The kernel tells it every few thousand ops; asking costs the runs nothing.

    run_s   seconds for which whoever began runs has waited for them, those still under way not counted
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tracks: list[np.ndarray] = []
        self._stopped = False
        self.run_s = 0.0

    @property
    def runs(self) -> int:
        """How many runs have been asked for so far."""
        return len(self._all())

    @property
    def done(self) -> int:
        """How many of them are over."""
        return int(self._all()["over"].sum()) if self._tracks else 0

    @property
    def events(self) -> int:
        """Events handled so far, over all runs."""
        return int(self._all()["events"].sum()) if self._tracks else 0

    @property
    def clock(self) -> tuple[float, ...]:
        """How far each run is, in simulated seconds; in the order in which they were asked for."""
        return tuple(self._all()["clock"].tolist()) if self._tracks else ()

    @property
    def stopped(self) -> bool:
        """Whether somebody has stopped it."""
        return self._stopped

    def stop(self) -> None:
        """End all runs under this watch within milliseconds, and each that is asked for later at once; they raise Stopped."""
        with self._lock:
            self._stopped = True
            for track in self._tracks:
                track["stop"] = 1

    def follow(self, tracks: np.ndarray) -> None:
        """Watch runs, one an element of ``tracks`` (dtype WATCH of ops.py)."""
        with self._lock:
            self._tracks.append(tracks)
            if self._stopped:
                tracks["stop"] = 1

    def _all(self) -> np.ndarray:
        with self._lock:
            return np.concatenate(self._tracks) if self._tracks else np.empty(0)


_watches: ContextVar[tuple[Watch, ...]] = ContextVar("watches of the runs begun here", default=())


@contextmanager
def watching(watch: Watch) -> Iterator[Watch]:
    """Runs that this thread begins inside are under this watch; inside another ``watching``, under both."""
    before = _watches.set((*_watches.get(), watch))
    try:
        yield watch
    finally:
        _watches.reset(before)


def watches() -> tuple[Watch, ...]:
    """Under which watches a run begun here is."""
    return _watches.get()
