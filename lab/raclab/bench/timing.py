"""Wall-clock times of repeated calls: medians with their spread, pairs taken in turns, and times in fresh processes."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
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

    def text(self, unit: str, factor: float = 1.0) -> str:
        """Median with smallest and largest, e.g. "3.9 ms (3.8 to 4.2)"."""
        low, high = min(self.values) * factor, max(self.values) * factor
        return f"{_short(self.median * factor)} {unit} ({_short(low)} to {_short(high)})"


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


@dataclass(frozen=True)
class Duel:
    """One thing done in two ways in turns: seconds each, and their answers of every round."""

    ours: Spread
    theirs: Spread
    answers: tuple[tuple[Any, Any], ...]

    @property
    def ratio(self) -> Spread:
        """Theirs over ours, pair by pair."""
        return Spread(tuple(b / a for a, b in zip(self.ours.values, self.theirs.values, strict=True)))

    @property
    def equal(self) -> bool:
        """Whether both gave the same answer in every round."""
        return all(a == b for a, b in self.answers)


def seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    """How long a call took, and what it returned."""
    began = time.perf_counter()
    answer = call()
    return time.perf_counter() - began, answer


def repeated(call: Callable[[], Any], times: int) -> Spread:
    """A call timed so often, after one that does not count."""
    call()
    return Spread(tuple(seconds(call)[0] for _ in range(times)))


def in_turns(ours: Callable[[int], Any], theirs: Callable[[int], Any], pairs: int) -> Duel:
    """Both calls in turns, with the seeds 1, 2, 3 ...; who goes first alternates, so that a drift of the machine hits both."""
    times: dict[bool, list[float]] = {True: [], False: []}
    answers = []
    ours(0)
    for seed in range(1, pairs + 1):
        answer = {}
        for is_ours in (True, False) if seed % 2 else (False, True):
            spent, answer[is_ours] = seconds(lambda call=ours if is_ours else theirs, seed=seed: call(seed))  # type: ignore[misc]
            times[is_ours].append(spent)
        answers.append((answer[True], answer[False]))
    return Duel(Spread(tuple(times[True])), Spread(tuple(times[False])), tuple(answers))


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
