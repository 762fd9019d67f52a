"""Distributions of times (and of bytes), as ops draw them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from raclab.sim import ops


@dataclass(frozen=True)
class Distribution:
    """A distribution of times in seconds; make one with Constant, Exponential, Uniform or Empirical."""

    law: int
    x: float
    y: float = 0.0
    quantiles: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not (math.isfinite(self.x) and math.isfinite(self.y) and self.x >= 0 and self.y >= 0):
            raise ValueError(f"a time can't be negative or infinite: {self}")


def Constant(seconds: float) -> Distribution:
    """Always the same time (or number of bytes)."""
    return Distribution(ops.CONSTANT, seconds)


def Exponential(mean: float) -> Distribution:
    """Exponential times with the given mean in seconds."""
    return Distribution(ops.EXPONENTIAL, mean)


def Empirical(quantiles: Sequence[float]) -> Distribution:
    """Times whose quantiles were measured: evenly spaced from the smallest to the largest time, in seconds; linear between them."""
    if len(quantiles) < 2 or not all(0 <= earlier <= later < math.inf for earlier, later in pairwise(quantiles)):
        raise ValueError("an empirical distribution needs two quantiles or more, from 0 up and in ascending order")
    return Distribution(ops.EMPIRICAL, quantiles[0], quantiles[-1], tuple(quantiles))


def Uniform(low: float, high: float) -> Distribution:
    """Times spread evenly from low to high, in seconds."""
    return Distribution(ops.UNIFORM, low, high)
