"""Counter-based random numbers: a draw depends on (seed, process, number of the draw) and on nothing else.

So a lever moves the model and not the noise, and a draw can be repeated outside the kernel. The mixing function is
the finaliser of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
"""

import math

import numpy as np
from numba import njit

from raclab.sim.ops import CONSTANT, EXPONENTIAL

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_TO_UNIT = 1.0 / 9007199254740992.0  # 2**-53


@njit(cache=True, nogil=True, inline="always")
def _mix(z):  # type: ignore[no-untyped-def]
    z = (z ^ (z >> _S30)) * _MIX1
    z = (z ^ (z >> _S27)) * _MIX2
    return z ^ (z >> _S31)


@njit(cache=True, nogil=True)
def uniform(seed: int, process: int, draw: int) -> float:
    """A number in [0, 1): the draw-th of that process under that seed."""
    z = _mix(np.uint64(seed) * _GOLDEN + np.uint64(1))
    z = _mix(z + np.uint64(process) * _GOLDEN)
    z = _mix(z + np.uint64(draw) * _GOLDEN)
    return float(z >> _S11) * _TO_UNIT


@njit(cache=True, nogil=True)
def variate(law: int, x: float, y: float, u: float) -> float:
    """The u-quantile of a distribution: CONSTANT x, EXPONENTIAL with mean x, UNIFORM from x to y (seconds)."""
    if law == CONSTANT:
        return x
    if law == EXPONENTIAL:
        return -x * math.log(1.0 - u)
    return x + (y - x) * u


@njit(cache=True, nogil=True)
def quantile(table: np.ndarray, first: float, count: float, u: float) -> float:
    """The u-quantile of an EMPIRICAL distribution.

    Its quantiles stand in ``table`` from place ``first`` on, evenly spaced from that of 0 to that of 1; linear between them.
    """
    at = u * (count - 1.0)
    low = int(at)
    place = int(first) + low
    return table[place] + (at - low) * (table[place + 1] - table[place])  # type: ignore[no-any-return]
