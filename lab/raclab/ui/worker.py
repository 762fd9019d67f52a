"""Latest wins: while one value is being worked on, only the newest of those that follow is kept."""

import asyncio
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class LatestWins(Generic[T]):
    """Works on submitted values in a thread of its own, so that the kernel keeps answering and a drag never queues.

    ``work(value, overtaken)`` is called for each value that is taken up. It may ask ``overtaken()`` between two steps and return
    early if a newer value waits. It must not raise: it has someone to tell (an error here would be seen by nobody).
    """

    def __init__(self, work: Callable[[T, Callable[[], bool]], None]) -> None:
        self._work = work
        self._condition = threading.Condition()
        self._waiting: list[T] = []
        self._busy = False

    def submit(self, value: T) -> None:
        """Have this value worked on next; one that still waits is forgotten."""
        with self._condition:
            self._waiting = [value]
            if not self._busy:
                self._busy = True
                threading.Thread(target=self._drain, name="raclab levers", daemon=True).start()

    def settle(self, timeout_s: float | None = None) -> bool:
        """Wait until nothing waits or runs; False if ``timeout_s`` went by first."""
        with self._condition:
            return self._condition.wait_for(lambda: not self._busy, timeout_s)

    async def settled(self) -> None:
        """Like ``settle``, without blocking the event loop."""
        await asyncio.to_thread(self.settle)

    def _overtaken(self) -> bool:
        return bool(self._waiting)

    def _drain(self) -> None:
        while True:
            with self._condition:
                if not self._waiting:
                    # in the same breath as the look: whoever submits after it starts a new thread
                    self._rest()
                    return
                value = self._waiting.pop()
            try:
                self._work(value, self._overtaken)
            except BaseException:
                self._rest()
                raise

    def _rest(self) -> None:
        with self._condition:
            self._busy = False
            self._condition.notify_all()
