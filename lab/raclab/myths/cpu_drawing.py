"""Stacked bars of one session's time, CPU and waiting, where only the CPU of some measurements is known."""

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from raclab import palette
from raclab.evidence.compare import value
from raclab.evidence.figures import CPU
from raclab.evidence.measurement import Measurement
from raclab.myths.drawing import label, seconds_text
from raclab.myths.parts_drawing import Looks, PartsMeasurement, parts_of

NOT_SPLIT = "CPU, not split"


def cpu_chart(measurements: Sequence[Measurement], looks: Looks, title: str) -> go.Figure:
    """A bar a measurement: its parts in seconds, or its CPU as one piece where the parts are not known; the CPU is written out.

    Same traces whatever is measured. The first measurement is on top.
    """
    labels = [label(one) for one in measurements]
    parts = [_parts(one, looks) for one in measurements]
    bars = [_bar(name, looks.get(name, "not accounted for"), [part[name] for part in parts], labels) for name in (NOT_SPLIT, *looks)]
    ends = [sum(part.values()) for part in parts]
    texts = [f"{seconds_text(value(one, CPU).mean)} CPU" for one in measurements]
    totals = {
        "type": "scatter",
        "x": ends,
        "y": labels,
        "name": "CPU of one session",
        "mode": "markers+text",
        "marker": {"color": palette.TEXT, "symbol": "line-ns-open", "size": 12},
        "text": texts,
        "textposition": "middle right",
        "cliponaxis": False,
        "showlegend": False,
        "hovertemplate": "%{y}<br>%{text}<extra></extra>",
    }
    layout = palette.layout()
    layout["xaxis"] |= {"title": {"text": "seconds of one session"}, "range": [0, 1.3 * max([*ends, 1e-9])]}
    layout["yaxis"] |= {"autorange": "reversed", "showgrid": False}
    layout["margin"] |= {"b": 100}
    layout["legend"] = {"orientation": "h", "traceorder": "normal", "yref": "container", "yanchor": "bottom", "y": 0.01, "x": 0}
    layout |= {"barmode": "stack", "title": {"text": title}, "height": 190 + 62 * len(labels)}
    return go.Figure([*bars, totals], layout)


def _parts(one: Measurement, looks: Looks) -> dict[str, float]:
    if isinstance(one, PartsMeasurement):
        known = parts_of(one, list(looks))
        return {NOT_SPLIT: 0.0} | {name: known[name] for name in looks}
    cpu = value(one, CPU).mean
    return {NOT_SPLIT: 0.0 if math.isnan(cpu) else cpu} | dict.fromkeys(looks, 0.0)


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
