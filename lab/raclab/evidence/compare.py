"""Compares any two measurements, figure by figure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import pandas as pd

from raclab.evidence.figures import Figure, figures_of
from raclab.evidence.measurement import Kind, Measurement
from raclab.evidence.student_t import interval_95

COLUMNS = ("figure", "unit", "a", "a_low", "a_high", "b", "b_low", "b_high", "error_pct", "note")


@dataclass(frozen=True)
class Estimate:
    """A figure over the repeated runs of a measurement.

    mean       over the runs; NaN if any run lacks the figure
    low, high  the two-sided 95 % interval of the mean by Student's t; NaN for a single run
    runs       how many runs there are
    """

    mean: float
    low: float
    high: float
    runs: int


def value(measurement: Measurement, figure: Figure) -> Estimate:
    """The figure's mean over the runs with its 95 % interval, in the figure's unit."""
    readings = figure.read(measurement).tolist()
    if not readings or any(math.isnan(reading) for reading in readings):
        return Estimate(math.nan, math.nan, math.nan, len(readings))
    return Estimate(fmean(readings), *interval_95(readings), len(readings))


def mean(measurement: Measurement, figure: Figure) -> float:
    """The figure's mean over the runs alone, in its unit; NaN if any run lacks it, or there is none."""
    readings = figure.read(measurement).tolist()
    return math.nan if not readings or any(math.isnan(reading) for reading in readings) else fmean(readings)


def error_pct(a: float, b: float) -> float:
    """By how many percent of ``a`` the figure ``b`` is above it (below it: negative).

    0 where both are zero; NaN where one is NaN, or where only ``a`` is zero, of which nothing is a percentage.
    """
    if a == 0:
        return 0.0 if b == 0 else math.nan
    return 100 * (b - a) / a


def compare(a: Measurement, b: Measurement, figures: Sequence[Figure] | None = None) -> pd.DataFrame:
    """Set ``b`` beside ``a``; the error is in percent of ``a``, so the published measurement goes first.

    ``figures`` are those to compare, None for all that either has. One row a figure: figure, unit, then mean and 95 % interval of each
    (a, a_low, a_high, b, b_low, b_high), error_pct, and a note that says why there is no error where there is none.
    """
    rows = []
    for figure in figures_of(a, b) if figures is None else figures:
        of_a, of_b = value(a, figure), value(b, figure)
        rows.append(
            (
                *(figure.label, figure.unit),
                *(of_a.mean, of_a.low, of_a.high),
                *(of_b.mean, of_b.low, of_b.high),
                error_pct(of_a.mean, of_b.mean),
                _note(a, b, of_a.mean, of_b.mean, figure.unit),
            )
        )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _note(a: Measurement, b: Measurement, of_a: float, of_b: float, unit: str) -> str:
    missing = [one for one, mean in ((a, of_a), (b, of_b)) if math.isnan(mean)]
    if missing:
        return "; ".join(f"{one.case}: not {'published' if one.source.kind is Kind.PUBLISHED else 'measured'}" for one in missing)
    if of_a == 0 and of_b != 0:
        return f"no percentage of zero; the difference is {of_b:.4g}{f' {unit}' if unit else ''}"
    return ""
