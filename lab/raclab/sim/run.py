"""Running a model, once or once a seed, and what comes out of it."""

import contextlib
import dataclasses
import hashlib
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from raclab.errors import LabError
from raclab.sim import kernel
from raclab.sim.model import Arrays, Model
from raclab.sim.ops import BLOCKED, BUCKETS, IDLE, NOTED, TALLY, TRACED, WATCH
from raclab.sim.times import Constant, Exponential
from raclab.sim.tracing import Trace, Tracing, of_run, traced_here
from raclab.sim.watch import watches

MOST_SAMPLES = 1024
MOST_SEED = 2**63 - 1
COMPILED = ("kernel.py", "ops.py", "variates.py")  # what the compiled kernel is made from
LOOK_S = 0.2  # Windows hands a Ctrl-C on only to one who looks up from waiting
STOPPED = "The simulation was stopped before its end; run it again for its result."

_JITTED = hasattr(kernel.interpret, "py_func")  # not with numba's compiler switched off, as for debugging


class SimulationError(LabError):
    """A model that can't come to its end; the message says where it is stuck."""


class Stopped(SimulationError):
    """Somebody has stopped the run (watch.py)."""


@dataclass(frozen=True)
class Run:
    """What one run of a model spent. Times in seconds.

    clock     the time at which the run ended
    ended     per process: when it ended, NaN if it did not
    tally     per op of the program: hits, time, cpu, longest (dtype TALLY)
    waits     per process and event of the model: the same, of whole waits
    histogram per CPU, event and bucket: how many whole waits of its processes were so long. Bucket 0: up to 1 microsecond; bucket k: more
              than 2**(k - 1) and up to 2**k microseconds; the last of the 40: whatever was longer
    cells     the cells as they were at the end
    homes     the locks' homes at the end
    used      per CPU: core-seconds used
    sent      per link: bytes
    caches    the caches at the end: hits, misses, used (dtype CACHE)
    notes     what NOTE wrote down, in order of time (dtype NOTED)
    sampled   when the samples were taken; ``samples[k, p]`` is the op at which process p then was, -1 after its end
    events    how many events were handled
    """

    clock: float
    ended: np.ndarray
    tally: np.ndarray
    waits: np.ndarray
    histogram: np.ndarray
    cells: np.ndarray
    homes: np.ndarray
    used: np.ndarray
    sent: np.ndarray
    caches: np.ndarray
    notes: np.ndarray
    sampled: np.ndarray
    samples: np.ndarray
    events: int


def _for_the_kernel(array: np.ndarray) -> np.ndarray:
    """The same memory; where numba's compiler is switched off, with the records' fields as attributes."""
    return array.view(np.recarray) if array.dtype.names and not _JITTED else array


def _interpret(model: Model, arrays: Arrays, seed: int, track: np.ndarray, tracing: Tracing | None = None) -> tuple[Run, Trace | None]:
    """One run; ``track`` is the one element (dtype WATCH) through which it is watched and stopped."""
    work = arrays.copy()
    count, events = len(model.processes), max(1, len(model.events))
    tally = np.zeros(len(arrays.program), dtype=TALLY)
    waits = np.zeros((count, events), dtype=TALLY)
    histogram = np.zeros((len(arrays.cpu), events, BUCKETS), dtype=np.int64)
    noted = np.zeros(model.notes, dtype=NOTED)
    lines = np.empty(tracing.limit if tracing else 0, dtype=TRACED)
    sampling = math.isfinite(model.sampling)
    samples = np.empty((MOST_SAMPLES if sampling else 0, count), dtype=np.int32)
    sampled = np.empty(len(samples))
    of_model = [getattr(work, field.name) for field in dataclasses.fields(work)]
    records = (*of_model, tally, waits, histogram, noted, lines, track)
    # exactly these types: with a whole number for a time, numba would compile the kernel once more
    arguments: list[Any] = [*map(_for_the_kernel, records), samples, sampled, float(model.sampling), float(model.horizon), int(seed)]
    try:
        if track["stop"][0]:
            raise Stopped(STOPPED)
        why, mover, clock, unfinished, notes, taken, traced, handled = kernel.interpret(*arguments)
    finally:
        track["over"] = 1
    if why == kernel.STOPPED:
        raise Stopped(STOPPED)
    if why != kernel.ALL_ENDED or (unfinished and math.isinf(model.horizon)):
        raise SimulationError(_stuck(model, work, why, mover, clock))
    run = Run(
        float(clock), work.process["ended"], tally, waits, histogram, work.cell, work.lock["home"], work.cpu["used"], work.link["sent"],
        work.cache, noted[:notes], sampled[:taken], samples[:taken], int(handled),
    )  # fmt: skip
    return run, of_run(model, seed, lines, traced) if tracing else None


def _stuck(model: Model, work: Arrays, why: int, mover: int, clock: float) -> str:
    """Where a run is that can't come to its end, in a sentence."""
    if why == kernel.NO_TIME_PASSES:
        row = int(work.process[mover]["pc"])
        activity = f" in {model.where[row].activity}" if model.where[row].activity else ""
        return (
            f"The simulation is stuck at {clock:g} s: {model.processes[mover].name} goes round{activity} without time passing. "
            "A loop needs a burst, a delay or a wait that takes time."
        )
    stuck = [p.name for p in model.processes if p.essential and math.isnan(work.process[p.number]["ended"])]
    names = ", ".join(stuck[:5])
    if why == kernel.NOBODY_ESSENTIAL_MOVES:
        waiting = np.isin(work.process["state"], (BLOCKED, IDLE)) & (work.process["essential"] == 1)
        return (
            f"The simulation is stuck: {names} have waited since {work.process['since'][waiting].max():g} s, while others handled "
            f"{kernel.MOST_EVENTS_WITHOUT:,} events up to {clock:g} s. A model that is to run on all the same needs a horizon."
        )
    return f"The simulation is stuck: nothing more can happen and {names} have not ended."


