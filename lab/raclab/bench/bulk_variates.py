"""The kernel's random numbers as plain iterators, drawn in bulk, so that a peer in Python is not slowed down by them."""

from collections.abc import Iterator
from itertools import chain, count

import numpy as np
from numba import njit

from raclab.sim.ops import EXPONENTIAL
from raclab.sim.variates import uniform, variate

_CHUNK = 4096


@njit(cache=True)
def _uniforms(seed, process, first, numbers):  # type: ignore[no-untyped-def]
    for i in range(len(numbers)):
        numbers[i] = uniform(seed, process, first + i)


@njit(cache=True)
def _exponentials(seed, process, first, numbers):  # type: ignore[no-untyped-def]
    for i in range(len(numbers)):
        numbers[i] = variate(EXPONENTIAL, 1.0, 0.0, uniform(seed, process, first + i))


def uniforms(seed: int, process: int) -> Iterator[float]:
    """Draws 0, 1, 2 ... of a process as numbers in [0, 1)."""
    return chain.from_iterable(_chunk(_uniforms, seed, process, first) for first in count(0, _CHUNK))


def exponentials(seed: int, process: int) -> Iterator[float]:
    """The same draws as exponential times of mean 1; times a mean, exactly what the kernel draws with that mean."""
    return chain.from_iterable(_chunk(_exponentials, seed, process, first) for first in count(0, _CHUNK))


def both(seed: int, process: int) -> Iterator[tuple[float, float]]:
    """The same draws as (number in [0, 1), exponential time of mean 1); use one of the two."""
    return zip(uniforms(seed, process), exponentials(seed, process), strict=True)


def _chunk(fill, seed: int, process: int, first: int) -> list[float]:  # type: ignore[no-untyped-def]
    numbers = np.empty(_CHUNK)
    fill(seed, process, first, numbers)
    return numbers.tolist()
