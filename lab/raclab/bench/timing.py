"""Wall-clock times of repeated calls: medians with their spread, several calls taken in turns, and times in fresh processes."""

import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from raclab.errors import LabError


@dataclass(frozen=True)
class Spread:
    """Repeated measurements of one thing."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median."""
        return median(self.values)

    def range(self, factor: float = 1.0) -> str:
        """Smallest and largest, e.g. "3.8 to 4.2"."""
        return f"{short(min(self.values) * factor)} to {short(max(self.values) * factor)}"

    def text(self, unit: str, factor: float = 1.0) -> str:
        """Median with smallest and largest, e.g. "3.9 ms (3.8 to 4.2)"."""
        return f"{short(self.median * factor)} {unit} ({self.range(factor)})"


def short(value: float) -> str:
    """A number with three digits, or all that it has before the point."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


@dataclass(frozen=True)
class Race:
    """One thing done in several ways in turns: by name, the seconds and the answer of every round."""

    times: Mapping[str, Spread]
    answers: Mapping[str, tuple[Any, ...]]

    def ratio(self, name: str, to: str) -> Spread:
        """The time of one over that of another, round by round."""
        return Spread(tuple(a / b for a, b in zip(self.times[name].values, self.times[to].values, strict=True)))

    def equal(self, one: str, other: str) -> bool:
        """Whether both gave the same answer in every round."""
        return self.answers[one] == self.answers[other]


def seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    """How long a call took, and what it returned. The garbage collector waits meanwhile, as with timeit: it looks at what others left."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        began = time.perf_counter()
        answer = call()
        return time.perf_counter() - began, answer
    finally:
        if collecting:
            gc.enable()


def repeated(call: Callable[[], Any], times: int) -> Spread:
    """A call timed so often, after one that does not count."""
    call()
    return Spread(tuple(seconds(call)[0] for _ in range(times)))


def in_turns(calls: Mapping[str, Callable[[int], Callable[[], Any]]], rounds: int) -> Race:
    """All calls one after the other, with the seeds 1, 2, 3 ...; who goes first changes, so that a drift of the machine hits all.

    Each returns a function that gives its answer; what that takes does not count. Nor does one call of the first of them before.
    """
    names = list(calls)
    times: dict[str, list[float]] = {name: [] for name in names}
    answers: dict[str, list[Any]] = {name: [] for name in names}
    calls[names[0]](0)
    for seed in range(1, rounds + 1):
        first = (seed - 1) % len(names)
        for name in names[first:] + names[:first]:
            call = calls[name]
            spent, answer = seconds(lambda call=call, seed=seed: call(seed))  # type: ignore[misc]
            times[name].append(spent)
            answers[name].append(answer())
    return Race({name: Spread(tuple(times[name])) for name in names}, {name: tuple(answers[name]) for name in names})


def in_fresh_processes(program: str, times: int) -> list[dict[str, float]]:
    """Run a Python program so often, each time in a process of its own; it prints its figures as one line of JSON."""
    return [_fresh(program) for _ in range(times)]


def _fresh(program: str) -> dict[str, float]:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, env=os.environ)
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:] or ["no message"]
        raise LabError(f"A fresh Python process, started to be timed, failed: {reason[0]}")
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures
