"""Quantiles of Student's t against the distribution itself, integrated numerically."""

import math

import numpy as np
import pytest

from raclab.evidence.student_t import interval_95, t_975


def probability_below(t: float, degrees: int) -> float:
    """P(T <= t) for t >= 0: one half and the integral of the density from 0 to t."""
    x = np.linspace(0, t, 200_001)
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)
    return 0.5 + float(np.trapezoid(scale * (1 + x**2 / degrees) ** (-(degrees + 1) / 2), x))


@pytest.mark.parametrize("degrees", [*range(1, 41), 60, 100, 1000, 100_000])
def test_quantile(degrees: int) -> None:
    t = t_975(degrees)
    assert probability_below(t - 0.0006, degrees) < 0.975 < probability_below(t + 0.0006, degrees)


def test_no_degrees_of_freedom() -> None:
    with pytest.raises(ValueError, match="at least 1 degree of freedom, not 0"):
        t_975(0)


def test_interval_covers_the_mean_in_95_of_100_cases() -> None:
    """4,000 samples of 8 from a normal distribution: the share that covers is binomial, 0.95 within 3 standard errors."""
    samples = np.random.default_rng(1).normal(10.0, 3.0, (4000, 8))
    covered = sum(low <= 10.0 <= high for low, high in (interval_95(list(map(float, sample))) for sample in samples))
    assert abs(covered / 4000 - 0.95) < 3 * math.sqrt(0.95 * 0.05 / 4000)


def test_too_few_runs() -> None:
    assert all(math.isnan(end) for end in (*interval_95([1.0]), *interval_95([])))
    assert interval_95([2.0, 2.0]) == (2.0, 2.0)
