"""A value submitted while the thread is about to stop is answered all the same."""

import threading
from typing import Any

from raclab.ui.worker import LatestWins


def test_a_value_that_comes_as_the_thread_stops_is_answered() -> None:
    seen: list[int] = []
    worker: LatestWins[int] = LatestWins(lambda value, _: seen.append(value))

    class JustThen(threading.Condition):
        """Submits 2 at the moment at which the thread has seen that nothing waits behind 1."""

        done = False

        def __exit__(self, *error: Any) -> None:
            super().__exit__(*error)
            if seen == [1] and not self.done and threading.current_thread().name == "raclab levers":
                self.done = True
                worker.submit(2)

    worker._condition = JustThen()
    worker.submit(1)
    deadline = threading.Event()
    while seen != [1, 2] and not deadline.wait(0.01):
        assert worker.settle(5)
        if worker._condition.done and not worker._busy:
            break
    assert seen == [1, 2]


def test_a_failed_piece_of_work_does_not_block_the_next(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    seen: list[int] = []

    def work(value: int, _: object) -> None:
        if value == 1:
            raise RuntimeError("planted")
        seen.append(value)

    worker: LatestWins[int] = LatestWins(work)
    worker.submit(1)
    assert worker.settle(5)
    worker.submit(2)
    assert worker.settle(5) and seen == [2]
