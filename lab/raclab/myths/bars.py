"""Horizontal stacked bars as most charts of the course have them: traces and layouts as plain dicts, and the figure made of them."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from raclab import palette
from raclab.evidence.compare import Estimate

PERCENT_TICKS = list(range(0, 101, 20))
DOWNWARDS: Mapping[str, Any] = {"autorange": "reversed", "showgrid": False}
"""The y axis of bars of which the first is on top."""

LEGEND: Mapping[str, Any] = {
    **{"orientation": "h", "traceorder": "normal"},
    **{"yref": "container", "yanchor": "bottom", "y": 0.01, "x": 0},
}
"""The legend at the foot of the chart, however high that is."""


def drawn(traces: Sequence[Mapping[str, Any]], layout: Mapping[str, Any]) -> go.Figure:
    """The figure of these traces and this layout, each property under its full name.

    plotly would check every property, which takes longer than the simulation, and whoever drags a lever waits for it. So nothing is
    checked here: a test has plotly check the charts of every myth.
    """
    return go.Figure([dict(trace) for trace in traces], dict(layout), _validate=False)


def bar(name: str, look: str, lengths: Sequence[float], labels: Sequence[str], unit: str = "s", **more: Any) -> dict[str, Any]:
    """One component of each bar: drawn as the palette's component ``look``, of no length where that is NaN."""
    return {
        "type": "bar",
        "x": [0.0 if math.isnan(length) else length for length in lengths],
        "y": labels,
        "name": name,
        "orientation": "h",
        "marker": palette.bar_marker(look),
        "hovertemplate": "%{y}<br>" + name + ": %{x:.3~g} " + unit + "<extra></extra>",
        **more,
    }


def written(name: str, ends: Sequence[float], labels: Sequence[str], texts: Sequence[str], **more: Any) -> dict[str, Any]:
    """A text behind the end of each bar."""
    return {
        "type": "scatter",
        "x": ends,
        "y": labels,
        "name": name,
        "mode": "text",
        "text": [f" {text}" for text in texts],
        "textposition": "middle right",
        "cliponaxis": False,
        "showlegend": False,
        **({"hoverinfo": "skip"} | more),
    }


def marked(name: str, ends: Sequence[float], labels: Sequence[str], texts: Sequence[str], said: str, **more: Any) -> dict[str, Any]:
    """A tick at the end of each bar with a text behind it; ``said`` stands before the text where the mouse is on it."""
    tick = {"color": palette.TEXT, "symbol": "line-ns-open", "size": 12}
    hover = "%{y}<br>" + said + "%{text}<extra></extra>"
    made = written(name, ends, labels, texts, mode="markers+text", marker=tick, hovertemplate=hover, **more)
    del made["hoverinfo"]
    return made


def elapsed_marks(estimates: Sequence[Estimate], ends: Sequence[float], labels: Sequence[str], texts: Sequence[str]) -> dict[str, Any]:
    """``marked`` for elapsed times, with their 95 % intervals."""
    halves = [0.0 if math.isnan(one.high) else one.high - one.mean for one in estimates]
    interval = {"type": "data", "array": halves, "color": palette.TEXT}
    return marked("elapsed, with 95 % interval", ends, labels, texts, "elapsed: ", error_x=interval)


def seconds_axis(ends: Sequence[float], room: float) -> dict[str, Any]:
    """The x axis of bars that end there, in seconds of a session; it is ``room`` times as long, for what stands behind them."""
    return {"title": {"text": "seconds of one session"}, "range": [0, room * max([*ends, 1e-9])]}


def percent_axis(title: str, end: float) -> dict[str, Any]:
    """The x axis of bars of 100 %, with room up to ``end`` for what stands behind them."""
    return {"title": {"text": title}, "range": [0, end], "tickvals": PERCENT_TICKS}


def stack_layout(title: str, bars: int, x_axis: Mapping[str, Any]) -> dict[str, Any]:
    """The layout of so many stacked bars, the first on top and the legend below."""
    layout = palette.layout()
    layout["xaxis"] |= x_axis
    layout["yaxis"] |= DOWNWARDS
    layout["margin"] |= {"b": 100}
    return layout | {"barmode": "stack", "title": {"text": title}, "height": 190 + 62 * bars, "legend": dict(LEGEND)}
