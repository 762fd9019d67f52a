"""Threads that start together: the races that a live run must not lose."""

import threading
import time
from collections.abc import Callable

import pytest

from raclab.database.together import Job, Together


def job(work: Callable[[int], int], prepare: Callable[[], int] = lambda: 7, delay_s: float = 0.0) -> Job[int, int]:
    """A job that can't be cancelled."""
    return Job(prepare, work, lambda: None, delay_s)


def fail(*_: object) -> int:
    """Raise at once."""
    raise ValueError("no")


def quiet(ended: int) -> None:
    """Nothing to do while waiting."""


@pytest.mark.parametrize("repeat", range(30))
def test_a_job_that_fails_at_once_does_not_keep_others_from_starting(repeat: int) -> None:
    together = Together([job(fail), *(job(lambda ready: ready) for _ in range(7))])
    together.run(quiet)
    assert together.done == dict.fromkeys(range(1, 8), 7)
    assert list(together.failed) == [0]


def test_a_job_that_does_not_get_ready_lets_nobody_start() -> None:
    together = Together([job(lambda ready: ready), job(lambda ready: ready, prepare=fail)])
    together.run(quiet)
    assert together.done == {} and list(together.failed) == [1]


def test_nobody_starts_before_all_are_ready() -> None:
    ready_at: list[float] = []
    started_at: list[float] = []

    def prepare() -> int:
        threading.Event().wait(0.05 * len(ready_at))
        ready_at.append(time.monotonic())
        return 0

    def work(_: int) -> int:
        started_at.append(time.monotonic())
        return 0

    Together([job(work, prepare) for _ in range(5)]).run(quiet)
    assert max(ready_at) <= min(started_at)


def test_cancel_reaches_calls_and_delays_and_leaves_the_deaf() -> None:
    heard, deaf = threading.Event(), threading.Event()
    together = Together(
        [
            Job(lambda: 0, lambda _: heard.wait(60), heard.set),
            Job(lambda: 0, lambda _: True, lambda: None, delay_s=60.0),
            Job(lambda: 0, lambda _: deaf.wait(60), lambda: None),
        ]
    )

    def interrupt(ended: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        together.run(interrupt)
    together.cancel(0.3)
    deadline = time.monotonic() + 60
    while together.busy() != {2}:  # so long it may take on a busy machine until the others have gone
        assert time.monotonic() < deadline
        threading.Event().wait(0.01)
    assert 1 not in together.done
    deaf.set()
