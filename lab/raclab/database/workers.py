"""The threads in which statements run: a few for all clients.

DuckDB's allocator keeps about half a megabyte for every thread that ever called it, until the thread ends. A client's own thread
therefore never does.
"""

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Final, TypeVar

from raclab.database.turns import AT_ONCE, TURN_S, Turns

T = TypeVar("T")

NAME: Final = "raclab-worker"


class Workers:
    """Threads that run one piece of work each, ``at_once`` of them; more only while some have run longer than ``turn_s`` seconds."""

    def __init__(self, at_once: int = AT_ONCE, turn_s: float = TURN_S) -> None:
        self._turns = Turns(at_once, turn_s)
        self._most_idle = at_once
        self._idle: list[_Worker] = []
        self._lock = threading.Lock()
        self._closed = False

    def run(self, work: Callable[[], T]) -> T:
        """Wait for a turn, run ``work`` in a worker's thread, and give what it gives or raise what it raises."""
        with self._turns.turn():
            with self._lock:
                worker = self._idle.pop() if self._idle else _Worker()  # the last one's caches are the warmest
            try:
                return worker.run(work)
            finally:
                self._back(worker)

    def close(self) -> None:
        """End the threads, those that still run once their work is over. Work that is asked for later gets a thread of its own."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.end()

    def _back(self, worker: "_Worker") -> None:
        with self._lock:
            stays = not self._closed and len(self._idle) < self._most_idle
            if stays:
                self._idle.append(worker)
        if not stays:
            worker.end()


class _Worker:
    """One thread. ``run`` is called by one other thread at a time."""

    def __init__(self) -> None:
        self._asked: SimpleQueue[Callable[[], Any] | None] = SimpleQueue()
        self._answers: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name=NAME, daemon=True)
        self._thread.start()

    def run(self, work: Callable[[], T]) -> T:
        self._asked.put(work)
        result: T
        result, error = self._answers.get()
        if error is not None:
            try:
                raise error
            finally:
                del error  # it holds this frame, and would with all it holds wait for the garbage collector
        return result

    def end(self) -> None:
        self._asked.put(None)
        self._thread.join()

    def _serve(self) -> None:
        while (work := self._asked.get()) is not None:
            answer: tuple[Any, BaseException | None]
            try:
                answer = work(), None
            except BaseException as error:
                answer = None, error
            self._answers.put(answer)
            del work, answer  # what a client gets is not kept until the next asks