def run(model: Model, seed: int = 1) -> Run:
    """Run a model once. Same model and seed, same result.

    Raises SimulationError if an essential process can never end, and Stopped if a watch is stopped.
    """
    return run_seeds(model, [seed])[0]


def run_seeds(model: Model, seeds: Sequence[int]) -> list[Run]:
    """Run a model once a seed, on as many threads as there are cores; the results in the order of the seeds.

    Runs under the watches of this thread (watch.py) and is traced if it says so (tracing.py). Interrupted by Ctrl-C, it stops the runs
    and passes the KeyboardInterrupt on.
    """
    if len(model.processes) > kernel.MOST_PROCESSES:
        raise SimulationError(f"A model has at most {kernel.MOST_PROCESSES:,} processes, not {len(model.processes):,}.")
    for seed in seeds:
        if not isinstance(seed, int | np.integer) or not 0 <= seed <= MOST_SEED:
            raise SimulationError(f"A seed is a whole number from 0 to {MOST_SEED}, not {seed!r}.")
    arrays = model.arrays()
    if not is_compiled():
        warm_up(_notice)
    tracks, here = np.zeros(len(seeds), dtype=WATCH), traced_here()
    for watch in watches():
        watch.follow(tracks)
    began = time.perf_counter()
    with _ctrl_c_stops(tracks):
        jobs = [_threads().submit(_interpret, model, arrays, seed, tracks[number : number + 1], here) for number, seed in enumerate(seeds)]
        left = set(jobs)
        while left:
            left = wait(left, timeout=LOOK_S).not_done
    for watch in watches():
        watch.run_s += time.perf_counter() - began
    done = [job.result() for job in jobs]
    if here:
        here.traces += [trace for _, trace in done if trace]
    return [run for run, _ in done]


@contextlib.contextmanager
def _ctrl_c_stops(tracks: np.ndarray) -> Iterator[None]:
    """A Ctrl-C meanwhile stops the runs and is handed on once they have ended; at once, it could leave a lock of the threads taken."""
    handler = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None
    if not callable(handler):
        yield  # it does not come here, or somebody wants it ignored
        return
    caught: list[tuple[int, FrameType | None]] = []

    def stop(number: int, frame: FrameType | None) -> None:
        caught.append((number, frame))
        tracks["stop"] = 1

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if caught:
        handler(*caught[0])


_pool: ThreadPoolExecutor | None = None
_pool_lock = threading.Lock()


def _threads() -> ThreadPoolExecutor:
    global _pool
    with _pool_lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="raclab-sim")
        return _pool


def _without_threads() -> None:
    """In a forked process: the threads have stayed in the other one."""
    global _pool, _pool_lock
    _pool, _pool_lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_without_threads)


def _forget_stale() -> None:
    """Throw away what numba has cached if any file of the kernel has changed.

    numba looks at kernel.py alone, and would go on using the op codes and variates as they were compiled into it.
    """
    if not _JITTED:
        return
    sources = Path(kernel.__file__).parent
    text = b"".join((sources / name).read_bytes() for name in COMPILED)
    digest = hashlib.sha256(text).hexdigest()
    cached = Path(str(kernel.interpret.stats.cache_path))
    stamp = cached / "raclab-kernel.sha256"
    with contextlib.suppress(OSError):  # where nothing can be written, nothing is cached either
        if not stamp.is_file() or stamp.read_text() != digest:
            for name in COMPILED:
                for stale in cached.glob(f"{Path(name).stem}.*.nb[ic]"):
                    stale.unlink(missing_ok=True)
            cached.mkdir(parents=True, exist_ok=True)
            stamp.write_text(digest)


def is_compiled() -> bool:
    """Whether the kernel is compiled in this process (always, when numba's compiler is switched off)."""
    return bool(getattr(kernel.interpret, "signatures", True))


def _notice(sentence: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"{sentence}\n")  # in one piece: print's two could become two outputs of a notebook's cell
        sys.stderr.flush()


def warm_up(tell: Callable[[str], None] | None = None) -> float:
    """Compile the kernel, or load it from numba's cache; returns the seconds that it took.

    ``tell`` gets a sentence if that takes more than a second, so that nobody thinks the notebook hangs.
    """
    model = Model(notes=1)
    process = model.process("warm-up", model.cpu(1))
    process.run(Exponential(1.0))
    process.delay(Constant(1.0))
    began = time.perf_counter()
    _forget_stale()
    timer = threading.Timer(1.0, tell, ["Compiling the simulator, once; this takes up to half a minute ..."]) if tell else None
    if timer:
        timer.daemon = True
        timer.start()
    try:
        _interpret(model, model.arrays(), 1, np.zeros(1, dtype=WATCH))
    finally:
        if timer:
            timer.cancel()
    return time.perf_counter() - began
