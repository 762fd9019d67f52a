"""What myths share whose simulation knows the parts of the elapsed time better than any wait event does: a measurement and its chart."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from raclab import palette
from raclab.evidence.compare import Estimate, value
from raclab.evidence.figures import ELAPSED, Figure
from raclab.evidence.measurement import Measurement
from raclab.myths.drawing import UNACCOUNTED, label, seconds_text

Looks = Mapping[str, str]
"""Parts in the order of drawing, each with the component of the palette whose colour and pattern it takes."""


@dataclass(frozen=True, eq=False)
class PartsMeasurement(Measurement):
    """A simulated measurement that knows where the elapsed time went; the lab's views get what Oracle would have, without this.

    parts  one row a run and part: time_s, seconds of a session (mean over the sessions)
    """

    parts: pd.DataFrame = field(default_factory=pd.DataFrame)


def part_time(part: str) -> Figure:
    """Seconds that a session spent in a part; NaN where a measurement does not know its parts."""

    def read(measured: Measurement) -> np.ndarray:
        if not isinstance(measured, PartsMeasurement) or not len(measured.parts):
            return np.full(measured.runs, math.nan)
        rows = measured.parts[measured.parts["part"] == part]
        return rows.groupby("run")["time_s"].sum().reindex(measured.run_numbers).to_numpy(dtype=float)

    return Figure(part, "s", read)


def parts_of(measured: Measurement, names: Sequence[str]) -> dict[str, float]:
    """Mean seconds of a session by part, and what no part accounts for; all of it where a measurement does not know its parts."""
    known = isinstance(measured, PartsMeasurement) and len(measured.parts)
    means = {name: value(measured, part_time(name)).mean if known else 0.0 for name in names}
    total = value(measured, ELAPSED).mean
    return means | {UNACCOUNTED: 0.0 if math.isnan(total) else max(0.0, total - sum(means.values()))}


def parts_chart(measurements: Sequence[Measurement], looks: Looks, title: str, absent: str) -> go.Figure:
    """Horizontal stacked bars of ``parts_of`` in seconds, with each elapsed time written out and its 95 % interval.

    Same traces whatever is measured. ``absent`` is written where no elapsed time was published. The first measurement is on top.
    """
    labels = [label(one) for one in measurements]
    parts = [parts_of(one, list(looks)) for one in measurements]
    estimates = [value(one, ELAPSED) for one in measurements]
    ends = [0.0 if math.isnan(estimate.mean) else estimate.mean for estimate in estimates]
    bars = [_bar(name, looks.get(name, name), [part[name] for part in parts], labels) for name in (*looks, UNACCOUNTED)]
    layout = palette.layout()
    layout["xaxis"] |= {"title": {"text": "seconds of one session"}, "range": [0, 1.3 * max([*ends, 1e-9])]}
    layout["yaxis"] |= {"autorange": "reversed", "showgrid": False}
    layout["margin"] |= {"b": 100}
    layout["legend"] = {"orientation": "h", "traceorder": "normal", "yref": "container", "yanchor": "bottom", "y": 0.01, "x": 0}
    layout |= {"barmode": "stack", "title": {"text": title}, "height": 190 + 62 * len(labels)}
    return go.Figure([*bars, _totals(estimates, ends, labels, absent)], layout)


def _bar(name: str, look: str, seconds: Sequence[float], labels: Sequence[str]) -> dict[str, Any]:
    return {
        "type": "bar",
        "x": list(seconds),
        "y": labels,
        "name": name,
        "orientation": "h",
        "marker": palette.bar_marker(look),
        "hovertemplate": "%{y}<br>" + name + ": %{x:.3~g} s<extra></extra>",
    }


def _totals(estimates: Sequence[Estimate], ends: Sequence[float], labels: Sequence[str], absent: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": ends,
        "y": labels,
        "name": "elapsed, with 95 % interval",
        "mode": "markers+text",
        "marker": {"color": palette.TEXT, "symbol": "line-ns-open", "size": 12},
        "text": [absent if math.isnan(one.mean) else seconds_text(one.mean) for one in estimates],
        "textposition": "middle right",
        "cliponaxis": False,
        "showlegend": False,
        "error_x": {
            "type": "data",
            "array": [0.0 if math.isnan(one.high) else one.high - one.mean for one in estimates],
            "color": palette.TEXT,
        },
        "hovertemplate": "%{y}<br>elapsed: %{text}<extra></extra>",
    }
