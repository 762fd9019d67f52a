"""Looking after work that may take long, from one thread for all of it: the work itself pays next to nothing for that."""

import contextvars
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic


@dataclass(eq=False)
class _Look:
    call: Callable[[float], None]
    every_s: float
    began: float
    due: float
    context: contextvars.Context
    calling: threading.Lock = field(default_factory=threading.Lock)


class _Looker:
    """The thread, started when first needed, and what it looks after."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._looks: list[_Look] = []
        self._wakes = 0.0  # when the thread looks again by itself
        threading.Thread(target=self._run, name="raclab looking", daemon=True).start()

    def add(self, look: _Look) -> None:
        with self._changed:
            self._looks.append(look)
            if look.due < self._wakes:
                self._changed.notify()

    def remove(self, look: _Look) -> None:
        with self._changed:
            self._looks.remove(look)
        with look.calling:  # a call under way comes to its end
            pass

    def _run(self) -> None:
        while True:
            with self._changed:
                due = [look for look in self._looks if look.due <= monotonic()]
                if not due:
                    self._wakes = min((look.due for look in self._looks), default=float("inf"))
                    self._changed.wait(None if self._wakes == float("inf") else max(0.0, self._wakes - monotonic()))
                    continue
                for look in due:
                    look.calling.acquire()
                    look.due = monotonic() + look.every_s
            for look in due:
                try:
                    look.context.run(look.call, monotonic() - look.began)
                except Exception:  # who looks on must neither end the work nor the looking after other work
                    look.due = float("inf")
                finally:
                    look.calling.release()


_looker: _Looker | None = None
_starting = threading.Lock()


def _the_looker() -> _Looker:
    global _looker
    with _starting:
        if _looker is None:
            _looker = _Looker()
        return _looker


def _without_looker() -> None:
    """In a forked process: the thread has stayed in the other one."""
    global _looker, _starting
    _looker, _starting = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_without_looker)


@contextmanager
def looking(call: Callable[[float], None], *, after_s: float, every_s: float) -> Iterator[None]:
    """While the body works, ``call(seconds so far)`` from another thread: first after ``after_s`` seconds, then every ``every_s``.

    What ``call`` displays goes where the body's output goes. No call is under way any more when the body is left. A call that raises is
    the last one.
    """
    began = monotonic()
    look = _Look(call, every_s, began, began + after_s, contextvars.copy_context())
    looker = _the_looker()
    looker.add(look)
    try:
        yield
    finally:
        looker.remove(look)
