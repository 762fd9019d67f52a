"""Runs a sweep's jobs on the workers of a Dask cluster."""

import socket
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from typing import Any
from urllib.parse import urlsplit

from raclab.sweeps.grid import SweepError
from raclab.sweeps.outcome import Done, Job

ANSWER_S = 10.0
WORKERS_S = 30.0
_AHEAD = 4  # jobs handed out for each thread of the cluster, so that none waits for this process


class Dask:
    """The jobs, each with its place, on the cluster whose scheduler has that address ("tcp://host:8786").

    Raises SweepError if there is no such scheduler, if no worker comes, if Dask is not installed here, or raclab not there.
    """

    def __init__(self, address: str, jobs: Sequence[tuple[int, Job]]) -> None:
        try:
            import distributed
        except ImportError:
            raise SweepError("Dask is not installed here: install it with `pip install distributed`, or leave scheduler out.") from None
        self._address = address
        self._wait = distributed.wait
        _answers(address)
        try:
            self._client = distributed.Client(address, timeout=ANSWER_S, set_as_default=False)
        except (OSError, TimeoutError, ValueError, TypeError) as error:
            raise _silence(address, error) from None
        try:
            self._client.wait_for_workers(1, timeout=WORKERS_S)
        except TimeoutError:
            self._client.close()
            raise SweepError(f"The Dask scheduler at {address} has no workers; start some with `dask worker {address}`.") from None
        self._waiting = iter(jobs)
        self._under_way: dict[Any, int] = {}
        self._submit(max(8, _AHEAD * sum(self._client.nthreads().values())))

    @property
    def over(self) -> bool:
        """Whether every job has been handed out."""
        return not self._under_way

    def finished(self, within_s: float) -> Iterator[tuple[int, Done]]:
        """The jobs that are done, after waiting ``within_s`` seconds for one at most; raises what a job has raised."""
        try:
            with self._client.as_current():
                done = self._wait(list(self._under_way), timeout=within_s, return_when="FIRST_COMPLETED").done  # type: ignore[no-untyped-call]
        except TimeoutError:
            return
        except CancelledError:  # nobody here has cancelled anything
            raise SweepError(f"The Dask scheduler at {self._address} has gone; start it again, then the sweep.") from None
        for future in done:
            place = self._under_way.pop(future)
            self._submit(1)
            yield place, self._result(future)

    def stop(self) -> None:
        """Begin no further job and leave the cluster; a job under way there comes to its end and is thrown away."""
        self._waiting = iter(())
        self._under_way = {}
        self._client.close()  # the scheduler forgets what nobody asks for any more

    def _result(self, future: Any) -> Done:
        from distributed import KilledWorker

        try:
            return future.result()  # type: ignore[no-any-return]
        except ModuleNotFoundError as error:
            raise SweepError(
                f"The workers at {self._address} have no {error.name}; install raclab there, the same version as here."
            ) from None
        except KilledWorker as error:
            raise SweepError(f"Workers at {self._address} have died over a setting: {error}") from None

    def _submit(self, count: int) -> None:
        for _ in range(count):
            if (following := next(self._waiting, None)) is None:
                return
            place, job = following
            self._under_way[self._client.submit(job.do, pure=False)] = place


def _answers(address: str) -> None:
    """Whether anything listens there at all: asked first, because a client that finds nobody leaves threads behind."""
    try:
        where = urlsplit(address)
        with socket.create_connection((where.hostname or "", where.port or 0), timeout=ANSWER_S):
            pass
    except (OSError, ValueError) as error:
        raise _silence(address, error) from None


def _silence(address: str, error: Exception) -> SweepError:
    return SweepError(f"No Dask scheduler answers at {address} ({error}); start one with `dask scheduler`, whose address it prints.")
