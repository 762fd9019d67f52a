"""What myths share whose simulation knows the parts of the elapsed time better than any wait event does: a measurement and its chart."""

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from raclab.evidence.compare import mean, value
from raclab.evidence.figures import ELAPSED, Figure
from raclab.evidence.measurement import Measurement, sums_by
from raclab.myths.bars import bar, drawn, elapsed_marks, seconds_axis, stack_layout
from raclab.myths.drawing import UNACCOUNTED, label, seconds_text

Looks = Mapping[str, str]
"""Parts in the order of drawing, each with the component of the palette whose colour and pattern it takes."""


@dataclass(frozen=True, eq=False)
class PartsMeasurement(Measurement):
    """A simulated measurement that knows where the elapsed time went; the lab's views get what Oracle would have, without this.

    parts  one row a run and part: time_s, seconds of a session (mean over the sessions)
    """

    parts: pd.DataFrame = field(default_factory=pd.DataFrame)

    @functools.cached_property
    def part_sums(self) -> dict[str, np.ndarray]:
        """Seconds of each part in each run, in the order of ``run_numbers``; NaN in a run that does not have it."""
        found = sums_by(self.parts, "part", ("time_s",), self.run_numbers)
        return {name: np.where(of_part["rows"] > 0, of_part["time_s"], math.nan) for name, of_part in found.items()}


def part_time(part: str) -> Figure:
    """Seconds that a session spent in a part; NaN where a measurement does not know its parts."""

    def read(measured: Measurement) -> np.ndarray:
        if not isinstance(measured, PartsMeasurement) or not len(measured.parts):
            return np.full(measured.runs, math.nan)
        return measured.part_sums.get(part, np.full(measured.runs, math.nan))

    return Figure(part, "s", read)


def parts_of(measured: Measurement, names: Sequence[str]) -> dict[str, float]:
    """Mean seconds of a session by part, and what no part accounts for; all of it where a measurement does not know its parts."""
    known = isinstance(measured, PartsMeasurement) and len(measured.parts)
    means = {name: mean(measured, part_time(name)) if known else 0.0 for name in names}
    total = mean(measured, ELAPSED)
    return means | {UNACCOUNTED: 0.0 if math.isnan(total) else max(0.0, total - sum(means.values()))}


def parts_chart(measurements: Sequence[Measurement], looks: Looks, title: str, absent: str) -> go.Figure:
    """Horizontal stacked bars of ``parts_of`` in seconds, with each elapsed time written out and its 95 % interval.

    Same traces whatever is measured. ``absent`` is written where no elapsed time was published. The first measurement is on top.
    """
    labels = [label(one) for one in measurements]
    parts = [parts_of(one, list(looks)) for one in measurements]
    estimates = [value(one, ELAPSED) for one in measurements]
    ends = [0.0 if math.isnan(estimate.mean) else estimate.mean for estimate in estimates]
    bars = [bar(name, looks.get(name, name), [part[name] for part in parts], labels) for name in (*looks, UNACCOUNTED)]
    texts = [absent if math.isnan(one.mean) else seconds_text(one.mean) for one in estimates]
    return drawn([*bars, elapsed_marks(estimates, ends, labels, texts)], stack_layout(title, len(labels), seconds_axis(ends, 1.3)))
