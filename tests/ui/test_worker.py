"""Latest wins: a drag never queues."""

import asyncio
import threading
from collections.abc import Callable

from raclab.ui.worker import LatestWins

PATIENCE_S = 20.0


class Gate:
    """Work that stops until it is let through."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.go = threading.Semaphore(0)
        self.done: list[tuple[int, bool]] = []

    def work(self, value: int, overtaken: Callable[[], bool]) -> None:
        self.begun.release()
        assert self.go.acquire(timeout=PATIENCE_S)
        self.done.append((value, overtaken()))


def test_values_between_are_dropped_and_the_last_is_worked_on() -> None:
    gate = Gate()
    worker = LatestWins(gate.work)
    worker.submit(1)
    assert gate.begun.acquire(timeout=PATIENCE_S)
    for value in range(2, 60):
        worker.submit(value)
    gate.go.release(2)
    assert worker.settle(PATIENCE_S)
    assert gate.done == [(1, True), (59, False)]


def test_submitting_does_not_wait_and_settle_tells_when_it_gave_up() -> None:
    gate = Gate()
    worker = LatestWins(gate.work)
    worker.submit(1)
    assert not worker.settle(0.01)
    gate.go.release()
    assert worker.settle(PATIENCE_S)
    assert worker.settle(0)


def test_it_works_again_after_it_was_idle() -> None:
    done: list[int] = []
    worker = LatestWins[int](lambda value, _: done.append(value))
    for value in (1, 2, 3):
        worker.submit(value)
        assert worker.settle(PATIENCE_S)
    assert done == [1, 2, 3]


def test_settled_leaves_the_event_loop_free() -> None:
    gate = Gate()
    worker = LatestWins(gate.work)

    async def use() -> None:
        worker.submit(1)
        waiting = asyncio.ensure_future(worker.settled())
        await asyncio.to_thread(gate.begun.acquire)
        assert not waiting.done()
        gate.go.release()
        await asyncio.wait_for(waiting, PATIENCE_S)

    asyncio.run(use())
    assert gate.done == [(1, False)]
