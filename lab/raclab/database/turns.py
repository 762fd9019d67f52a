"""How many statements run at once: each needs memory while it runs, and more of them than processors get nothing done sooner."""

import os
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

AT_ONCE: Final = max(4, 2 * (os.cpu_count() or 1))
TURN_S: Final = 1.0


class Turns:
    """Lets ``at_once`` statements run, in the order in which they came.

    One that has run for ``turn_s`` seconds no longer counts, so that long ones shut nobody out.
    """

    def __init__(self, at_once: int = AT_ONCE, turn_s: float = TURN_S) -> None:
        self._at_once = at_once
        self._turn_s = turn_s
        self._changed = threading.Condition()
        self._waiting: deque[threading.Event] = deque()  # set for the first one
        self._began: dict[int, float] = {}

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn, have it, and pass it on. One turn a thread."""
        me = threading.get_ident()
        self._wait(me)
        try:
            yield
        finally:
            with self._changed:
                del self._began[me]
                self._changed.notify()

    def _wait(self, me: int) -> None:
        first = threading.Event()
        with self._changed:
            self._waiting.append(first)
            if len(self._waiting) == 1:
                first.set()
        first.wait()
        with self._changed:
            while (left_s := self._until_free()) > 0:
                self._changed.wait(left_s)
            self._began[me] = time.monotonic()
            self._waiting.popleft()
            if self._waiting:
                self._waiting[0].set()

    def _until_free(self) -> float:
        """Seconds until the next turn is over at the latest; 0 if one is free."""
        now = time.monotonic()
        ends = sorted(began + self._turn_s for began in self._began.values() if began + self._turn_s > now)
        return ends[-self._at_once] - now if len(ends) >= self._at_once else 0.0
