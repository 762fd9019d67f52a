"""Running a model, once or once a seed, and what comes out of it."""

import contextlib
import dataclasses
import hashlib
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from raclab.errors import LabError
from raclab.sim import kernel
from raclab.sim.model import Arrays, Constant, Exponential, Model
from raclab.sim.ops import NOTED, TALLY

MOST_SAMPLES = 1024
MOST_SEED = 2**63 - 1

_JITTED = hasattr(kernel.interpret, "py_func")  # not with numba's compiler switched off, as for debugging


class SimulationError(LabError):
    """A model that can't come to its end; the message says where it is stuck."""


@dataclass(frozen=True)
class Run:
    """What one run of a model spent. Times in seconds.

    clock     the time at which the run ended
    ended     per process: when it ended, NaN if it did not
    tally     per op of the program: hits, time, cpu, longest (dtype TALLY)
    waits     per process and event of the model: the same, of whole waits
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


def _interpret(model: Model, arrays: Arrays, seed: int) -> Run:
    work = arrays.copy()
    count = len(model.processes)
    tally = np.zeros(len(arrays.program), dtype=TALLY)
    waits = np.zeros((count, max(1, len(model.events))), dtype=TALLY)
    noted = np.zeros(model.notes, dtype=NOTED)
    sampling = math.isfinite(model.sampling)
    samples = np.empty((MOST_SAMPLES if sampling else 0, count), dtype=np.int32)
    sampled = np.empty(len(samples))
    of_model = [getattr(work, field.name) for field in dataclasses.fields(work)]
    records = (*of_model, tally, waits, noted)
    # exactly these types: with a whole number for a time, numba would compile the kernel once more
    arguments: list[Any] = [*map(_for_the_kernel, records), samples, sampled, float(model.sampling), float(model.horizon), int(seed)]
    clock, unfinished, notes, taken, events = kernel.interpret(*arguments)
    if unfinished and math.isinf(model.horizon):
        stuck = [p.name for p in model.processes if p.essential and math.isnan(work.process[p.number]["ended"])]
        raise SimulationError(f"The simulation is stuck: nothing more can happen and {', '.join(stuck[:5])} have not ended.")
    return Run(
        float(clock), work.process["ended"], tally, waits, work.cell, work.lock["home"], work.cpu["used"], work.link["sent"], work.cache,
        noted[:notes], sampled[:taken], samples[:taken], int(events),
    )  # fmt: skip


def run(model: Model, seed: int = 1) -> Run:
    """Run a model once. Same model and seed, same result.

    Raises SimulationError if an essential process can never end.
    """
    return run_seeds(model, [seed])[0]


def run_seeds(model: Model, seeds: Sequence[int]) -> list[Run]:
    """Run a model once a seed, on as many threads as there are cores; the results in the order of the seeds."""
    if len(model.processes) > kernel.MOST_PROCESSES:
        raise SimulationError(f"A model has at most {kernel.MOST_PROCESSES:,} processes, not {len(model.processes):,}.")
    for seed in seeds:
        if not isinstance(seed, int | np.integer) or not 0 <= seed <= MOST_SEED:
            raise SimulationError(f"A seed is a whole number from 0 to {MOST_SEED}, not {seed!r}.")
    arrays = model.arrays()
    if not is_compiled():
        warm_up(_notice)
    if len(seeds) == 1:
        return [_interpret(model, arrays, seeds[0])]
    return list(_threads().map(lambda seed: _interpret(model, arrays, seed), seeds))


_pool: ThreadPoolExecutor | None = None
_pool_lock = threading.Lock()


def _threads() -> ThreadPoolExecutor:
    global _pool
    with _pool_lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="raclab-sim")
        return _pool


def _forget_stale() -> None:
    """Throw away what numba has cached if any file of the kernel has changed.

    numba looks at kernel.py alone, and would go on using the op codes and variates as they were compiled into it.
    """
    if not _JITTED:
        return
    sources = Path(kernel.__file__).parent
    text = b"".join((sources / name).read_bytes() for name in ("kernel.py", "ops.py", "variates.py"))
    digest = hashlib.sha256(text).hexdigest()
    cached = Path(str(kernel.interpret.stats.cache_path))
    stamp = cached / "raclab-kernel.sha256"
    with contextlib.suppress(OSError):  # where nothing can be written, nothing is cached either
        if not stamp.is_file() or stamp.read_text() != digest:
            for name in ("kernel", "variates"):
                for stale in cached.glob(f"{name}.*.nb[ic]"):
                    stale.unlink(missing_ok=True)
            cached.mkdir(parents=True, exist_ok=True)
            stamp.write_text(digest)


def is_compiled() -> bool:
    """Whether the kernel is compiled in this process (always, when numba's compiler is switched off)."""
    return bool(getattr(kernel.interpret, "signatures", True))


def _notice(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


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
    timer = threading.Timer(1.0, tell, ["Compiling the simulator, once; this takes about ten seconds ..."]) if tell else None
    if timer:
        timer.daemon = True
        timer.start()
    try:
        _interpret(model, model.arrays(), 1)
    finally:
        if timer:
            timer.cancel()
    return time.perf_counter() - began
