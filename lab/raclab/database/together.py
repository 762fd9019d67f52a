"""Threads that start together, one a session, and that can be told to stop.

Each prepares itself, waits until all are ready, waits its own delay, and works. The caller's thread waits in short steps, so that
Ctrl-C reaches it, and gets every result, early or late.
"""

import queue
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Generic, TypeVar

POLL_S = 0.2

Ready = TypeVar("Ready")
Done = TypeVar("Done")


@dataclass(frozen=True)
class Job(Generic[Ready, Done]):
    """What one thread does: ``prepare``, then ``delay_s`` seconds after the common start ``work`` with what prepare gave.

    ``cancel`` ends a call of either from another thread.
    """

    prepare: Callable[[], Ready]
    work: Callable[[Ready], Done]
    cancel: Callable[[], None]
    delay_s: float = 0.0


@dataclass
class Together(Generic[Ready, Done]):
    """Jobs run together.

    done     what each finished job gave, by its position
    failed   what each failed job raised, by its position; a job that was never started is in neither
    """

    jobs: Sequence[Job[Ready, Done]]
    done: dict[int, Done] = field(default_factory=dict)
    failed: dict[int, BaseException] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._barrier = threading.Barrier(max(1, len(self.jobs)))
        self._stop = threading.Event()
        self._ended: queue.Queue[int] = queue.Queue()
        self._threads = [
            threading.Thread(target=self._run, args=(position,), name=f"raclab-live-{position + 1}", daemon=True)
            for position in range(len(self.jobs))
        ]

    def run(self, waiting: Callable[[int], None]) -> None:
        """Start all and wait for all; ``waiting`` is called in this thread, several times a second, with the number that ended."""
        for thread in self._threads:
            thread.start()
        for ended in range(len(self.jobs)):
            while True:
                waiting(ended)
                with suppress(queue.Empty):
                    self._ended.get(timeout=POLL_S)
                    break

    def cancel(self, grace_s: float) -> None:
        """Let nothing more start, cancel what runs, and wait for it, at most ``grace_s`` seconds."""
        self._stop.set()
        self._barrier.abort()
        for position in sorted(self.busy()):
            with suppress(Exception):
                self.jobs[position].cancel()
        deadline = time.monotonic() + grace_s
        for thread in self._threads:
            if thread.is_alive():
                thread.join(max(0.0, deadline - time.monotonic()))

    def busy(self) -> set[int]:
        """The positions of jobs whose thread still runs."""
        return {position for position, thread in enumerate(self._threads) if thread.is_alive()}

    def _run(self, position: int) -> None:
        job = self.jobs[position]
        started = False
        try:
            ready = job.prepare()
            self._barrier.wait()
            started = True
            if not self._stop.wait(job.delay_s):
                self.done[position] = job.work(ready)
        except threading.BrokenBarrierError:
            pass  # somebody else could not get ready, or all were told to stop
        except BaseException as error:
            self.failed[position] = error
            if not started:  # later it would catch those that are just leaving the barrier
                self._barrier.abort()
        finally:
            self._ended.put(position)
