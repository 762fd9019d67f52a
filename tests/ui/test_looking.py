"""One thread looks after all work that may take long."""

import contextvars
import threading

import pytest

from raclab.looking import looking

PATIENCE_S = 20.0


def test_it_looks_again_and_again_and_stops_with_the_work() -> None:
    calls: list[float] = []
    third = threading.Event()

    def look(took_s: float) -> None:
        calls.append(took_s)
        if len(calls) == 3:
            third.set()

    with looking(look, after_s=0.0, every_s=0.001):
        assert third.wait(PATIENCE_S)
    count = len(calls)
    with looking(lambda _: done.set(), after_s=0.0, every_s=0.001):
        done = threading.Event()
        assert done.wait(PATIENCE_S), "the same thread looks after other work"
    assert len(calls) == count and calls == sorted(calls)


def test_quick_work_is_not_looked_at() -> None:
    calls: list[float] = []
    for _ in range(100):
        with looking(calls.append, after_s=PATIENCE_S, every_s=1.0):
            pass
    assert calls == []
    assert sum(thread.name == "raclab looking" for thread in threading.enumerate()) == 1


def test_the_work_does_not_end_in_the_middle_of_a_look() -> None:
    begun, go, ended = threading.Event(), threading.Event(), threading.Event()

    def look(_: float) -> None:
        begun.set()
        go.wait(PATIENCE_S)
        ended.set()

    threading.Thread(target=lambda: begun.wait(PATIENCE_S) and go.set()).start()
    with looking(look, after_s=0.0, every_s=PATIENCE_S):
        assert begun.wait(PATIENCE_S)
    assert ended.is_set()


def test_a_look_that_fails_is_the_last_one_and_ends_nothing() -> None:
    failed, seen = threading.Semaphore(0), threading.Event()

    def fail(_: float) -> None:
        failed.release()
        raise RuntimeError("planted")

    with looking(fail, after_s=0.0, every_s=0.001), looking(lambda _: seen.set(), after_s=0.0, every_s=0.001):
        assert failed.acquire(timeout=PATIENCE_S)
        seen.clear()
        assert seen.wait(PATIENCE_S)
        assert not failed.acquire(blocking=False)


def test_it_looks_in_the_context_of_the_work() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("whose", default="nobody's")
    variable.set("the caller's")
    seen: list[str] = []
    done = threading.Event()

    def look(_: float) -> None:
        seen.append(variable.get())
        done.set()

    with looking(look, after_s=0.0, every_s=PATIENCE_S):
        assert done.wait(PATIENCE_S)
    assert seen == ["the caller's"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_what_the_work_raises_passes_on(error: type[BaseException]) -> None:
    with pytest.raises(error), looking(lambda _: None, after_s=0.0, every_s=0.001):
        raise error
