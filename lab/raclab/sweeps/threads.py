"""Runs a sweep's jobs in this process: some settings at a time, each of which runs its seeds on all cores."""

import contextvars
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from raclab.sim.run import Stopped
from raclab.sim.watch import Watch
from raclab.sweeps.outcome import Done, Job


class Threads:
    """The jobs, each with its place. While one setting's model is built, another one's runs."""

    def __init__(self, jobs: Sequence[tuple[int, Job]]) -> None:
        self._waiting = iter(jobs)
        at_once = max(2, os.cpu_count() or 1)
        self._pool = ThreadPoolExecutor(at_once, thread_name_prefix="raclab-sweep")
        self._under_way: dict[Future[Done], tuple[int, Watch]] = {}
        self._submit(2 * at_once)

    @property
    def over(self) -> bool:
        """Whether every job has been handed out."""
        return not self._under_way

    def finished(self, within_s: float) -> Iterator[tuple[int, Done]]:
        """The jobs that are done, after waiting ``within_s`` seconds for one at most; raises what a job has raised."""
        done = wait(self._under_way, timeout=within_s, return_when=FIRST_COMPLETED).done
        for future in done:
            place, _ = self._under_way.pop(future)
            self._submit(1)
            if not future.cancelled() and not isinstance(future.exception(), Stopped):
                yield place, future.result()

    def stop(self) -> None:
        """Begin no further job and end those under way within milliseconds; what is done can still be had from ``finished``."""
        self._waiting = iter(())
        self._pool.shutdown(wait=False, cancel_futures=True)
        for _, watch in self._under_way.values():
            watch.stop()

    def _submit(self, count: int) -> None:
        for _ in range(count):
            if (following := next(self._waiting, None)) is None:
                return
            place, job = following
            watch = Watch()
            # in a copy of this thread's context: who watches the sweep watches its runs
            self._under_way[self._pool.submit(contextvars.copy_context().run, job.do, watch)] = place, watch
