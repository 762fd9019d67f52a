"""How wide a 95 % interval of a mean is: quantiles of Student's t.

Table: NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.6.7.2, column 0.975. Beyond it the expansion of
Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5, is right to the same three decimals.
"""

import math
from collections.abc import Sequence
from statistics import fmean, stdev

_TABLE = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
_NORMAL = 1.959964


def t_975(degrees: int) -> float:
    """The 0.975 quantile of Student's t, to three decimals. ``degrees`` of freedom are 1 or more, else ValueError."""
    if degrees < 1:
        raise ValueError(f"Student's t needs at least 1 degree of freedom, not {degrees}")
    if degrees <= len(_TABLE):
        return _TABLE[degrees - 1]
    z = _NORMAL
    return z + (z**3 + z) / (4 * degrees) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)


def interval_95(values: Sequence[float]) -> tuple[float, float]:
    """The two-sided 95 % interval of the mean of independent runs, in the unit of ``values``; NaN twice for fewer than two."""
    if len(values) < 2:
        return math.nan, math.nan
    half = t_975(len(values) - 1) * stdev(values) / math.sqrt(len(values))
    return fmean(values) - half, fmean(values) + half
